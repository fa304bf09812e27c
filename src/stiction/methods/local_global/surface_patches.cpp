#include "stiction/methods/local_global/surface_patches.hpp"

#include "stiction/collision/bvh.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

using Range = std::pair<std::vector<Index>::iterator, std::vector<Index>::iterator>;

/// Halves a list of vertices until no part has more than `most`.
void cut(const VecX& x, Index body, const Range& range, std::size_t most, std::vector<SurfacePatch>& patches) {
    const auto [begin, end] = range;
    if (static_cast<std::size_t>(end - begin) <= most) {
        patches.push_back({body, {begin, end}, {}});
        return;
    }
    Box box;
    for (auto v = begin; v != end; ++v) box.add(Vec3(x.segment<3>(3 * *v)));
    Eigen::Index axis = 0;
    (box.upper - box.lower).maxCoeff(&axis);
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](Index a, Index b) {
        const double at_a = x[3 * a + axis], at_b = x[3 * b + axis];
        return at_a < at_b || (at_a == at_b && a < b);
    });
    cut(x, body, {begin, middle}, most, patches);
    cut(x, body, {middle, end}, most, patches);
}

void add_ring(const CollisionSurface& surface, const std::vector<Index>& patch_of, std::vector<SurfacePatch>& patches) {
    const auto join = [&](Index a, Index b) {
        const Index patch = patch_of[static_cast<std::size_t>(a)];
        if (patch != patch_of[static_cast<std::size_t>(b)])
            patches[static_cast<std::size_t>(patch)].with_ring.push_back(b);
    };
    const auto join_all = [&](const auto& primitive) {
        for (const Index a : primitive) {
            for (const Index b : primitive) join(a, b);
        }
    };
    for (const Edge& edge : surface.edges) join_all(edge);
    for (const Triangle& triangle : surface.triangles) join_all(triangle);
    for (SurfacePatch& patch : patches) {
        std::sort(patch.with_ring.begin(), patch.with_ring.end());
        patch.with_ring.erase(std::unique(patch.with_ring.begin(), patch.with_ring.end()), patch.with_ring.end());
        patch.with_ring.insert(patch.with_ring.begin(), patch.vertices.begin(), patch.vertices.end());
    }
}

}  // namespace

std::vector<SurfacePatch> surface_patches(const World& world, std::size_t most_vertices) {
    std::vector<std::vector<Index>> of_body(world.bodies.size());
    for (const Index v : world.surface.vertices)
        of_body[static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(v)])].push_back(v);
    std::vector<SurfacePatch> patches;
    for (std::size_t b = 0; b < of_body.size(); ++b) {
        if (of_body[b].empty()) continue;
        cut(world.initial_positions, static_cast<Index>(b), {of_body[b].begin(), of_body[b].end()}, most_vertices,
            patches);
    }
    std::vector<Index> patch_of(static_cast<std::size_t>(world.vertex_count()), -1);
    for (std::size_t p = 0; p < patches.size(); ++p) {
        for (const Index v : patches[p].vertices) patch_of[static_cast<std::size_t>(v)] = static_cast<Index>(p);
    }
    add_ring(world.surface, patch_of, patches);
    return patches;
}

}  // namespace stiction::local_global
