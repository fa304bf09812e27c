// The `geometry` of PolyFEM scenes -> bodies and obstacles, with the ids that their parts have.
#pragma once

#include "stiction/scene/import/polyfem_value.hpp"

#include <limits>
#include <map>
#include <set>

namespace stiction::scene {

struct PolyfemBody {
    BodySpec spec;                                       ///< name, mesh and transform; the rest comes later
    std::string path;                                    ///< "geometry[2]"
    std::set<int> volume_ids;                            ///< of its tets
    std::map<int, std::vector<Index>> surface_vertices;  ///< surface id -> vertices of its faces, ids of the mesh file
    std::vector<Index> boundary_vertices;                ///< of all outer faces, ids of the mesh file
};

struct PolyfemObstacle {
    ObstacleSpec spec;
    std::string path;
    std::optional<int> surface_id;  ///< the boundary conditions with this id move it
};

struct PolyfemGeometry {
    std::vector<PolyfemBody> bodies;
    std::vector<PolyfemObstacle> obstacles;
    /// Of boundaries of bodies, or of the collision mesh in their place, and of obstacles (m).
    double shortest_body_edge = std::numeric_limits<double>::infinity();
    double shortest_obstacle_edge = std::numeric_limits<double>::infinity();
};

/// Reads the key `geometry` and the meshes that it names (they are needed to know which faces a selection holds).
/// @throws InputError
PolyfemGeometry read_polyfem_geometry(ImportObject& document, const PolyfemContext& context);

/// Reads the key `transformation` of a geometry object: scale or dimensions, then rotation, then translation.
/// @param box   corners of the bounding box of the mesh in the file; nullptr refuses `dimensions`
/// @param unit  metres in one unit of the mesh file
TransformSpec read_polyfem_transformation(ImportObject& geometry, const std::pair<Vec3, Vec3>* box, double unit,
                                          const PolyfemContext& context);

}  // namespace stiction::scene
