// Options of the method `local_global`.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/contact/contact_solver.hpp"

#include <array>
#include <string>
#include <vector>

namespace stiction::local_global {

/// How a global step solves the global system.
enum class GlobalStep {
    complete,   ///< exactly, with the factors of A
    lbfgs,      ///< by L-BFGS with A as initial matrix (Liu, Bouaziz and Kavan 2017)
    jacobi,     ///< by one damped Jacobi iteration: an "incomplete" step, for comparison
    chebyshev,  ///< the same with Chebyshev acceleration (Wang 2015)
};
/// Names in scenes, in the order of the enumerators.
const std::vector<std::string>& global_step_names();
/// Whether a global step is one Jacobi iteration, which does not answer to the forces of contacts.
inline bool is_incomplete(GlobalStep step) {
    return step == GlobalStep::jacobi || step == GlobalStep::chebyshev;
}

/// Names in scenes of the options of the contact solver, in the order of the enumerators.
const std::vector<std::string>& ncp_function_names();
const std::vector<std::string>& complementarity_scale_names();
const std::vector<std::string>& friction_linearisation_names();
const std::vector<std::string>& indicator_use_names();
const std::vector<std::string>& delassus_kind_names();

/// What the iterations of a step run on.
enum class DeviceKind {
    cpu,
    cuda,       ///< a GPU; needs a build with CUDA
    automatic,  ///< a GPU where there is one that can run the scene, else the CPU
    emulated,   ///< the algorithm for a GPU, on the CPU, for comparison
};
/// Names in scenes, in the order of the enumerators.
const std::vector<std::string>& device_names();

/// Attaches the vertices of a body that are inside a ball at t = 0 to another body or to their places.
struct Attachment {
    std::string body;
    std::string to;  ///< body whose nearest tet, or plane of the nearest triangle, carries the vertex; empty:
                     ///< each vertex stays at its place
    Vec3 centre = Vec3::Zero();  ///< m, at t = 0
    double radius = 0.0;         ///< m
    double compliance = 0.0;     ///< m/N, of each vertex; 0: a hard constraint
};

/// A string through points of a body. It bounds its length from above; the bound may change over time.
struct Cable {
    std::string body;
    std::vector<Vec3> points;  ///< m, at t = 0, along the string, at least two; they move with the body
    /// Largest length over time: (s, fraction of the length at t = 0), rising times, linear between, constant outside;
    /// empty: 1.
    std::vector<std::array<double, 2>> length;
    double compliance = 0.0;  ///< m/N
};

/// Options of the method `local_global`, key by key as in scenes.
struct Options {
    /// Largest number of local-global iterations in a time step.
    int iterations = 5;
    /// Iterations end when the change of positions over h falls below this speed (m/s); 0: never before `iterations`.
    double tolerance = 0.0;
    GlobalStep global_step = GlobalStep::complete;
    /// jacobi and chebyshev: factor on the relaxation that converges if no element is stiffer than at rest.
    double jacobi_relaxation = 1.0;
    /// Pairs that L-BFGS keeps.
    int history = 5;
    /// Volume ratio below which barrier laws are extrapolated (materials/extrapolated.hpp), for materials that give
    /// none.
    double extrapolate_below = 0.05;
    /// Distance that touching surfaces keep, beside their contact thickness (m); 0 means thickness_relative * l. A pair
    /// of bodies has the l of its smaller one; what is given holds for all (ContactLengths).
    double thickness = 0.0;
    double thickness_relative = 1e-3;
    /// Sliding speed at the start of a step from which the kinetic coefficient of friction holds in it, where it
    /// differs from the static one (m/s); 0: kinetic_velocity_relative * l per second.
    double kinetic_velocity = 0.0;
    double kinetic_velocity_relative = 1e-2;  ///< fraction of l per second
    /// Time after which no further iteration begins (ms); 0: no limit. With a limit, results depend on the machine.
    double budget_ms = 0.0;
    /// Ends each step where its straight move is no longer proven free of intersections and inversions.
    bool certify = false;
    /// How A^-1 is applied: by triangular solves, or by the sparse inverse of the factor.
    OperatorKind factors = OperatorKind::automatic;
    /// Folder that keeps factored matrices from run to run (operator_cache.hpp); empty: none.
    std::string cache;
    /// What the iterations run on. Collision detection runs on the CPU.
    DeviceKind device = DeviceKind::cpu;
    std::vector<Attachment> attachments;
    std::vector<Cable> cables;
    /// Options of the contact solver, which runs once in each iteration.
    ContactSolverOptions contact;
};

/// Distance that touching surfaces keep (m).
/// @param length  l: of the largest pair of bodies World::length (m)
double contact_thickness(const Options& options, double length);
/// Sliding speed from which the kinetic coefficient holds (m/s).
/// @param length  as above
double kinetic_velocity(const Options& options, double length);

}  // namespace stiction::local_global
