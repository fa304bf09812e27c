#include "stiction/sim/energy_balance.hpp"

#include "stiction/base/error.hpp"
#include "stiction/dynamics/rayleigh_damping.hpp"

namespace stiction {
namespace {

/// The part of a move that driven coordinates make; empty where none of them moves.
VecX driven_move(const StepInput& input, const VecX& move) {
    VecX driven;
    for (std::size_t v = 0; v < input.driven_axes.size(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            const Eigen::Index i = 3 * static_cast<Eigen::Index>(v) + axis;
            if ((input.driven_axes[v] >> axis & 1) == 0 || move[i] == 0.0) continue;
            if (driven.size() == 0) driven = VecX::Zero(move.size());
            driven[i] = move[i];
        }
    }
    return driven;
}

/// Vertices that these moves move.
std::vector<char> moved_vertices(const VecX& move) {
    std::vector<char> moved(static_cast<std::size_t>(move.size() / 3));
    for (std::size_t v = 0; v < moved.size(); ++v)
        moved[v] = move.segment<3>(3 * static_cast<Eigen::Index>(v)).isZero(0.0) ? 0 : 1;
    return moved;
}

bool moves_mass(const World& world, const VecX& move) {
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v) && !move.segment<3>(3 * v).isZero(0.0)) return true;
    }
    return false;
}

/// Minus the forces (N) of everything but contact at the end of the step, at the marked vertices.
VecX unbalanced(const World& world, const State& before, const StepInput& input, const State& after,
                const std::vector<char>& marked) {
    VecX sum = mass_product(world, VecX((after.v - before.v) / input.h)) - input.external_force +
               elastic_gradient(world, after.x, marked);
    add_filling_gradient(world, after.x, input.overpressure, sum);
    return sum;
}

}  // namespace

EnergyBalance energy_balance(const World& world, const State& before, double energy_before, const StepInput& input,
                             const StepResult& result) {
    const VecX move = result.state.x - before.x;
    STICTION_CHECK(result.contact_force.size() == move.size() && result.friction_force.size() == move.size(),
                   "forces on all vertices");
    EnergyBalance balance = result.report.balance;
    balance.loads += input.external_force.dot(move);
    if (!world.fillings.empty())
        balance.loads += filling_energy(world, before.x, input.overpressure) -
                         filling_energy(world, before.x, overpressures(world, before.t));
    balance.friction = result.friction_force.dot(move);
    VecX damping;
    if (is_damped(world)) {
        damping = RayleighDamping(world, before.x).product(VecX(move / input.h));
        balance.damping = -damping.dot(move);
    }
    if (VecX driven = driven_move(input, move); driven.size() > 0) {
        carry(world.carried, driven);
        balance.driven = -(result.contact_force + result.friction_force).dot(driven);
        if (moves_mass(world, driven)) {
            balance.driven += unbalanced(world, before, input, result.state, moved_vertices(driven)).dot(driven);
            if (damping.size() > 0) balance.driven += damping.dot(driven);
        }
    }
    balance.gain = result.report.kinetic + result.report.elastic - energy_before - balance.loads - balance.driven;
    return balance;
}

double unnoticed_energy(const World& world) {
    double energy = 0.0;
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        const double speed = 1e-4 * body.contact_length;
        energy += 0.5 * world.mass_of(body) * speed * speed;
    }
    return energy;
}

EnergyLedger energy_ledger(const World& world) {
    constexpr double lift = 0.01;
    return EnergyLedger(unnoticed_energy(world), lift * world.gravity.norm() * world.mass_moment());
}

}  // namespace stiction
