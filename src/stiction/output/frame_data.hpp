// What a frame shows: one mesh of everything in the world, with fields on it.
#pragma once

#include "stiction/world/step.hpp"

#include <string>
#include <vector>

namespace stiction {

/// Which fields a frame holds beside positions.
struct FrameFields {
    bool displacement = true;
    bool velocity = true;
    bool contact_force = true;
    bool friction_force = true;
    bool contact_state = true;
    bool body = true;    ///< body and obstacle, on points and cells
    bool stress = true;  ///< stress and von_mises, on cells
};

/// Names that frame_fields understands.
const std::vector<std::string>& frame_field_names();
/// The fields of these names and no others. Throws InputError for an unknown name, with the nearest valid one.
FrameFields frame_fields(const std::vector<std::string>& names);

/// Everything a frame shows, independent of any file format.
/// Points 0 .. n - 1 are the world's vertices; after them come four corners for every half-space in world order.
/// Cells: all tets, then triangles (of a solid those of its collision mesh), bare edges and bare points, each group in
/// the order of the bodies. A half-space is drawn as two triangles: a square of side 3 l (l = World::diagonal), centred
/// on the projection of the middle of the scene's initial bounding box onto the plane. Its forces and contact state
/// stand on its origin vertex, zero on the corners.
struct FrameData {
    Mesh mesh;
    std::vector<int> point_body, point_obstacle;
    std::vector<int> contact_state;                                           ///< numbers of ContactState
    std::vector<Vec3> displacement, velocity, contact_force, friction_force;  ///< m, m/s, N, N
    std::vector<int> cell_body, cell_obstacle;
    std::vector<Mat3> stress;  ///< Cauchy (Pa), tension positive; of sheets that of the membrane, of rods that along
                               ///< the edge, both without bending; zero for obstacles and collision meshes
    std::vector<double> von_mises;  ///< Pa
};

/// Collects a frame; lists of fields that are not wanted stay empty.
/// @param result  has forces and contact states of the step that led to `state`; null: zero
FrameData frame_data(const World& world, const State& state, const StepResult* result, const FrameFields& fields);

/// Surfaces of all deformable and rigid bodies as one triangle mesh with only the vertices it uses, in world order.
Mesh deformable_surface(const World& world, const State& state);

/// sqrt(3/2 s:s) with s the deviator of a symmetric stress.
double von_mises_stress(const Mat3& stress);

}  // namespace stiction
