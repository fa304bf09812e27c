#include "stiction/sim/contact_load.hpp"

#include "stiction/dynamics/rayleigh_damping.hpp"

namespace stiction {
namespace {

/// Sums of the sizes of forces (N) over the free vertices of a body.
struct BodyForces {
    double contact = 0.0, loads = 0.0, inertia = 0.0;
};

BodyForces forces_on(const World& world, const Body& body, const State& before, const StepInput& input,
                     const StepResult& result) {
    BodyForces sum;
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
        if (input.driven_axes[static_cast<std::size_t>(v)] != 0) continue;
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
        sum.contact += result.contact_force.segment<3>(at).norm();
        sum.loads += input.external_force.segment<3>(at).norm();
        sum.inertia += world.mass[v] * (result.state.v.segment<3>(at) - before.v.segment<3>(at)).norm() / input.h;
    }
    return sum;
}

/// Vertices on which contact acts, directly or through those that they carry.
std::vector<char> touched(const World& world, const VecX& contact_force) {
    std::vector<char> marked(static_cast<std::size_t>(world.vertex_count()));
    for (std::size_t v = 0; v < marked.size(); ++v)
        marked[v] = contact_force.segment<3>(3 * static_cast<Eigen::Index>(v)).isZero(0.0) ? 0 : 1;
    for (const EmbeddedVertex& entry : world.embedded) {
        if (marked[static_cast<std::size_t>(entry.vertex)] == 0) continue;
        for (const Carrier& carrier : entry.carriers()) marked[static_cast<std::size_t>(carrier.vertex)] = 1;
    }
    return marked;
}

/// Elasticity, fillings and damping (N), where contact acts.
double inner_forces(const World& world, const State& before, const StepInput& input, const StepResult& result) {
    const VecX& x = result.state.x;
    const std::vector<char> marked = touched(world, result.contact_force);
    VecX force = elastic_gradient(world, x, marked);
    add_filling_gradient(world, x, input.overpressure, force);
    if (is_damped(world)) force += RayleighDamping(world, before.x).product(VecX((x - before.x) / input.h));
    double sum = 0.0;
    for (std::size_t v = 0; v < marked.size(); ++v)
        if (marked[v] != 0) sum += force.segment<3>(3 * static_cast<Eigen::Index>(v)).norm();
    return sum;
}

}  // namespace

ContactLoad contact_load(const World& world, const State& before, const StepInput& input, const StepResult& result) {
    // What makes each body a ten-thousandth of its contact length a second faster in the step: at rest rounding is not
    // held against nothing.
    double explained = 1e-4 * world.mass_moment() / input.h, most = 0.0;
    ContactLoad load;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
        const Body& body = world.bodies[k];
        if (body.is_obstacle()) continue;
        const BodyForces forces = forces_on(world, body, before, input, result);
        explained += forces.loads + forces.inertia;
        if (forces.contact <= most) continue;
        most = forces.contact;
        load.body = static_cast<int>(k);
    }
    if (load.body < 0) return load;
    if (most > 4.0 * explained) explained += inner_forces(world, before, input, result);
    load.share = most / explained;
    return load;
}

}  // namespace stiction
