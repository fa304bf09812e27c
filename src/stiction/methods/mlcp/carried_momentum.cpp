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
    Vec2 friction = unknowns.friction();
    const double size = friction_bound(contact, unknowns), length = friction.norm();
    if (length > 0.0 && (unknowns.mode == ContactMode::sliding || length > size)) friction *= size / length;
    return {-std::max(unknowns.normal, 0.0), friction.x(), friction.y()};
}

}  // namespace

void CarriedMomentum::add(const BodyMomentum& body, Vec3 unbalanced, double tolerance) {
    constexpr double share = 1.0 / 3.0;
    for (int axis = 0; axis < 3; ++axis) {
        if (body.driven_axes >> axis & 1) unbalanced[axis] = postponed[body.body][axis] = 0.0;
    }
    postponed[body.body] += unbalanced;
    if (!(postponed[body.body].norm() > share * tolerance * body.change_bound)) return;
    due[body.body] = postponed[body.body];
    postponed[body.body].setZero();
}

CarriedMomentum read_carried_momentum(const World& world, const State& state) {
    CarriedMomentum carried(world.bodies.size());
    const auto entry = state.warm_start.find(key);
    if (entry == state.warm_start.end()) return carried;
    STICTION_CHECK(entry->second.size() == carried.due.size() * 6 * sizeof(double), "carried momentum of another size");
    const char* at = entry->second.data();
    for (std::vector<Vec3>* part : {&carried.due, &carried.postponed}) {
        for (Vec3& momentum : *part) {
            for (double& component : momentum) take_bytes(at, component);
        }
    }
    return carried;
}

void store_carried_momentum(const CarriedMomentum& carried, State& state) {
    state.warm_start.erase(key);
    if (carried == CarriedMomentum(carried.due.size())) return;
    std::string bytes;
    for (const std::vector<Vec3>* part : {&carried.due, &carried.postponed}) {
        for (const Vec3& momentum : *part) {
            for (const double component : momentum) append_bytes(bytes, component);
        }
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
        const double most = std::sqrt(static_cast<double>(body.node_count)) * tolerance * body.change_bound;
        const double length = result[k].norm();
        if (length > most) result[k] *= most / length;
    }
    return result;
}

}  // namespace stiction::mlcp
