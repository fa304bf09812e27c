#include "stiction/methods/local_global/local_step.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/materials/extrapolated.hpp"
#include "stiction/methods/local_global/element_bodies.hpp"
#include "stiction/methods/local_global/pack_kernels.hpp"

#include <cmath>

namespace stiction::local_global {
namespace {

using ConstVec3 = Eigen::Map<const Vec3>;

/// Runs block(begin, end) over blocks of fixed size, then alone(e) for every element that block() left with energy NaN.
template <class Block, class Alone>
void in_blocks(std::size_t count, const double* energy, const Block& block, const Alone& alone) {
    constexpr std::size_t block_size = 256;
    const auto run = [&](std::size_t b) {
        const std::size_t begin = b * block_size, end = std::min(count, begin + block_size);
        block(begin, end);
        for (std::size_t e = begin; e < end; ++e) {
            if (std::isnan(energy[e])) alone(e);
        }
    };
    parallel_for((count + block_size - 1) / block_size, run, 1);
}

}  // namespace

void local_step(const TetArrays& tets, const double* x, double* energy, double* force) {
    const ElementsView view(tets);
    visit_law(tets.law, tets.extrapolate_below, [&](const auto& make) {
        const auto alone = [&](std::size_t e) {
            tet_step(view, make({tets.mu[e], tets.lambda[e]}), e, x, energy, force);
        };
        if (tets.law == MaterialLaw::linear || tets.law == MaterialLaw::sum) return parallel_for(tets.count, alone);
        const auto kernel = [&](std::size_t begin, std::size_t end) {
            switch (tets.law) {
                case MaterialLaw::neo_hookean: return neo_hookean_tets(tets, begin, end, x, energy, force);
                case MaterialLaw::stable_neo_hookean:
                    return stable_neo_hookean_tets(tets, begin, end, x, energy, force);
                case MaterialLaw::saint_venant_kirchhoff:
                    return saint_venant_kirchhoff_tets(tets, begin, end, x, energy, force);
                default:
                    return corotated_tets(tets, tets.law == MaterialLaw::fixed_corotated, begin, end, x, energy, force);
            }
        };
        in_blocks(tets.count, energy, kernel, alone);
    });
}

void local_step(const TriangleArrays& triangles, const double* x, double* energy, double* force) {
    const ElementsView view(triangles);
    visit_membrane_law(triangles.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        const auto alone = [&](std::size_t e) {
            triangle_step(view, Law::from_lame({triangles.mu[e], triangles.lambda[e]}), e, x, energy, force);
        };
        const auto kernel = [&](std::size_t begin, std::size_t end) {
            if (triangles.law == MembraneLaw::neo_hookean)
                return neo_hookean_triangles(triangles, begin, end, x, energy, force);
            if (triangles.law == MembraneLaw::saint_venant_kirchhoff)
                return saint_venant_kirchhoff_triangles(triangles, begin, end, x, energy, force);
            corotated_triangles(triangles, triangles.law == MembraneLaw::fixed_corotated, begin, end, x, energy, force);
        };
        in_blocks(triangles.count, energy, kernel, alone);
    });
}

void gather(const ElementArrays& arrays, const double* force, const Index* vertices, std::size_t count, double scale,
            double* out) {
    parallel_for(count, [&](std::size_t i) {
        const auto v = static_cast<std::size_t>(vertices[i]);
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = arrays.vertex_begin[v]; k < arrays.vertex_begin[v + 1]; ++k)
            sum += ConstVec3(force + 3 * arrays.vertex_corner[k]);
        Eigen::Map<Vec3>(out + 3 * i) += scale * sum;
    });
}

std::size_t count_extrapolated(const ElementArrays& arrays, const double* x) {
    std::size_t count = 0;
    for (const TetArrays& block : arrays.tets) {
        if (block.extrapolate_below == 0.0) continue;
        const ElementsView view(block);
        for (std::size_t e = 0; e < block.count; ++e) {
            const Mat3 F = edges<3>(view, e, x) * rest_inverse<3>(view, e);
            count += F.determinant() < block.extrapolate_below ? 1 : 0;
        }
    }
    return count;
}

}  // namespace stiction::local_global
