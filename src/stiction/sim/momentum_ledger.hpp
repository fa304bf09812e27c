// Momentum of bodies that no force accounts for.
#pragma once

#include "stiction/dynamics/method.hpp"

#include <string>
#include <vector>

namespace stiction {

/// Adds up, body by body over the steps of a run, what changed the momentum of deformable and rigid bodies beside
/// loads, contact, friction and damping by mass. Forces inside a body cancel in both sums, whatever they are: a
/// remainder is a fault of the method, or an equation that it did not solve. Angular momentum is left out where the
/// method does not balance forces (Method::balances_forces). A body is left out in steps that drive one of its
/// vertices. Of an integrator with two stages the last one is looked at. The sums are carried by the state, so that a
/// run that goes on from a checkpoint finds them.
class MomentumLedger {
public:
    MomentumLedger(const World& world, const Method& method);

    /// Takes the sums that the state carries; zeros where it has none.
    void load(const State& state);
    /// A step, or a piece of one, was accepted.
    void add(const World& world, const State& before, const StepInput& input, const StepResult& result);
    /// The state carries the sums from now on.
    void store(State& state) const;
    /// The body that is worst by now.
    MomentumLoss worst() const;

private:
    /// Of one body, plain numbers: what the state carries are their bytes.
    struct Account {
        double lost[3] = {0.0, 0.0, 0.0};          ///< N s
        double lost_angular[3] = {0.0, 0.0, 0.0};  ///< N m s, each step about the centre of mass
        double scale = 0.0;                        ///< sizes of all impulses so far, and the largest momentum (N s)
        double angular_scale = 0.0;                ///< largest angular momentum about the centre of mass (N m s)
    };
    struct FreeBody {
        Index body, first_vertex, end_vertex;
        double radius;     ///< m
        double unnoticed;  ///< momentum of rounding at rest (kg m/s): nothing is held against less
    };

    VecX inertia(const World& world, const State& before, const StepInput& input, const State& after) const;
    VecX known_forces(const StepInput& input, const StepResult& result) const;

    Integrator integrator_;
    bool judges_angular_;  ///< Method::balances_forces
    VecX damping_;         ///< of masses (kg/s), one entry a vertex; empty: none
    std::vector<FreeBody> bodies_;
    std::vector<Account> accounts_;
};

}  // namespace stiction
