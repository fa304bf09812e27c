// Volumes of tets of second order whose edges are curved.
#pragma once

#include "stiction/mesh/second_order.hpp"

namespace stiction {

/// Positions of the nodes of a Tet10 (m).
using TetNodes = std::array<Vec3, 10>;

/// Those of tet t. The mesh must have mid nodes.
TetNodes tet_nodes(const Mesh& mesh, std::size_t t);

/// The integral of det J over a tet of second order, exact but for rounding: m^3, negative where it is inside out.
double curved_volume(const TetNodes& nodes);

/// Integrals of 1, X and X X^T over a tet of second order, exact but for rounding.
struct CurvedIntegrals {
    double volume = 0.0;         ///< m^3
    Vec3 first = Vec3::Zero();   ///< m^4
    Mat3 second = Mat3::Zero();  ///< m^5
};
CurvedIntegrals curved_integrals(const TetNodes& nodes);

/// Sum over the tets, straight or curved: m^3, inverted ones counting negative.
double tets_volume(const Mesh& mesh);

/// Volume in m^3 that closed triangles of second order enclose, which face outwards; negative when they face inwards.
double enclosed_volume(const std::vector<Vec3>& vertices, const std::vector<Triangle6>& triangles);

}  // namespace stiction
