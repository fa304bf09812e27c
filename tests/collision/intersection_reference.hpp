// Small sets of primitives, and the slow truth about their intersections in rational arithmetic.
#pragma once

#include "stiction/collision/intersection.hpp"
#include "stiction/mesh/mesh.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace stiction::testing {

using Kind = IntersectionKind;
using Rational = boost::multiprecision::cpp_rational;

/// A handful of primitives with everything of body 0 unless told otherwise.
struct Soup {
    std::vector<Vec3> points;
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;
    std::vector<Index> bare;
    std::vector<Index> body;

    Index add(const Vec3& p, Index owner = 0) {
        points.push_back(p);
        body.push_back(owner);
        return static_cast<Index>(points.size()) - 1;
    }
    void add_mesh(const Mesh& mesh, Index owner) {
        const auto offset = static_cast<Index>(points.size());
        for (const Vec3& p : mesh.vertices) add(p, owner);
        for (Triangle t : mesh.triangles) {
            for (Index& v : t) v += offset;
            triangles.push_back(t);
        }
    }
    CollisionSurface surface() const { return make_collision_surface(triangles, edges, bare, body); }
    VecX x() const {
        VecX stacked(3 * static_cast<Eigen::Index>(points.size()));
        for (std::size_t i = 0; i < points.size(); ++i)
            stacked.segment<3>(3 * static_cast<Eigen::Index>(i)) = points[i];
        return stacked;
    }
    BodyPairTable table() const { return BodyPairTable(1 + *std::max_element(body.begin(), body.end())); }
    std::vector<Intersection> found() const { return find_intersections(surface(), table(), x()); }
    /// Kinds of what was found, ascending.
    std::vector<Kind> kinds() const {
        std::vector<Kind> result;
        for (const Intersection& i : found()) result.push_back(i.kind);
        return result;
    }
    template <class Map>
    Soup mapped(const Map& map) const {
        Soup result = *this;
        for (Vec3& p : result.points) p = map(p);
        return result;
    }
};

using Ids = std::vector<Index>;

/// Barycentric coordinates (of F, then of G) of a common point of the hulls of F and G, if there is exactly one choice.
inline std::optional<std::vector<Rational>> unique_combination(const VecX& x, const Ids& F, const Ids& G) {
    const std::size_t n = F.size() + G.size();
    std::vector<std::vector<Rational>> rows(5, std::vector<Rational>(n + 1, 0));
    for (std::size_t j = 0; j < n; ++j) {
        const bool first = j < F.size();
        const Index v = first ? F[j] : G[j - F.size()];
        for (std::size_t k = 0; k < 3; ++k) {
            const Rational value(x[3 * v + static_cast<Index>(k)]);
            rows[k][j] = first ? value : Rational(-value);
        }
        rows[first ? 3 : 4][j] = 1;
    }
    rows[3][n] = rows[4][n] = 1;
    std::size_t rank = 0;
    for (std::size_t column = 0; column < n; ++column) {  // Gauss-Jordan
        std::size_t pivot = rank;
        while (pivot < 5 && rows[pivot][column].is_zero()) ++pivot;
        if (pivot == 5) return std::nullopt;  // a free unknown
        std::swap(rows[rank], rows[pivot]);
        const Rational scale = rows[rank][column];
        for (Rational& value : rows[rank]) value /= scale;
        for (std::size_t r = 0; r < 5; ++r) {
            if (r == rank || rows[r][column].is_zero()) continue;
            const Rational factor = rows[r][column];
            for (std::size_t c = 0; c <= n; ++c) rows[r][c] -= factor * rows[rank][c];
        }
        if (++rank == 5 && column + 1 < n) return std::nullopt;
    }
    for (std::size_t r = rank; r < 5; ++r) {
        if (!rows[r][n].is_zero()) return std::nullopt;  // no common point
    }
    std::vector<Rational> result(n);
    for (std::size_t r = 0; r < n; ++r) result[r] = rows[r][n];
    return result;
}

/// Do the open features meet in exactly one point, with one choice of coordinates?
inline bool slow_meet(const VecX& x, const Ids& F, const Ids& G) {
    const auto solution = unique_combination(x, F, G);
    return solution && std::all_of(solution->begin(), solution->end(), [](const Rational& r) { return r.sign() > 0; });
}

template <std::size_t N>
inline Ids ids(const std::array<Index, N>& a) {
    return Ids(a.begin(), a.end());
}

inline bool disjoint(const Ids& F, const Ids& G) {
    return std::none_of(F.begin(), F.end(), [&](Index v) { return std::find(G.begin(), G.end(), v) != G.end(); });
}

