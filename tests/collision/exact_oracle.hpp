// Exact CCD of integer queries by subdivision: the truth for queries nobody planted.
#pragma once

#include "stiction/collision/distance.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace stiction::testing {

enum class ExactAnswer {
    miss,    // proven exactly: the features stay apart
    hit,     // they come closer than 2^-40 of the coordinates' unit
    unknown  // too many boxes
};

/// The difference of the two features' points is a function F(t, u, v), linear in each of t, u, v; over a box it lies
/// in the hull of its eight corners. Boxes whose corners are all on one side of 0 along an axis are dropped, the others
/// halved 42 times in all directions. Corners are dyadic, so 128-bit integers hold them exactly. Coordinates must be
/// integers of at most 2^12.
inline ExactAnswer exact_query(PairKind kind, const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1,
                               int max_boxes = 20000) {
    __extension__ using Wide = __int128;
    constexpr int max_depth = 42;
    struct Box {
        int depth;
        std::int64_t t, u, v;  // lower corner in units of 2^-depth
    };
    // r = P0 + u Pu + v Pv with every P linear in t; the roles of u and v by kind.
    std::array<std::array<std::array<std::int64_t, 3>, 2>, 3> p{};  // [constant, u, v][at 0, at 1][axis]
    for (std::size_t end = 0; end < 2; ++end) {
        const std::array<Vec3, 4>& x = end == 0 ? x0 : x1;
        for (int k = 0; k < 3; ++k) {
            const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(x[i][k]); };
            const auto axis = static_cast<std::size_t>(k);
            const bool edges = kind == PairKind::edge_edge;
            p[0][end][axis] = edges ? at(0) - at(2) : at(0) - at(1);
            if (edges) p[1][end][axis] = at(1) - at(0), p[2][end][axis] = -(at(3) - at(2));
            if (kind == PairKind::point_edge || kind == PairKind::point_triangle) p[1][end][axis] = -(at(2) - at(1));
            if (kind == PairKind::point_triangle) p[2][end][axis] = -(at(3) - at(1));
        }
    }
    std::vector<Box> stack{{0, 0, 0, 0}};
    int boxes = 0;
    while (!stack.empty()) {
        const Box box = stack.back();
        stack.pop_back();
        if (++boxes > max_boxes) return ExactAnswer::unknown;
        const std::int64_t one = std::int64_t{1} << box.depth;
        if (kind == PairKind::point_triangle && box.u + box.v > one) continue;  // outside the triangle
        bool apart = false;
        for (std::size_t axis = 0; axis < 3 && !apart; ++axis) {
            bool positive = true, negative = true;
            for (int corner = 0; corner < 8; ++corner) {
                const Wide t = box.t + (corner & 1), u = box.u + ((corner >> 1) & 1), v = box.v + ((corner >> 2) & 1);
                const auto value = [&](std::size_t part) {
                    return (one - t) * p[part][0][axis] + t * p[part][1][axis];
                };
                const Wide f = one * value(0) + u * value(1) + v * value(2);
                positive = positive && f > 0;
                negative = negative && f < 0;
            }
            apart = positive || negative;
        }
        if (apart) continue;
        if (box.depth == max_depth) return ExactAnswer::hit;
        const bool has_u = kind != PairKind::point_point;
        const bool has_v = kind == PairKind::point_triangle || kind == PairKind::edge_edge;
        for (int child = 0; child < 8; ++child) {
            const int t = child & 1, u = (child >> 1) & 1, v = (child >> 2) & 1;
            if ((u && !has_u) || (v && !has_v)) continue;
            stack.push_back({box.depth + 1, 2 * box.t + t, 2 * box.u + u, 2 * box.v + v});
        }
    }
    return ExactAnswer::miss;
}

}  // namespace stiction::testing
