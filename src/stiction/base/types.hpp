// Index and scalar types of the whole project.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace stiction {

/// Index of a vertex, element or body. Signed, so that -1 can mean "none".
using Index = std::int32_t;

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat9 = Eigen::Matrix<double, 9, 9>;
using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Vec30 = Eigen::Matrix<double, 30, 1>;
using Mat30 = Eigen::Matrix<double, 30, 30>;
/// Stacked vector: vertex i owns entries 3 i, 3 i + 1, 3 i + 2.
using VecX = Eigen::VectorXd;

using Edge = std::array<Index, 2>;
using Triangle = std::array<Index, 3>;
using Tet = std::array<Index, 4>;
/// A tet of second order: its four corners, then the nodes on its edges 01, 12, 20, 03, 13, 23 (the order of VTK's type
/// 24, of Abaqus and of PolyFEM; Gmsh exchanges the last two).
using Tet10 = std::array<Index, 10>;

/// An index into a standard container; i >= 0.
constexpr std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
}

}  // namespace stiction
