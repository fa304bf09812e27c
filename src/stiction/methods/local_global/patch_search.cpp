#include "stiction/methods/local_global/patch_search.hpp"

#include "stiction/math/pack.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Boxes of primitives at the positions of `extents`.
struct ExtentBoxes {
    const PrimitiveExtents& extents;

    const Extent& point(Index v) const { return extents.point(v); }
    const Extent& edge(Index e) const { return extents.edge(e); }
    const Extent& triangle(Index t) const { return extents.triangle(t); }
};

/// Boxes around straight moves.
struct SweptBoxes {
    const CollisionSurface& surface;
    const VecX &x0, &x1;

    template <std::size_t N>
    Box around(const std::array<Index, N>& vertices) const {
        Box box;
        for (const Index v : vertices) {
            box.add(Vec3(x0.segment<3>(3 * v)));
            box.add(Vec3(x1.segment<3>(3 * v)));
        }
        return box;
    }
    Box point(Index v) const { return around(std::array<Index, 1>{v}); }
    Box edge(Index e) const { return around(surface.edges[at(e)]); }
    Box triangle(Index t) const { return around(surface.triangles[at(t)]); }
};

template <std::size_t N, std::size_t M>
bool share_vertex(const std::array<Index, N>& a, const std::array<Index, M>& b) {
    bool share = false;
    for (const Index v : a) {
        for (const Index w : b) share |= v == w;
    }
    return share;
}

/// A number not above the value: lower by what two roundings to single precision change at most.
float rounded_down(double value) {
    const auto near = static_cast<float>(value);
    return near - 1.2e-7F * std::abs(near);
}

/// Squared distances of box i of `a` from the boxes of `b` from number `first` on (m^2).
STICTION_WIDE void squared_distances(const float* const* a, std::size_t i, const float* const* b, std::size_t first,
                                     std::size_t count, float* squared) {
    const float x = a[0][i], y = a[1][i], z = a[2][i], minus_x = a[3][i], minus_y = a[4][i], minus_z = a[5][i];
    const float *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3], *b4 = b[4], *b5 = b[5];
    const auto gap = [](float above, float below) {
        const float larger = above > below ? above : below;
        return larger > 0.0F ? larger : 0.0F;
    };
    for (std::size_t j = first; j < count; ++j) {
        const float along_x = gap(b0[j] + minus_x, x + b3[j]), along_y = gap(b1[j] + minus_y, y + b4[j]),
                    along_z = gap(b2[j] + minus_z, z + b5[j]);
        squared[j] = along_x * along_x + along_y * along_y + along_z * along_z;
    }
}

}  // namespace

std::vector<PatchPrimitives> primitives_of_patches(const CollisionSurface& surface,
                                                   const std::vector<SurfacePatch>& patches) {
    std::vector<std::size_t> patch_of(surface.body_of_vertex.size(), 0);
    for (std::size_t p = 0; p < patches.size(); ++p) {
        for (const Index v : patches[p].vertices) patch_of[at(v)] = p;
    }
    std::vector<PatchPrimitives> result(patches.size());
    for (std::size_t p = 0; p < patches.size(); ++p) result[p].points = patches[p].vertices;
    for (std::size_t e = 0; e < surface.edges.size(); ++e)
        result[patch_of[at(surface.edges[e][0])]].edges.push_back(static_cast<Index>(e));
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        result[patch_of[at(surface.triangles[t][0])]].triangles.push_back(static_cast<Index>(t));
    for (const Index e : surface.bare_edges) result[patch_of[at(surface.edges[at(e)][0])]].bare_edges.push_back(e);
    for (const Index v : surface.bare_points) result[patch_of[at(v)]].bare_points.push_back(v);
    for (const Index v : surface.loose_points) result[patch_of[at(v)]].loose_points.push_back(v);
    return result;
}

void PairList::clear() {
    begin.fill(0);
    pairs.clear();
    bounds.clear();
}

void BoxRows::clear(std::size_t most) {
    count = 0;
    if (items.size() >= most) return;
    items.resize(most);
    for (std::vector<float>& bound : bounds) bound.resize(most);
}

void BoxRows::add(Index item, const Vec3& lower, const Vec3& upper) {
    items[count] = item;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        bounds[axis][count] = rounded_down(lower[static_cast<Eigen::Index>(axis)]);
        bounds[axis + 3][count] = rounded_down(-upper[static_cast<Eigen::Index>(axis)]);
    }
    ++count;
}

