// The interface of a time-stepping method.
#pragma once

#include "stiction/dynamics/stage.hpp"

#include <string_view>

namespace stiction {

/// A time-stepping method. Keeps scratch memory and factorisations between steps, but nothing that a result depends on:
/// everything of that kind is rebuilt from the State at the start of a step.
class Method {
public:
    virtual ~Method() = default;
    virtual std::string_view name() const = 0;
    /// Distance (m) beyond which contact exerts no force in this world; what an audit holds forces against.
    virtual double contact_distance(const World& world) const = 0;
    /// How far a straight move may be from the arc of what turns (m), where bodies of this contact length and larger
    /// ones are near: a step whose motions turn further is made in pieces by the Simulator.
    virtual double arc_sagitta(const World& world, double length) const {
        return 0.5 * contact_distance(world) * (length / world.length);
    }
    /// Whether accepted states are free of intersections; if not, audits report them and call them no fault.
    virtual bool promises_separation() const { return true; }
    /// Whether rigid bodies keep their shape by constraints; if not, by the forces of their rigidity, as stiff affine
    /// bodies (World::elastic, frames).
    virtual bool exactly_rigid() const { return false; }
    /// The rule that its steps follow.
    virtual Integrator integrator() const { return Integrator::backward_euler; }
    /// Whether a step ends with forces, as they are at its end, in balance; if not, its forces are linearised or
    /// projected, and what they leave of the balance and of angular momentum is no fault of the step.
    virtual bool balances_forces() const { return true; }
    /// Whether it joins bodies to each other or to places, by forces that no result lists.
    virtual bool has_joints() const { return false; }
    /// Whether the integrator can make this step gain energy, and makes another one where StepInput::damped is set.
    virtual bool may_gain_energy(const State& /*state*/, const StepInput& /*input*/) const { return false; }
    /// Throws InputError, without a file, for a world that the method cannot simulate.
    virtual void check(const World& /*world*/) const {}
    /// One step of size input.h from `state`. Never throws for a failed solve: result.report.status names what
    /// happened.
    virtual void step(const World& world, const State& state, const StepInput& input, StepResult& result) = 0;
};

}  // namespace stiction
