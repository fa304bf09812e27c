#include "stiction/methods/mlcp/carried_momentum.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"
#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {
namespace {

const std::string key = "mlcp_momentum";

/// m of a contact: normal and friction as Coulomb's law has them where `solution` misses it within the tolerances.
Vec3 force_of_law(const ContactConstraint& contact, const ContactUnknowns& unknowns) {
    if (unknowns.mode == ContactMode::open) return Vec3::Zero();
    const double normal = std::max(unknowns.normal, 0.0);
    Vec2 friction = unknowns.friction();
    const bool slides = unknowns.mode == ContactMode::sliding;
    const double size = (slides ? contact.kinetic_ratio : 1.0) * contact.friction * normal, length = friction.norm();
    if (length > 0.0 && (slides || length > size)) friction *= size / length;
    return {-normal, friction.x(), friction.y()};
}

}  // namespace

std::vector<Vec3> read_carried_momentum(const World& world, const State& state) {
    std::vector<Vec3> carried(world.bodies.size(), Vec3::Zero());
    const auto entry = state.warm_start.find(key);
    if (entry == state.warm_start.end()) return carried;
    STICTION_CHECK(entry->second.size() == carried.size() * 3 * sizeof(double), "carried momentum of another size");
    const char* at = entry->second.data();
    for (Vec3& momentum : carried) {
        for (double& component : momentum) take_bytes(at, component);
    }
    return carried;
}

void store_carried_momentum(const std::vector<Vec3>& carried, State& state) {
    state.warm_start.erase(key);
    if (std::all_of(carried.begin(), carried.end(), [](const Vec3& momentum) { return momentum.isZero(0.0); })) return;
    std::string bytes;
    for (const Vec3& momentum : carried) {
        for (const double component : momentum) append_bytes(bytes, component);
    }
    state.warm_start[key] = std::move(bytes);
}

VecX add_carried_momentum(const World& world, const std::vector<Vec3>& carried, double h, VecX external_force) {
    for (std::size_t k = 0; k < carried.size(); ++k) {
        if (carried[k].isZero(0.0)) continue;
        const Body& body = world.bodies[k];
        const auto masses = world.mass.segment(body.first_vertex, body.vertex_count());
        const Vec3 acceleration = carried[k] / (h * masses.sum());
        for (Index v = 0; v < body.vertex_count(); ++v)
            external_force.segment<3>(3 * (body.first_vertex + v)) += masses[v] * acceleration;
    }
    return external_force;
}

std::vector<Vec3> unbalanced_momentum(const ContactProblem& problem, const ContactSolution& solution,
                                      double tolerance) {
    VecX residual, forces(3 * static_cast<Eigen::Index>(problem.contacts.size()));
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        forces.segment<3>(3 * static_cast<Eigen::Index>(k)) = -force_of_law(problem.contacts[k], solution.contacts[k]);
    }
    problem.matrix->multiply(solution.v, residual);
    residual = problem.rhs - residual;
    ConstraintMatrix(problem.matrix->nodes(), problem.contacts).add_transposed(forces, residual);
    std::vector<Vec3> result(problem.bodies.size(), Vec3::Zero());
    for (std::size_t k = 0; k < result.size(); ++k) {
        const BodyMomentum& body = problem.bodies[k];
        for (Index node = body.first_node; node < body.first_node + body.node_count; ++node)
            result[k] += residual.segment<3>(3 * static_cast<Eigen::Index>(node));
        const double most = std::sqrt(static_cast<double>(body.node_count)) * tolerance * body.scale;
        const double length = result[k].norm();
        if (length > most) result[k] *= most / length;
    }
    return result;
}

}  // namespace stiction::mlcp