void PatchSearch::find(const CollisionSurface& surface, const Side& a, const Side& b, bool same,
                       const PrimitiveExtents& extents, double cutoff, PairList& out) {
    find_all(surface, a, b, same, ExtentBoxes{extents}, cutoff, out);
}

void PatchSearch::find_swept(const CollisionSurface& surface, const Side& a, const Side& b, bool same, const VecX& x0,
                             const VecX& x1, double cutoff, PairList& out) {
    find_all(surface, a, b, same, SweptBoxes{surface, x0, x1}, cutoff, out);
}

template <class Boxes>
void PatchSearch::find_all(const CollisionSurface& surface, const Side& a, const Side& b, bool same, const Boxes& boxes,
                           double cutoff, PairList& out) {
    const double most = cutoff * cutoff;
    const Vec3 origin = 0.5 * (a.box.lower + a.box.upper);
    // Those of one patch that are near the box of the other.
    const auto fill = [&](BoxRows& rows, const std::vector<Index>& items, const Box& other, const auto& box_of) {
        rows.clear(items.size());
        for (const Index item : items) {
            const auto& box = box_of(item);
            if (same || squared_box_distance(box, other) <= most)
                rows.add(item, box.lower - origin, box.upper - origin);
        }
        return rows.count > 0;
    };
    const auto most_rounded = static_cast<float>((1.0 + 1e-6) * most);
    const auto pair_up = [&](bool once, const auto& first_of, const auto& second_of) {
        const float *rows[6], *others[6];
        for (std::size_t k = 0; k < 6; ++k) rows[k] = first_.bounds[k].data(), others[k] = second_.bounds[k].data();
        const std::size_t n = second_.count;
        if (squared_.size() < n) squared_.resize(n);
        if (near_.size() < n + 1) near_.resize(n + 1);
        for (std::size_t i = 0; i < first_.count; ++i) {
            const std::size_t begin = once ? i + 1 : 0;
            squared_distances(rows, i, others, begin, n, squared_.data());
            std::size_t found = 0;
            for (std::size_t j = begin; j < n; ++j) {
                near_[found] = j;
                found += squared_[j] <= most_rounded;
            }
            const Index m = first_.items[i];
            for (std::size_t k = 0; k < found; ++k) {
                const Index other = second_.items[near_[k]];
                if (share_vertex(first_of(m), second_of(other))) continue;
                out.pairs.push_back({m, other});
                // Six roundings must not raise it.
                out.bounds.push_back((1.0F - 5e-7F) * std::sqrt(squared_[near_[k]]));
            }
        }
    };
    const auto sort_last = [&](std::size_t kind) {
        for (std::size_t i = out.begin[kind]; i < out.pairs.size(); ++i)
            out.pairs[i] = {std::min(out.pairs[i][0], out.pairs[i][1]), std::max(out.pairs[i][0], out.pairs[i][1])};
    };
    const auto point = [](Index v) { return std::array<Index, 1>{v}; };
    const auto edge = [&](Index e) { return surface.edges[at(e)]; };
    const auto triangle = [&](Index t) { return surface.triangles[at(t)]; };
    const auto point_box = [&](Index v) -> decltype(auto) { return boxes.point(v); };
    const auto edge_box = [&](Index e) -> decltype(auto) { return boxes.edge(e); };
    const auto triangle_box = [&](Index t) -> decltype(auto) { return boxes.triangle(t); };
    const auto points_and_triangles = [&](const Side& m, const Side& n) {
        if (fill(first_, m.primitives.points, n.box, point_box) &&
            fill(second_, n.primitives.triangles, m.box, triangle_box))
            pair_up(false, point, triangle);
    };
    const auto points_and_edges = [&](const Side& m, const Side& n) {
        if (fill(first_, m.primitives.loose_points, n.box, point_box) &&
            fill(second_, n.primitives.bare_edges, m.box, edge_box))
            pair_up(false, point, edge);
    };

    out.clear();
    points_and_triangles(a, b);
    if (!same) points_and_triangles(b, a);
    out.begin[1] = out.pairs.size();
    if (fill(first_, a.primitives.edges, b.box, edge_box) && fill(second_, b.primitives.edges, a.box, edge_box))
        pair_up(same, edge, edge);
    sort_last(1);
    out.begin[2] = out.pairs.size();
    points_and_edges(a, b);
    if (!same) points_and_edges(b, a);
    out.begin[3] = out.pairs.size();
    if (fill(first_, a.primitives.bare_points, b.box, point_box) &&
        fill(second_, b.primitives.bare_points, a.box, point_box))
        pair_up(same, point, point);
    sort_last(3);
    out.begin[4] = out.pairs.size();
}

}  // namespace stiction::local_global
