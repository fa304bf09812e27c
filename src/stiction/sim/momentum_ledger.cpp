#include "stiction/sim/momentum_ledger.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/fem/mass.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr const char* state_key = "momentum";

Vec3 centre_of_mass(const World& world, const VecX& x, Index begin, Index end) {
    Vec3 sum = Vec3::Zero();
    double mass = 0.0;
    for (Index v = begin; v < end; ++v) {
        sum += world.mass[v] * x.segment<3>(3 * v);
        mass += world.mass[v];
    }
    return sum / mass;
}

Vec3 moment(const VecX& x, const VecX& u, const Vec3& centre, Index begin, Index end) {
    Vec3 sum = Vec3::Zero();
    for (Index v = begin; v < end; ++v) sum += (x.segment<3>(3 * v) - centre).cross(u.segment<3>(3 * v));
    return sum;
}

bool is_driven(const StepInput& input, Index begin, Index end) {
    const auto first = input.driven_axes.begin();
    return std::any_of(first + begin, first + end, [](std::uint8_t axes) { return axes != 0; });
}

/// alpha m of each vertex (kg/s): the part of Rayleigh damping that acts on a body as a whole; empty without any.
VecX mass_damping(const World& world) {
    VecX rate = world.sheet_damping;
    for (const ElasticGroup& group : world.elastic) {
        if (!group.damped()) continue;
        if (rate.size() == 0) rate = VecX::Zero(world.vertex_count());
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const double share = 0.25 * group.damping[e].alpha * group.density[e] * group.elements.volume[e];
            for (const Index v : group.elements.vertices[e]) rate[v] += share;
        }
    }
    for (const QuadraticGroup& group : world.quadratic) {
        if (!group.damped()) continue;
        if (rate.size() == 0) rate = VecX::Zero(world.vertex_count());
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const std::array<double, 10> mass = lumped_mass(group.elements, e, group.density[e]);
            for (std::size_t a = 0; a < 10; ++a)
                rate[group.elements.vertices[e][a]] += group.damping[e].alpha * mass[a];
        }
    }
    return rate;
}

void add_to(double (&sum)[3], const Vec3& term) {
    for (int axis = 0; axis < 3; ++axis) sum[axis] += term[axis];
}

double length(const double (&vector)[3]) {
    return std::hypot(vector[0], vector[1], vector[2]);
}

}  // namespace

MomentumLedger::MomentumLedger(const World& world, const Method& method)
    : integrator_(method.integrator()), judges_angular_(method.balances_forces()), damping_(mass_damping(world)) {
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
        const Body& body = world.bodies[k];
        if (body.is_obstacle()) continue;
        const Index begin = body.first_vertex, end = begin + body.vertex_count();
        const Vec3 centre = centre_of_mass(world, world.initial_positions, begin, end);
        double radius = 0.0;
        for (Index v = begin; v < end; ++v)
            radius = std::max(radius, (world.initial_positions.segment<3>(3 * v) - centre).norm());
        const double unnoticed_speed = 1e-4 * body.contact_length;
        bodies_.push_back({static_cast<Index>(k), begin, end, radius, unnoticed_speed * world.mass_of(body)});
    }
    accounts_.resize(bodies_.size());
}

void MomentumLedger::load(const State& state) {
    const auto entry = state.warm_start.find(state_key);
    const std::size_t size = accounts_.size() * sizeof(Account);
    std::ranges::fill(accounts_, Account{});
    if (entry == state.warm_start.end() || entry->second.size() != size) return;
    const char* bytes = entry->second.data();
    for (Account& account : accounts_) take_bytes(bytes, account);
}

void MomentumLedger::store(State& state) const {
    if (accounts_.empty()) return;
    std::string& bytes = state.warm_start[state_key];
    bytes.clear();
    for (const Account& account : accounts_) append_bytes(bytes, account);
}

/// M a at the end of the step, stacked (N).
VecX MomentumLedger::inertia(const World& world, const State& before, const StepInput& input,
                             const State& after) const {
    if (integrator_ == Integrator::backward_euler) return mass_product(world, VecX((after.v - before.v) / input.h));
    const Stage stage = last_stage(integrator_, before, after, input).stage;
    return stage.inertia * mass_product(world, VecX((after.v - stage.v_bar) / stage.scale()));
}

/// Loads, contact, friction and damping by mass at the end of the step, stacked (N).
VecX MomentumLedger::known_forces(const StepInput& input, const StepResult& result) const {
    VecX force = input.external_force + result.contact_force + result.friction_force;
    for (Index v = 0; v < damping_.size(); ++v)
        force.segment<3>(3 * v) -= damping_[v] * result.state.v.segment<3>(3 * v);
    return force;
}

void MomentumLedger::add(const World& world, const State& before, const StepInput& input, const StepResult& result) {
    const State& after = result.state;
    const VecX momentum = mass_product(world, after.v), momentum_before = mass_product(world, before.v);
    const VecX force = known_forces(input, result);
    const VecX residual = inertia(world, before, input, after) - force;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Index begin = bodies_[k].first_vertex, end = bodies_[k].end_vertex;
        if (is_driven(input, begin, end)) continue;
        Vec3 lost = Vec3::Zero(), linear = Vec3::Zero(), linear_before = Vec3::Zero();
        double impulses = 0.0;
        for (Index v = begin; v < end; ++v) {
            lost += residual.segment<3>(3 * v);
            linear += momentum.segment<3>(3 * v);
            linear_before += momentum_before.segment<3>(3 * v);
            impulses += force.segment<3>(3 * v).norm();
        }
        Account& account = accounts_[k];
        add_to(account.lost, input.h * lost);
        account.scale = std::max({account.scale, linear.norm(), linear_before.norm()}) + input.h * impulses;
        if (!judges_angular_) continue;
        const Vec3 centre = centre_of_mass(world, after.x, begin, end);
        const Vec3 angular = moment(after.x, momentum, centre, begin, end);
        add_to(account.lost_angular, input.h * moment(after.x, residual, centre, begin, end));
        account.angular_scale = std::max(account.angular_scale, angular.norm());
    }
}

MomentumLoss MomentumLedger::worst() const {
    // An angular momentum is small against a linear one that passes by at a twentieth of the radius: what an impact is
    // solved to turns a body by more than a hundredth.
    constexpr double lever = 0.05;
    MomentumLoss worst;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const FreeBody& body = bodies_[k];
        const Account& account = accounts_[k];
        const double scale = account.scale + body.unnoticed;
        const double linear = length(account.lost) / scale;
        const double angular = length(account.lost_angular) / (account.angular_scale + lever * body.radius * scale);
        if (linear > worst.linear) worst = {linear, worst.angular, static_cast<int>(body.body), worst.angular_body};
        if (angular > worst.angular) worst = {worst.linear, angular, worst.body, static_cast<int>(body.body)};
    }
    return worst;
}

}  // namespace stiction
