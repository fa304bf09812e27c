#include "stiction/methods/local_global/primitive_extents.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

template <std::size_t N>
Extent extent_of(const std::array<Index, N>& vertices, const VecX& x, const VecX& prediction) {
    const auto move = [&](Index v) -> Vec3 { return prediction.segment<3>(3 * v) - x.segment<3>(3 * v); };
    Extent extent;
    extent.lower = extent.upper = x.segment<3>(3 * vertices[0]);
    extent.move = move(vertices[0]);
    if constexpr (N == 1) return extent;
    for (std::size_t k = 1; k < N; ++k) {
        const Vec3 here = x.segment<3>(3 * vertices[k]);
        extent.lower = extent.lower.cwiseMin(here);
        extent.upper = extent.upper.cwiseMax(here);
        extent.move += move(vertices[k]);
    }
    extent.move /= static_cast<double>(N);
    for (const Index v : vertices) extent.spread = std::max(extent.spread, (move(v) - extent.move).squaredNorm());
    extent.spread = std::sqrt(extent.spread);
    return extent;
}

}  // namespace

void PrimitiveExtents::measure(const VecX& x, const VecX& prediction) {
    points_.resize(static_cast<std::size_t>(x.size() / 3));
    edges_.resize(surface_.edges.size());
    triangles_.resize(surface_.triangles.size());
    constexpr std::size_t grain = 512;
    parallel_for(
        surface_.vertices.size(),
        [&](std::size_t i) {
            const Index v = surface_.vertices[i];
            points_[at(v)] = extent_of(std::array<Index, 1>{v}, x, prediction);
        },
        grain);
    parallel_for(
        edges_.size(), [&](std::size_t i) { edges_[i] = extent_of(surface_.edges[i], x, prediction); }, grain);
    parallel_for(
        triangles_.size(), [&](std::size_t i) { triangles_[i] = extent_of(surface_.triangles[i], x, prediction); },
        grain);
}

}  // namespace stiction::local_global
