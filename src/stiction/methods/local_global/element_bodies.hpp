// The local step of one element, on a CPU or a GPU.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/membrane_stretches.hpp"

#include <cstddef>

namespace stiction::local_global {

/// Elements of one law, as TetArrays and TriangleArrays, by pointers.
struct ElementsView {
    std::size_t count = 0;
    const Index* corner = nullptr;
    const double* rest_inverse = nullptr;
    const double* volume = nullptr;
    const double* mu = nullptr;
    const double* lambda = nullptr;

    ElementsView() = default;
    template <class Block>
    explicit ElementsView(const Block& block)
        : count(block.count),
          corner(block.corner.data()),
          rest_inverse(block.rest_inverse.data()),
          volume(block.volume.data()),
          mu(block.mu.data()),
          lambda(block.lambda.data()) {}
};

STICTION_HD inline Vec3 position(const double* x, Index vertex) {
    return Eigen::Map<const Vec3>(x + 3 * static_cast<std::size_t>(vertex));
}

/// Edges from corner 0, by columns.
template <int Dimension>
STICTION_HD Eigen::Matrix<double, 3, Dimension> edges(const ElementsView& elements, std::size_t e, const double* x) {
    const Vec3 origin = position(x, elements.corner[e]);
    Eigen::Matrix<double, 3, Dimension> result;
    for (int a = 0; a < Dimension; ++a) {
        const std::size_t corner = (static_cast<std::size_t>(a) + 1) * elements.count + e;
        result.col(a) = position(x, elements.corner[corner]) - origin;
    }
    return result;
}

template <int Dimension>
STICTION_HD Eigen::Matrix<double, Dimension, Dimension> rest_inverse(const ElementsView& elements, std::size_t e) {
    Eigen::Matrix<double, Dimension, Dimension> result;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Dimension * Dimension); ++k)
        result.data()[k] = elements.rest_inverse[k * elements.count + e];
    return result;
}

/// Stores volume P Dm^-T as forces on the corners 1, 2, ...; corner 0 balances them.
template <int Dimension>
STICTION_HD void store_forces(const ElementsView& elements, std::size_t e, const Eigen::Matrix<double, 3, Dimension>& P,
                              const Eigen::Matrix<double, Dimension, Dimension>& inverse, double* force) {
    const Eigen::Matrix<double, 3, Dimension> corners = elements.volume[e] * P * inverse.transpose();
    Eigen::Map<Vec3>(force + 3 * e) = -corners.rowwise().sum();
    for (int a = 0; a < Dimension; ++a)
        Eigen::Map<Vec3>(force + 3 * ((static_cast<std::size_t>(a) + 1) * elements.count + e)) = corners.col(a);
}

template <class Law>
STICTION_HD double energy_and_stress(const Law& law, const Mat3& F, Mat3& P) {
    if constexpr (Law::has_direct_path) {
        P = law.stress(F);
        return law.energy(F);
    } else {
        const SignedSvd svd = signed_svd(F);
        P = svd.U * law.gradient(svd.s).asDiagonal() * svd.V.transpose();
        return law.value(svd.s);
    }
}

/// Energy V psi(F) of a tet (J), and its gradient in the corners (N): the output of local_step().
template <class Law>
STICTION_HD void tet_step(const ElementsView& tets, const Law& law, std::size_t e, const double* x, double* energy,
                          double* force) {
    const Mat3 inverse = rest_inverse<3>(tets, e);
    const Mat3 F = edges<3>(tets, e, x) * inverse;
    Mat3 P;
    energy[e] = tets.volume[e] * energy_and_stress(law, F, P);
    store_forces<3>(tets, e, P, inverse, force);
}

/// The same for a triangle of a sheet.
template <class Law>
STICTION_HD void triangle_step(const ElementsView& triangles, const Law& law, std::size_t e, const double* x,
                               double* energy, double* force) {
    const Mat2 inverse = rest_inverse<2>(triangles, e);
    const Mat32 F = edges<2>(triangles, e, x) * inverse;
    const SheetSvd svd = sheet_svd(F);
    energy[e] = triangles.volume[e] * law.value(svd.s);
    const Mat32 P = svd.U.leftCols<2>() * law.gradient(svd.s).asDiagonal() * svd.V.transpose();
    store_forces<2>(triangles, e, P, inverse, force);
}

}  // namespace stiction::local_global
