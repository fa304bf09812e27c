// What one step reports: plain data, no I/O.
#pragma once

#include "stiction/base/timer.hpp"
#include "stiction/report/status.hpp"

#include <Eigen/Core>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// One nonlinear iteration.
struct IterationTrace {
    double objective = 0.0;    ///< value of the method's objective or merit function
    double residual = 0.0;     ///< the method's stopping measure, in StepReport::residual_unit
    double step_length = 0.0;  ///< multiple of the search direction that was taken; above 1 only where it is too short
    double step_bound = 1.0;   ///< largest multiple to be searched: asked for, and free of collision and inversion
    double stiffness = 0.0;    ///< barrier stiffness, where the method has one
    int contacts = 0;          ///< active contact pairs
    int line_search = 0;       ///< trial evaluations
};

/// How well a step that solves a complementarity problem solved it, and what that took. Errors are those of Verschoor
/// and Jalba (2019), section 6.3.
struct ComplementarityReport {
    int rows = 0;         ///< contacts looked at, open ones too
    int constraints = 0;  ///< active rows: one along the normal of each closed contact, and two tangents where it rubs
    int sticking = 0, sliding = 0;   ///< closed contacts; those without friction slide
    int solves = 0;                  ///< of contact problems, with contacts added or turned between them
    int elastic_linearisations = 0;  ///< times that A and b were made
    int mode_switches = 0;           ///< contacts that opened, closed, stuck or began to slide
    int fallbacks = 0;               ///< solves that constraint anticipation had to help with
    double momentum_error = 0.0;     ///< of the last solve, over its scale
    double normal_error = 0.0;       ///< largest |Fischer-Burmeister function| of scaled force and gap (m)
    double sticking_error = 0.0;  ///< largest slip, or force beyond the cone times compliance, of sticking contacts (m)
    double sliding_error =
        0.0;  ///< largest distance from the cone times compliance, or slip against friction, of sliding contacts (m)
    double momentum_tolerance = 0.0;  ///< eps_1, of momentum_error
    double distance_tolerance = 0.0;  ///< eps_2, of the other errors (m)
    double setup_seconds = 0.0;       ///< of the Delassus operator, where a solver makes it
};

/// Who gave energy to the bodies in a step, and who took it (J). Forces are those at the end of the step, or of each
/// piece of it, times its whole move.
struct EnergyBalance {
    double loads = 0.0;  ///< gravity, body forces, point loads, a program's forces, what changed over-pressures put in;
                         ///< attachments and cables of `local_global`
    double driven = 0.0;    ///< what moves driven vertices and obstacles
    double friction = 0.0;  ///< friction forces; negative: dissipated
    double damping = 0.0;   ///< Rayleigh damping; never positive
    /// Change of kinetic + elastic energy minus loads minus driven. Friction, damping and dissipative integrators make
    /// it negative. Contact takes what it stores and gives it back. What is left is energy that nobody put in.
    double gain = 0.0;

    EnergyBalance& operator+=(const EnergyBalance& other) {
        loads += other.loads;
        driven += other.driven;
        friction += other.friction;
        damping += other.damping;
        gain += other.gain;
        return *this;
    }
};

/// How far a step is from the conditions of contact, where the method takes steps that miss them. Of pieces of a step
/// the worst.
struct ContactOutcome {
    double residual = 0.0;              ///< largest error of a gap, of a force times its compliance, or of a slip (m)
    double clamped = 0.0;               ///< part of the normal forces, in sum, whose friction is at its limit
    int overlaps = 0;                   ///< contacts whose features are behind each other at the end
    double deepest = 0.0;               ///< of these, the deepest (m)
    std::array<int, 2> bodies{-1, -1};  ///< of the deepest; -1: none
};

/// Momentum of a body that changed though no load, contact, friction or damping did it, summed over the run so far: of
/// all bodies the worst. Bodies that are driven are left out.
struct MomentumLoss {
    double linear = 0.0;    ///< over the sum of the sizes of all impulses
    double angular = 0.0;   ///< over the largest angular momentum about the centre of mass
    int body = -1;          ///< of the linear part; -1: none
    int angular_body = -1;  ///< of the angular part
};

