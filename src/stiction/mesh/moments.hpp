// Volume, centroid and second moments of solids: what mass properties are made of.
#pragma once

#include "stiction/mesh/mesh.hpp"

namespace stiction {

/// Integrals over a solid of unit density.
struct VolumeMoments {
    double volume = 0.0;           ///< m^3; negative where it is inside out
    Vec3 centroid = Vec3::Zero();  ///< m; NaN without volume
    Mat3 second = Mat3::Zero();    ///< integral of (X - centroid)(X - centroid)^T over the volume (m^5)
};

/// Of the union of tets, inverted ones counting negative. @param vertices m
VolumeMoments moments_of_tets(const std::vector<Vec3>& vertices, const std::vector<Tet>& tets);

/// Of the tets of a mesh, curved ones where it has mid nodes.
VolumeMoments moments_of_tets(const Mesh& mesh);

/// Of what closed triangles that face outwards enclose, by the divergence theorem: the sum over the tets that each
/// triangle makes with one common point. Means nothing for a surface that is not closed (first_edge_defect of
/// mesh/components.hpp tells).
VolumeMoments moments_of_surface(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

}  // namespace stiction
