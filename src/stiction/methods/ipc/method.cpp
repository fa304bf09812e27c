#include "stiction/methods/ipc/method.hpp"

#include "stiction/methods/ipc/solve.hpp"

#include <cstring>

namespace stiction {

IpcLimits resolve_limits(const IpcOptions& options, const World& world) {
    const auto choose = [&](double absolute, double relative) { return absolute > 0.0 ? absolute : relative * world.diagonal; };
    return {choose(options.dhat, options.dhat_relative), choose(options.friction_velocity, options.friction_velocity_relative),
            choose(options.velocity_tolerance, options.velocity_tolerance_relative)};
}

struct Ipc::Workspace {
    Workspace(const World& w, double reach) : world(&w), identity(w.identity), detection(w, reach), assembly(w) {}
    const World* world;
    std::shared_ptr<const char> identity;
    ContactDetection detection;
    HessianAssembly assembly;
};

namespace {

/// Candidates and matrix pattern reach this many activation distances, so that both survive small changes of the contact set.
constexpr double reach_factor = 2.0;
/// Fraction of dhat at which the most loaded contact of the last step is meant to sit.
constexpr double loaded_gap = 0.1;
/// The last step's stiffness is kept while the wanted one is within this factor of it. Chosen anew at every step, the stiffness that balances
/// the moving body at its present gap would make any slow approach an equilibrium: nothing would push a sinking body back.
constexpr double kept_within = 4.0;

void fill_forces(const IpcSolve& solve, double scale, StepResult& result) {
    const IncrementalPotential& potential = solve.potential();
    result.contact_force = potential.barrier_gradient_sum(solve.x(), solve.contacts()) * (-potential.stiffness() / (scale * scale));
    result.friction_force = potential.friction_gradient_sum(solve.x()) * (-1.0 / (scale * scale));
}

}  // namespace

Ipc::Ipc(const IpcOptions& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Ipc::~Ipc() = default;

double Ipc::contact_distance(const World& world) const { return resolve_limits(options_, world).dhat; }

void Ipc::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || workspace_->world != &world || workspace_->identity != world.identity) {
        workspace_ = std::make_unique<Workspace>(world, reach_factor * resolve_limits(options_, world).dhat);
    }
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";
    const Stage stage = make_stage(integrator_, state, input);
    IpcSolve solve(world, state, input, options_, stage, workspace_->detection, workspace_->assembly, result.report);
    solve.run();
    if (is_accepted(result.report.status)) {
        State& next = result.state;
        next.t = state.t + input.h;
        next.step = state.step;
        next.previous_x = state.x;
        next.previous_v = state.v;
        next.previous_h = input.h;
        next.x = solve.x();
        next.v = stage.velocity(solve.x());
        next.acceleration.resize(0);
        if (integrator_ == Integrator::trapezoidal) next.acceleration = stage.acceleration(solve.x());
        next.anchor = input.anchor;
        next.anchor_time = input.anchor_time;
        next.active_motion = input.active_motion;
        next.warm_start = state.warm_start;
        next.warm_start["ipc"] = IpcSolve::pack_stiffness(solve.physical_stiffness());
        fill_forces(solve, stage.scale(), result);
        measure(world, next, result.report);
    }
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

IpcSolve::IpcSolve(const World& world, const State& state, const StepInput& input, const IpcOptions& options, const Stage& stage,
                   ContactDetection& detection, HessianAssembly& assembly, StepReport& report)
    : world_(world), state_(state), input_(input), options_(options), stage_(stage), detection_(detection), assembly_(assembly), report_(report),
      limits_(resolve_limits(options, world)), bounds_(stiffness_bounds(world.mean_mass, world.diagonal, limits_.dhat)), guard_(world.diagonal),
      potential_(world, stage, input.external_force, state.x, limits_.dhat, limits_.friction_velocity), driven_(world, input, state.x), x_(state.x) {
    bounds_.lower *= options.barrier_stiffness_scale;
    bounds_.upper *= options.barrier_stiffness_scale;
    assembly_.begin(DofMap(driven_.driven_axes()));
}

std::string IpcSolve::pack_stiffness(double physical_stiffness) {
    return {reinterpret_cast<const char*>(&physical_stiffness), sizeof(physical_stiffness)};
}

double IpcSolve::last_stiffness() const {
    const auto entry = state_.warm_start.find("ipc");
    if (entry == state_.warm_start.end() || entry->second.size() != sizeof(double)) return 0.0;
    double physical = 0.0;
    std::memcpy(&physical, entry->second.data(), sizeof(physical));
    return physical * stage_.scale() * stage_.scale();
}

void IpcSolve::move_driven() {
    const ScopedTimer timer(timers_, "driven");
    driven_.move_straight(detection_, x_, (stage_.q_bar - x_) + stage_.scale() * stage_.v_bar, report_.ccd_queries);
    driven_.apply(potential_);
    if (driven_.pulling()) assembly_.begin(DofMap(driven_.driven_axes()));
}

void IpcSolve::find_contacts() {
    const ScopedTimer timer(timers_, "contacts");
    contacts_ = detection_.contacts(x_, limits_.dhat);
}

void IpcSolve::keep_gaps_open(double stiffness) {
    double largest = 0.0;
    for (const Contact& contact : contacts_.contacts) {
        largest = std::max(largest, stiffness * barrier_force(contact.squared_distance, limits_.dhat * limits_.dhat));
    }
    const double wanted_gap = loaded_gap * limits_.dhat;
    loaded_stiffness_ = std::clamp(largest / barrier_force(wanted_gap * wanted_gap, limits_.dhat * limits_.dhat), bounds_.lower, bounds_.upper);
}

void IpcSolve::lag_friction(double stiffness) {
    const ScopedTimer timer(timers_, "friction");
    potential_.set_friction(potential_.lag_friction(x_, contacts_, stiffness));
}

void IpcSolve::start_stiffness() {
    const double scale_squared = stage_.scale() * stage_.scale();
    if (options_.barrier_stiffness > 0.0) return potential_.set_stiffness(options_.barrier_stiffness * scale_squared);
    find_contacts();
    VecX barrier, rest;
    assembly_.map().restrict_gradient(potential_.barrier_gradient_sum(x_, contacts_), barrier);
    assembly_.map().restrict_gradient(potential_.smooth_gradient(x_) + potential_.friction_gradient_sum(x_), rest);
    const double wanted = std::max(balanced_stiffness(barrier, rest, bounds_), loaded_stiffness_), last = last_stiffness();
    const bool keep = last >= wanted / kept_within && last <= wanted * kept_within;
    potential_.set_stiffness(keep ? last : wanted);
}

double IpcSolve::tolerance() const {
    const double tolerance = limits_.velocity_tolerance;
    const double cap = options_.friction_tolerance_factor * limits_.friction_velocity;
    return potential_.friction().empty() || cap == 0.0 ? tolerance : std::min(tolerance, cap);
}

std::string IpcSolve::touching_cause() const {
    for (const Contact& contact : contacts_.contacts) {
        if (contact.squared_distance == 0.0) return "touching at the start of the step: " + describe_stencil(world_, contact.vertices);
    }
    return "a pair of primitives touches at the start of the step";
}

void IpcSolve::stop(Status status, std::string cause) {
    report_.status = status;
    report_.cause = std::move(cause);
}

}  // namespace stiction
