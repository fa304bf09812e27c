// Options of the method `local_global`.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/contact/contact_solver.hpp"

#include <array>
#include <string>
#include <vector>

namespace stiction::local_global {

/// What is done with the global system in an iteration.
enum class GlobalStep {
    complete,   ///< solved with its factors
    lbfgs,      ///< the same, as the initial matrix of L-BFGS (Liu, Bouaziz and Kavan 2017)
    jacobi,     ///< one damped Jacobi iteration: an "incomplete" step, for comparison
    chebyshev,  ///< the same with Chebyshev's acceleration (Wang 2015)
};
/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& global_step_names();
/// Whether a global step is one Jacobi iteration, which does not answer to the forces of contacts.
inline bool is_incomplete(GlobalStep step) {
    return step == GlobalStep::jacobi || step == GlobalStep::chebyshev;
}

/// Names of scenes of what the contact solver can be told, in the order of the enumerators.
const std::vector<std::string>& ncp_function_names();
const std::vector<std::string>& complementarity_scale_names();
const std::vector<std::string>& friction_linearisation_names();
const std::vector<std::string>& indicator_use_names();
const std::vector<std::string>& delassus_kind_names();

/// Glues the vertices of a body that lie in a ball at t = 0 to another body, or to where they are.
struct Attachment {
    std::string body;
    std::string to;  ///< a body of tets, whose nearest one carries the vertex along, or of triangles, to whose plane it
                     ///< is drawn; empty: the place of each vertex at t = 0
    Vec3 centre = Vec3::Zero();  ///< m, at t = 0
    double radius = 0.0;         ///< m
    double compliance = 0.0;     ///< m/N, of each vertex; 0: rigid
};

/// A string through points of a body, which holds its length against being longer, and is pulled or let out over time.
struct Cable {
    std::string body;
    std::vector<Vec3> points;  ///< m, at t = 0, along the string; at least two. They move with the body
    std::vector<std::array<double, 2>> length;  ///< (time (s), length as a fraction of that at t = 0), rising times,
                                                ///< linear between, constant outside; empty: 1
    double compliance = 0.0;                    ///< m/N
};

struct Options {
    /// Iterations of local and global step in a time step, at most.
    int iterations = 5;
    /// Iterations end when positions change by less than this speed (m/s); 0: never earlier than `iterations`.
    double tolerance = 0.0;
    GlobalStep global_step = GlobalStep::complete;
    /// Of jacobi and chebyshev: times the relaxation that converges where nothing is stiffer than at rest.
    double jacobi_relaxation = 1.0;
    /// Corrections that L-BFGS remembers.
    int history = 5;
    /// Volume ratio below which barrier laws are continued within a step (materials/extrapolated.hpp), where the
    /// material says nothing itself.
    double extrapolate_below = 0.05;
    /// Distance that touching surfaces keep, beside their contact thickness (m); 0 means thickness_relative * l.
    double thickness = 0.0;
    double thickness_relative = 1e-3;
    /// Time after which no further iteration begins (ms); 0: no limit. What comes out depends on the machine then.
    double budget_ms = 0.0;
    /// Ends each step at the last point of its straight way that is free of intersections and inversions.
    bool certify = false;
    /// What is kept of the constant matrix.
    OperatorKind factors = OperatorKind::automatic;
    /// Folder where it is kept from run to run, in files by matrix; empty: nowhere.
    std::string cache;
    std::vector<Attachment> attachments;
    std::vector<Cable> cables;
    /// Of the contact solver, which runs once in each iteration.
    ContactSolverOptions contact;
};

/// Distance that touching surfaces keep in a world of this size (m).
double contact_thickness(const Options& options, double diagonal);

}  // namespace stiction::local_global