/// All pairs against all pairs, from the definition.
inline std::vector<Intersection> slow_intersections(const CollisionSurface& s, const BodyPairTable& table,
                                                    const VecX& x) {
    std::vector<Intersection> found;
    const auto test = [&](Kind kind, Index first, const Ids& F, Index second, const Ids& G) {
        const auto body = [&](Index v) { return s.body_of_vertex[static_cast<std::size_t>(v)]; };
        if (!disjoint(F, G) || !table.allowed(body(F[0]), body(G[0])) || !slow_meet(x, F, G)) return;
        Intersection entry{kind, first, second, {-1, -1, -1, -1, -1}};
        std::copy(F.begin(), F.end(), entry.vertices.begin());
        std::copy(G.begin(), G.end(), entry.vertices.begin() + static_cast<std::ptrdiff_t>(F.size()));
        found.push_back(entry);
    };
    const auto edges = static_cast<Index>(s.edges.size()), triangles = static_cast<Index>(s.triangles.size());
    const auto edge = [&](Index e) { return ids(s.edges[static_cast<std::size_t>(e)]); };
    const auto triangle = [&](Index t) { return ids(s.triangles[static_cast<std::size_t>(t)]); };
    for (const Index v : s.vertices) {
        for (const Index w : s.vertices) {
            if (v < w) test(Kind::point_point, v, {v}, w, {w});
        }
        for (Index e = 0; e < edges; ++e) test(Kind::point_edge, v, {v}, e, edge(e));
        for (Index t = 0; t < triangles; ++t) test(Kind::point_triangle, v, {v}, t, triangle(t));
    }
    for (Index e = 0; e < edges; ++e) {
        for (Index f = e + 1; f < edges; ++f) test(Kind::edge_edge, e, edge(e), f, edge(f));
        for (Index t = 0; t < triangles; ++t) test(Kind::edge_triangle, e, edge(e), t, triangle(t));
    }
    std::sort(found.begin(), found.end(), [](const Intersection& a, const Intersection& b) {
        return std::tie(a.kind, a.first, a.second) < std::tie(b.kind, b.first, b.second);
    });
    return found;
}

/// All non-empty subsets.
inline std::vector<Ids> faces_of(const Ids& A) {
    std::vector<Ids> faces;
    for (unsigned mask = 1; mask < (1u << A.size()); ++mask) {
        Ids face;
        for (std::size_t i = 0; i < A.size(); ++i) {
            if (mask & (1u << i)) face.push_back(A[i]);
        }
        faces.push_back(face);
    }
    return faces;
}

/// Is there a common point of the CLOSED primitives A and B outside the hull of their common vertices? The common
/// points are a convex polytope whose corners are combinations with independent columns (basic solutions of the linear
/// program). B without its common part must be met by one of these corners.
inline bool slow_improper(const VecX& x, const Ids& A, const Ids& B) {
    Ids common;
    for (const Index v : A) {
        if (std::find(B.begin(), B.end(), v) != B.end()) common.push_back(v);
    }
    if (common.size() == std::min(A.size(), B.size())) return false;  // one is a part of the other
    for (const Ids& F : faces_of(A)) {
        for (const Ids& G : faces_of(B)) {
            const auto solution = unique_combination(x, F, G);
            if (!solution ||
                std::any_of(solution->begin(), solution->end(), [](const Rational& r) { return r.sign() < 0; }))
                continue;
            std::array<Rational, 3> p{0, 0, 0};
            for (std::size_t i = 0; i < F.size(); ++i) {
                for (std::size_t k = 0; k < 3; ++k)
                    p[k] += (*solution)[i] * Rational(x[3 * F[i] + static_cast<Index>(k)]);
            }
            // In the hull of at most two points? There the larger coordinate along any axis decides.
            if (common.empty()) return true;
            const Index a = common.front(), b = common.back();
            std::optional<Rational> s;
            bool inside = true;
            for (Index k = 0; k < 3; ++k) {
                const Rational xa(x[3 * a + k]), xb(x[3 * b + k]);
                if (xa == xb) {
                    inside = inside && p[static_cast<std::size_t>(k)] == xa;
                } else {
                    const Rational here = (p[static_cast<std::size_t>(k)] - xa) / (xb - xa);
                    inside = inside && (!s || *s == here) && here >= 0 && here <= 1;
                    s = here;
                }
            }
            if (!inside) return true;
        }
    }
    return false;
}

}  // namespace stiction::testing
