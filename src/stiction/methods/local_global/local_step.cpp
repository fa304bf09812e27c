#include "stiction/methods/local_global/local_step.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/materials/extrapolated.hpp"

namespace stiction {
namespace {

using ConstVec3 = Eigen::Map<const Vec3>;

Mat3 deformation(const TetArrays& tets, std::size_t e, const double* x) {
    const std::size_t n = tets.count;
    const ConstVec3 origin(x + 3 * tets.corner[e]);
    Mat3 edges, rest_inverse;
    for (int a = 0; a < 3; ++a) edges.col(a) = ConstVec3(x + 3 * tets.corner[(static_cast<std::size_t>(a) + 1) * n + e]) - origin;
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

}  // namespace

void local_step(const TetArrays& tets, const double* x, double* energy, double* force) {
    const std::size_t n = tets.count;
    visit_law(tets.law, tets.extrapolate_below, [&](const auto& make) {
        parallel_for(n, [&](std::size_t e) {
            Mat3 P, rest_inverse;
            energy[e] = tets.volume[e] * energy_and_stress(make({tets.mu[e], tets.lambda[e]}), deformation(tets, e, x), P);
            for (std::size_t k = 0; k < 9; ++k) rest_inverse.data()[k] = tets.rest_inverse[k * n + e];
            const Mat3 corners = tets.volume[e] * P * rest_inverse.transpose();
            Eigen::Map<Vec3>(force + 3 * e) = -corners.rowwise().sum();
            for (int a = 0; a < 3; ++a) Eigen::Map<Vec3>(force + 3 * ((static_cast<std::size_t>(a) + 1) * n + e)) = corners.col(a);
        });
    });
}

void local_step(const TriangleArrays& triangles, const double* x, double* energy, double* force) {
    const std::size_t n = triangles.count;
    visit_membrane_law(triangles.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        parallel_for(n, [&](std::size_t e) {
            const ConstVec3 origin(x + 3 * triangles.corner[e]);
            Mat32 edges;
            Mat2 rest_inverse;
            for (int a = 0; a < 2; ++a) edges.col(a) = ConstVec3(x + 3 * triangles.corner[(static_cast<std::size_t>(a) + 1) * n + e]) - origin;
            for (std::size_t k = 0; k < 4; ++k) rest_inverse.data()[k] = triangles.rest_inverse[k * n + e];
            const SheetSvd svd = sheet_svd(edges * rest_inverse);
            const Law law = Law::from_lame({triangles.mu[e], triangles.lambda[e]});
            energy[e] = triangles.volume[e] * law.value(svd.s);
            const Mat32 P = svd.U.leftCols<2>() * law.gradient(svd.s).asDiagonal() * svd.V.transpose();
            const Mat32 corners = triangles.volume[e] * P * rest_inverse.transpose();
            Eigen::Map<Vec3>(force + 3 * e) = -corners.rowwise().sum();
            for (int a = 0; a < 2; ++a) Eigen::Map<Vec3>(force + 3 * ((static_cast<std::size_t>(a) + 1) * n + e)) = corners.col(a);
        });
    });
}

void gather(const ElementArrays& arrays, const double* force, const Index* vertices, std::size_t count, double scale, double* out) {
    parallel_for(count, [&](std::size_t i) {
        const auto v = static_cast<std::size_t>(vertices[i]);
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = arrays.vertex_begin[v]; k < arrays.vertex_begin[v + 1]; ++k) sum += ConstVec3(force + 3 * arrays.vertex_corner[k]);
        Eigen::Map<Vec3>(out + 3 * i) += scale * sum;
    });
}

std::size_t count_extrapolated(const ElementArrays& arrays, const double* x) {
    std::size_t count = 0;
    for (const TetArrays& block : arrays.tets) {
        if (block.extrapolate_below == 0.0) continue;
        for (std::size_t e = 0; e < block.count; ++e) count += deformation(block, e, x).determinant() < block.extrapolate_below ? 1 : 0;
    }
    return count;
}

}  // namespace stiction
