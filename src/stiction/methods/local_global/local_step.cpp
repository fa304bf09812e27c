#include "stiction/methods/local_global/local_step.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/materials/extrapolated.hpp"
#include "stiction/methods/local_global/pack_kernels.hpp"

#include <cmath>

namespace stiction::local_global {
namespace {

using ConstVec3 = Eigen::Map<const Vec3>;

Mat3 deformation(const TetArrays& tets, std::size_t e, const double* x) {
    const std::size_t n = tets.count;
    const ConstVec3 origin(x + 3 * tets.corner[e]);
    Mat3 edges, rest_inverse;
    for (int a = 0; a < 3; ++a)
        edges.col(a) = ConstVec3(x + 3 * tets.corner[(static_cast<std::size_t>(a) + 1) * n + e]) - origin;
    for (std::size_t k = 0; k < 9; ++k) rest_inverse.data()[k] = tets.rest_inverse[k * n + e];
    return edges * rest_inverse;
}

template <class Law>
double energy_and_stress(const Law& law, const Mat3& F, Mat3& P) {
    if constexpr (Law::has_direct_path) {
        P = law.stress(F);
        return law.energy(F);
    } else {
        const SignedSvd svd = signed_svd(F);
        P = svd.U * law.gradient(svd.s).asDiagonal() * svd.V.transpose();
        return law.value(svd.s);
    }
}

template <class Law>
void do_tet(const TetArrays& tets, const Law& law, std::size_t e, const double* x, double* energy, double* force) {
    const std::size_t n = tets.count;
    Mat3 P, rest_inverse;
    energy[e] = tets.volume[e] * energy_and_stress(law, deformation(tets, e, x), P);
    for (std::size_t k = 0; k < 9; ++k) rest_inverse.data()[k] = tets.rest_inverse[k * n + e];
    const Mat3 corners = tets.volume[e] * P * rest_inverse.transpose();
    Eigen::Map<Vec3>(force + 3 * e) = -corners.rowwise().sum();
    for (int a = 0; a < 3; ++a)
        Eigen::Map<Vec3>(force + 3 * ((static_cast<std::size_t>(a) + 1) * n + e)) = corners.col(a);
}

template <class Law>
void do_triangle(const TriangleArrays& triangles, const Law& law, std::size_t e, const double* x, double* energy,
                 double* force) {
    const std::size_t n = triangles.count;
    const ConstVec3 origin(x + 3 * triangles.corner[e]);
    Mat32 edges;
    Mat2 rest_inverse;
    for (int a = 0; a < 2; ++a)
        edges.col(a) = ConstVec3(x + 3 * triangles.corner[(static_cast<std::size_t>(a) + 1) * n + e]) - origin;
    for (std::size_t k = 0; k < 4; ++k) rest_inverse.data()[k] = triangles.rest_inverse[k * n + e];
    const SheetSvd svd = sheet_svd(edges * rest_inverse);
    energy[e] = triangles.volume[e] * law.value(svd.s);
    const Mat32 P = svd.U.leftCols<2>() * law.gradient(svd.s).asDiagonal() * svd.V.transpose();
    const Mat32 corners = triangles.volume[e] * P * rest_inverse.transpose();
    Eigen::Map<Vec3>(force + 3 * e) = -corners.rowwise().sum();
    for (int a = 0; a < 2; ++a)
        Eigen::Map<Vec3>(force + 3 * ((static_cast<std::size_t>(a) + 1) * n + e)) = corners.col(a);
}

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
    visit_law(tets.law, tets.extrapolate_below, [&](const auto& make) {
        const auto alone = [&](std::size_t e) {
            do_tet(tets, make({tets.mu[e], tets.lambda[e]}), e, x, energy, force);
        };
        const bool with_volume = tets.law == MaterialLaw::fixed_corotated;
        if (tets.law != MaterialLaw::arap && tets.law != MaterialLaw::neo_hookean && !with_volume)
            return parallel_for(tets.count, alone);
        const auto kernel = [&](std::size_t begin, std::size_t end) {
            if (tets.law == MaterialLaw::neo_hookean) return neo_hookean_tets(tets, begin, end, x, energy, force);
            corotated_tets(tets, with_volume, begin, end, x, energy, force);
        };
        in_blocks(tets.count, energy, kernel, alone);
    });
}

void local_step(const TriangleArrays& triangles, const double* x, double* energy, double* force) {
    visit_membrane_law(triangles.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        const auto alone = [&](std::size_t e) {
            do_triangle(triangles, Law::from_lame({triangles.mu[e], triangles.lambda[e]}), e, x, energy, force);
        };
        if (triangles.law == MembraneLaw::saint_venant_kirchhoff) return parallel_for(triangles.count, alone);
        const auto kernel = [&](std::size_t begin, std::size_t end) {
            if (triangles.law == MembraneLaw::neo_hookean)
                return neo_hookean_triangles(triangles, begin, end, x, energy, force);
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
        for (std::size_t e = 0; e < block.count; ++e)
            count += deformation(block, e, x).determinant() < block.extrapolate_below ? 1 : 0;
    }
    return count;
}

}  // namespace stiction::local_global