/// How far elements are from their rest shapes: of all of them the worst. The quality of an element is its volume over
/// that at rest, or the inverse where that is smaller.
/// Of a triangle the area stands for the volume, of a rod's edge the length.
/// At rest the quality is 1; of a tet that is inside out it is negative.
struct ElementQuality {
    double value = 1.0;
    int body = -1;     ///< -1: no element is worse than at rest
    int element = -1;  ///< number among the tets, triangles or edges of the body's mesh
};

/// Contact forces against what may cause them: of all bodies the one with most.
struct ContactLoad {
    double share = 0.0;  ///< sum of the sizes of the contact forces on the body's free vertices, over the sum of the
                         ///< sizes of all loads, inertia and inner forces of the world
    int body = -1;       ///< -1: no body has contact forces
};

/// How far the first step of a run moves a body that is at rest before: of all such bodies the one that is moved
/// furthest against what explains it.
struct FirstMove {
    double distance = 0.0;   ///< m
    double explained = 0.0;  ///< by loads, inner forces, moving bodies and driven vertices, and a hundred-thousandth of
                             ///< the body's size, which nobody would notice (m)
    int body = -1;           ///< -1: none
    double share() const { return explained > 0.0 ? distance / explained : 0.0; }
};

/// Everything a finished step says about itself. Energies in joules, momentum in kg m/s.
struct StepReport {
    Status status = Status::converged;
    std::string cause;               ///< for anything but `converged`: which body, pair or limit
    std::vector<std::string> notes;  ///< fallbacks taken on the way; counted in report.json
    double h = 0.0;                  ///< step size (s)
    int substeps = 1;
    int iterations = 0;
    int linear_solves = 0;
    std::string linear_solver;  ///< of the method's own choice between several: the one taken; empty where there was
                                ///< nothing to choose or to solve
    int line_search = 0;
    long ccd_queries = 0;
    int contacts = 0;      ///< active pairs at the end of the step
    double min_gap = 0.0;  ///< smallest distance among the pairs looked at (m); infinity if none is near
    double residual = 0.0;
    std::string residual_unit;  ///< e.g. "m/s"
    ContactOutcome contact;     ///< of `local_global`
    double kinetic = 0.0;
    double elastic = 0.0;
    double gravity = 0.0;         ///< potential of gravity, zero at the origin
    double contact_energy = 0.0;  ///< that contacts store at the end of the step: barrier or penalty; of the other
                                  ///< methods 0
    int damped = 0;               ///< pieces that were made again with SDIRK2, since they gained energy
    EnergyBalance balance;
    MomentumLoss momentum_loss;
    ElementQuality quality;    ///< at the end of the step
    ContactLoad contact_load;  ///< of pieces of a step the worst; none of a method with joints
    FirstMove first_move;      ///< of the first step of a run
    Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
    double milliseconds = 0.0;
    std::map<std::string, double> phases_ms;
    std::vector<IterationTrace> trace;
    std::optional<ComplementarityReport>
        complementarity;  ///< of methods that solve such a problem; of pieces of a step the counts add up, errors are
                          ///< the worst and the rest is that of the last

    /// As new, with the memory that lists have; names of phases stay, at 0 ms.
    void clear() {
        StepReport fresh;
        fresh.cause.swap(cause);
        fresh.notes.swap(notes);
        fresh.linear_solver.swap(linear_solver);
        fresh.residual_unit.swap(residual_unit);
        fresh.phases_ms.swap(phases_ms);
        fresh.trace.swap(trace);
        for (std::string* text : {&fresh.cause, &fresh.linear_solver, &fresh.residual_unit}) text->clear();
        fresh.notes.clear();
        for (auto& [phase, ms] : fresh.phases_ms) ms = 0.0;
        fresh.trace.clear();
        *this = std::move(fresh);
    }
};

}  // namespace stiction
