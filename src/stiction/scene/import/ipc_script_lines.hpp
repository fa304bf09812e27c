// What a script of the IPC reference code says, word by word: no meshes, no scene yet. Part of import_ipc_script.
#pragma once

#include "stiction/base/types.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace stiction::scene {

/// Vertices that are driven (DBC) in a box; see IpcShape::driven.
struct IpcDrivenBox {
    Vec3 min = Vec3::Zero(), max = Vec3::Ones();  ///< fractions of the bounding box of the mesh file
    Vec3 velocity = Vec3::Zero();                 ///< m/s
    Vec3 spin = Vec3::Zero();                     ///< degrees/s about x, y, z
    double begin = 0.0, end = std::numeric_limits<double>::infinity();  ///< s
};

/// Vertices that are accelerated (NBC) in a box.
struct IpcLoadedBox {
    Vec3 min = Vec3::Zero(), max = Vec3::Ones();  ///< fractions of the bounding box of the mesh file
    Vec3 acceleration = Vec3::Zero();             ///< m/s^2
    double begin = 0.0, end = std::numeric_limits<double>::infinity();  ///< s
};

struct IpcMaterial {
    double density = 1000.0;      ///< kg/m^3
    double youngs_modulus = 1e5;  ///< Pa
    double poissons_ratio = 0.4;
    int line = 0;         ///< that gives the moduli; 0: the defaults
    std::string keyword;  ///< of that line
};

/// One shape: x -> Rx Ry Rz (scale * x) + translation.
struct IpcShape {
    int line = 0;    ///< where it stands in the script
    int copies = 1;  ///< of the `shapeMatrix` that it belongs to
    std::string file;
    Vec3 translation = Vec3::Zero(), rotation = Vec3::Zero(), scale = Vec3::Ones();  ///< m, degrees, 1
    std::optional<IpcMaterial> material;
    std::optional<Vec3> linear_velocity, angular_velocity;  ///< m/s, degrees/s: a shape with one is kinematic
    std::optional<Vec3> initial_velocity, initial_spin;     ///< m/s, degrees/s; both or none
    std::vector<IpcDrivenBox> driven;
    std::vector<IpcLoadedBox> loaded;
    std::optional<std::string> sequence;  ///< folder of mesh frames
};

/// A fixed mesh obstacle: the mean of its vertices is moved to `position`, its largest extent made `size`.
struct IpcMeshObstacle {
    int line = 0;
    std::string file;
    Vec3 position = Vec3::Zero(), rotation = Vec3::Zero();  ///< m, degrees
    double size = 1.0;                                      ///< m
};

struct IpcHalfSpace {
    Vec3 point = Vec3::Zero(), normal = Vec3::UnitY();
    double friction = 0.0;
};

/// A turn of the start against the rest shape.
struct IpcModelTurn {
    Vec3 axis = Vec3::UnitX();  ///< unit length
    double angle = 0.0;         ///< degrees
};

/// A whole script, with the defaults of the reference code. Lengths in metres, times in seconds.
struct IpcScript {
    std::string law = "neo_hookean";
    bool newmark = false;
    double duration = 5.0, step = 0.025;
    IpcMaterial material;
    bool gravity = true;
    double damping_stiffness = 0.0;  ///< s^3
    std::optional<double> damping_ratio;
    double size = -1.0;  ///< largest extent of all shapes; <= 0: as they are
    std::optional<IpcModelTurn> turn;
    std::optional<std::string> restart;  ///< status file of the reference code
    int restart_line = 0;
    std::vector<IpcShape> shapes;
    std::vector<IpcMeshObstacle> mesh_obstacles;
    std::vector<IpcHalfSpace> half_spaces;
    bool self_collision = true;
    double self_friction = 0.0;
    std::string solver = "interiorPoint";  ///< that the script asks for
    std::string animation = "null";
    int animation_line = 0;
    std::string animation_folder;  ///< of meshSeqFromFile
    std::vector<double> animation_values;
    double handle_ratio = 0.01;
    double driven_begin = 0.0, driven_end = std::numeric_limits<double>::infinity();
    double loaded_begin = 0.0, loaded_end = std::numeric_limits<double>::infinity();
    /// kappa, dHat at the start, dHat, eps of the stiffness rule, epsv at the start, epsv; may be shorter or longer.
    std::vector<double> tuning{0.0, 1e-3, 1e-3, 1e-9, 1e-3, 1e-3};
    bool absolute = false;  ///< dHat, epsv and tol are in m, m/s and m, not fractions of the diagonal
    double kappa_min_multiplier = 1e11;
    int friction_iterations = 1;
    std::vector<double> tolerances{1e-2};  ///< fractions of the diagonal a second
    std::vector<std::string> without_effect;
    std::vector<std::string> notes;  ///< what is done otherwise here

    /// Notes a keyword that has no effect here, once.
    void no_effect(const std::string& keyword);
    double tuning_or(std::size_t index, double standard) const {
        return index < tuning.size() ? tuning[index] : standard;
    }
};

/// Reads a script. @param file  for messages
/// @throws InputError naming file, line, keyword, value and what was expected
IpcScript read_ipc_script(const std::string& text, const std::string& file);

}  // namespace stiction::scene
