#include "stiction/audit/residuals.hpp"

#include "stiction/audit/nearness.hpp"
#include "stiction/base/error.hpp"
#include "stiction/fem/damping.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/tet10_elasticity.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace stiction::audit {
namespace {

/// Minus the elastic forces (N).
VecX elastic_pull(const World& world, const VecX& x) {
    VecX sum = VecX::Zero(x.size());
    std::vector<Vec12> gradients;
    for (const ElasticGroup& group : world.elastic) {
        element_gradients(group.elements, x, gradients);
        group.gather.add(gradients, sum);
    }
    std::vector<Vec30> quadratic;
    for (const QuadraticGroup& group : world.quadratic) {
        element_gradients(group.elements, x, quadratic);
        group.gather.add(quadratic, sum);
    }
    for (const SheetGroup& group : world.sheets) {
        sheet_gradients(group.elements, x, gradients);
        for (std::size_t e = 0; e < gradients.size(); ++e) {
            for (std::size_t k = 0; k < 4; ++k) {
                if (group.stencils[e][k] >= 0)
                    sum.segment<3>(3 * group.stencils[e][k]) +=
                        gradients[e].segment<3>(3 * static_cast<Eigen::Index>(k));
            }
        }
    }
    return sum;
}

/// Minus the damping forces (N): C u with the element matrices of fem/damping.hpp, frozen at x0.
VecX damping_product(const World& world, const VecX& x0, const VecX& u) {
    VecX sum = VecX::Zero(x0.size());
    world.for_each_tet_group([&]<class Group>(const Group& group) {
        if (!group.damped()) return;
        std::remove_cvref_t<decltype(group.consistent_mass)> damping;
        freeze_rayleigh_damping(group.elements, group.density, group.damping, x0, damping);
        for (std::size_t e = 0; e < damping.vertices.size(); ++e) {
            const auto& nodes = damping.vertices[e];
            typename Group::ElementVector local;
            for (std::size_t k = 0; k < nodes.size(); ++k)
                local.template segment<3>(3 * static_cast<Eigen::Index>(k)) = u.segment<3>(3 * nodes[k]);
            const typename Group::ElementVector product = damping.matrices[e] * local;
            for (std::size_t k = 0; k < nodes.size(); ++k)
                sum.segment<3>(3 * nodes[k]) += product.template segment<3>(3 * static_cast<Eigen::Index>(k));
        }
    });
    for (Index v = 0; v < world.sheet_damping.size(); ++v)
        sum.segment<3>(3 * v) += world.sheet_damping[v] * u.segment<3>(3 * v);
    return sum;
}

class StepBalance {
public:
    StepBalance(const World& world, const State& before, const StepInput& input, const StepResult& result,
                const StepAuditOptions& options)
        : world_(world),
          before_(before),
          input_(input),
          result_(result),
          options_(options),
          scale_(options.stage_scale > 0.0 ? options.stage_scale : input.h),
          moved_(result.state.x - before.x),
          velocity_((result.state.x - (options.q_bar.size() > 0 ? options.q_bar : before.x)) / scale_) {
        audit_.h = input.h;
    }

    StepAudit run() {
        momentum();
        cone();
        complementarity();
        power();
        return audit_;
    }

private:
    static double norm_at(const VecX& vector, Index v) { return vector.segment<3>(3 * v).norm(); }
    double largest(const VecX& vector) const {
        double norm = 0.0;
        for (Index v = 0; v < world_.vertex_count(); ++v) norm = std::max(norm, norm_at(vector, v));
        return norm;
    }
    bool is_free(Index v, int axis) const {
        return world_.mass[v] > 0.0 && !(input_.driven_axes[static_cast<std::size_t>(v)] >> axis & 1);
    }
    VecX free_part(VecX vector) const {
        for (Index v = 0; v < world_.vertex_count(); ++v) {
            for (int axis = 0; axis < 3; ++axis) {
                if (!is_free(v, axis)) vector[3 * v + axis] = 0.0;
            }
        }
        return vector;
    }

    /// A force as it acts on the coordinates: what embedded vertices feel belongs to the vertices that carry them.
    VecX on_coordinates(VecX force) const {
        add_to_carriers(world_.embedded, force);
        for (const EmbeddedVertex& embedded : world_.embedded) force.segment<3>(3 * embedded.vertex).setZero();
        if (options_.exactly_rigid) {
            for (const RigidBody& body : world_.rigid_bodies) keep_rigid_part(body, force);
        }
        return force;
    }

    /// Of forces at the frame, those of least norm with the same resultant and torque.
    void keep_rigid_part(const RigidBody& body, VecX& force) const {
        Vec3 middle = Vec3::Zero();
        for (const Index v : body.frame) middle += 0.25 * result_.state.x.segment<3>(3 * v);
        Eigen::Matrix<double, 12, 6> motions;
        Vec12 at_frame;
        for (int k = 0; k < 4; ++k) {
            const Index v = body.frame[static_cast<std::size_t>(k)];
            const Vec3 r = result_.state.x.segment<3>(3 * v) - middle;
            at_frame.segment<3>(3 * k) = force.segment<3>(3 * v);
            motions.block<3, 3>(3 * k, 0).setIdentity();
            for (int axis = 0; axis < 3; ++axis) motions.block<3, 1>(3 * k, 3 + axis) = Vec3::Unit(axis).cross(r);
        }
        at_frame =
            motions *
            Eigen::Matrix<double, 6, 6>(motions.transpose() * motions).ldlt().solve(motions.transpose() * at_frame);
        for (int k = 0; k < 4; ++k)
            force.segment<3>(3 * body.frame[static_cast<std::size_t>(k)]) = at_frame.segment<3>(3 * k);
    }

    VolumeLaw law(std::size_t filling) const { return world_.fillings[filling].law(input_.overpressure[filling]); }

    /// Minus the forces of fillings (N): pressure times a third of the area vectors, triangle by triangle.
    VecX filling_pull(const VecX& x) const {
        VecX sum = VecX::Zero(x.size());
        for (std::size_t k = 0; k < world_.fillings.size(); ++k) {
            const VolumeEnergy& filling = world_.fillings[k].energy;
            const double pressure = law(k).pressure(filling.zone.volume(x), filling.rest_volume);
            for (const Triangle& t : filling.zone.triangles()) {
                const Vec3 a = x.segment<3>(3 * t[0]), b = x.segment<3>(3 * t[1]), c = x.segment<3>(3 * t[2]);
                const Vec3 push = pressure / 6.0 * (b - a).cross(c - a);
                for (const Index v : t) sum.segment<3>(3 * v) -= push;
            }
        }
        return sum;
    }

    void momentum() {
        const VecX inertia =
            mass_product(world_, result_.state.v - (options_.v_bar.size() > 0 ? options_.v_bar : before_.v)) / scale_;
        const VecX elastic = elastic_pull(world_, result_.state.x) + filling_pull(result_.state.x),
                   damping = damping_product(
                       world_, options_.damping_positions.size() > 0 ? options_.damping_positions : before_.x,
                       velocity_);
        unbalanced_ = on_coordinates(inertia - input_.external_force + elastic + damping - result_.contact_force -
                                     result_.friction_force);
        const VecX rest = free_part(unbalanced_);
        VecX largest_at = VecX::Zero(world_.vertex_count());
        for (const VecX* term :
             {&inertia, &input_.external_force, &elastic, &damping, &result_.contact_force, &result_.friction_force}) {
            const VecX force = free_part(on_coordinates(*term));
            for (Index v = 0; v < world_.vertex_count(); ++v)
                largest_at[v] = std::max(largest_at[v], norm_at(force, v));
        }
        audit_.force_scale = std::max(audit_.force_scale, largest_at.maxCoeff());
        audit_.force_size_sum = largest_at.sum();
        for (Index v = 0; v < world_.vertex_count(); ++v) {
            audit_.imbalance += rest.segment<3>(3 * v);
            audit_.imbalance_sum += norm_at(rest, v);
            audit_.contact_sum += result_.contact_force.segment<3>(3 * v);
            audit_.friction_sum += result_.friction_force.segment<3>(3 * v);
            if (norm_at(rest, v) > audit_.worst_imbalance) {
                audit_.worst_imbalance = norm_at(rest, v);
                audit_.worst_vertex = v;
            }
        }
        audit_.velocity_mismatch = largest(result_.state.v - velocity_);
    }

    /// The largest coefficient of each body with any body that it may touch.
    std::vector<double> largest_coefficients() const {
        const auto count = static_cast<Index>(world_.bodies.size());
        std::vector<double> largest_of(world_.bodies.size(), 0.0);
        for (Index a = 0; a < count; ++a) {
            for (Index b = 0; b < count; ++b) {
                if (world_.contact_pairs.allowed(a, b))
                    largest_of[static_cast<std::size_t>(a)] =
                        std::max(largest_of[static_cast<std::size_t>(a)], world_.friction(a, b));
            }
        }
        return largest_of;
    }

    void cone() {
        audit_.contact_scale = largest(result_.contact_force);
        audit_.friction_scale = largest(result_.friction_force);
        const std::vector<double> mu = largest_coefficients();
        for (Index v = 0; v < world_.vertex_count(); ++v) {
            const double friction = norm_at(result_.friction_force, v);
            const double limit = mu[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(v)])] *
                                 norm_at(result_.contact_force, v);
            audit_.contact_size_sum += norm_at(result_.contact_force, v);
            if (friction <= options_.force_tolerance * audit_.friction_scale) continue;
            audit_.cone_sum += std::max(0.0, friction - limit);
            if (friction > (1.0 + options_.cone_tolerance) * limit) ++audit_.cone_violations;
            if (friction - limit > audit_.cone_excess) {
                audit_.cone_excess = friction - limit;
                audit_.cone_vertex = v;
            }
        }
    }

    void complementarity() {
        std::vector<char> near(world_.body_of_vertex.size(), 0), pushed(world_.body_of_vertex.size(), 0);
        audit_.min_gap = std::numeric_limits<double>::infinity();
        for (const NearPair& pair : find_near_pairs(world_, result_.state.x, options_.dhat * (1.0 + 1e-9))) {
            audit_.min_gap = std::min(audit_.min_gap, pair.gap);
            for (std::size_t k = 0; k < 4 && pair.vertices[k] >= 0; ++k) {
                const Index v = pair.vertices[k];
                near[static_cast<std::size_t>(v)] = 1;
                // A sum of pushes along d_1, d_2, ... has a positive product with at least one of them.
                const double along = result_.contact_force.segment<3>(3 * v).dot(pair.direction) *
                                     (static_cast<int>(k) < pair.first_count ? 1.0 : -1.0);
                if (along > 0.0) pushed[static_cast<std::size_t>(v)] = 1;
            }
        }
        for (Index v = 0; v < world_.vertex_count(); ++v) {
            const double force = norm_at(result_.contact_force, v);
            if (force == 0.0 || force <= options_.force_tolerance * audit_.contact_scale) continue;
            ++audit_.contact_vertices;
            if (!near[static_cast<std::size_t>(v)]) {
                ++audit_.forces_without_contact;
                audit_.largest_without_contact = std::max(audit_.largest_without_contact, force);
            } else if (!pushed[static_cast<std::size_t>(v)]) {
                ++audit_.pulling;
                audit_.largest_pulling = std::max(audit_.largest_pulling, force);
            }
        }
    }

    double kinetic(const VecX& v) const { return 0.5 * v.dot(mass_product(world_, v)); }
    double elastic(const VecX& x) const {
        double energy = 0.0;
        world_.for_each_tet_group([&](const auto& group) { energy += elastic_energy(group.elements, x); });
        for (const SheetGroup& group : world_.sheets) energy += sheet_energy(group.elements, x);
        for (std::size_t k = 0; k < world_.fillings.size(); ++k) {
            const VolumeEnergy& filling = world_.fillings[k].energy;
            energy += law(k).value(filling.zone.volume(x), filling.rest_volume);
        }
        return energy;
    }

    void power() {
        audit_.friction_power = result_.friction_force.dot(velocity_);
        audit_.contact_power = result_.contact_force.dot(velocity_);
        audit_.kinetic_change = kinetic(result_.state.v) - kinetic(before_.v);
        audit_.elastic_change = elastic(result_.state.x) - elastic(before_.x);
        audit_.external_work = input_.external_force.dot(moved_);
        // What is missing in the balance of a driven coordinate is the force that drives it.
        audit_.driven_work = (unbalanced_ - free_part(unbalanced_)).dot(moved_);
        audit_.energy_gain = audit_.kinetic_change + audit_.elastic_change - audit_.external_work - audit_.driven_work;
    }

    const World& world_;
    const State& before_;
    const StepInput& input_;
    const StepResult& result_;
    const StepAuditOptions& options_;
    double scale_;
    VecX moved_, velocity_, unbalanced_;
    StepAudit audit_;
};

}  // namespace

StepAudit audit_step(const World& world, const State& before, const StepInput& input, const StepResult& result,
                     const StepAuditOptions& options) {
    const auto size = 3 * static_cast<Eigen::Index>(world.vertex_count());
    bool finite = true;
    for (const VecX* vector : {&before.x, &before.v, &result.state.x, &result.state.v, &input.external_force,
                               &result.contact_force, &result.friction_force}) {
        STICTION_CHECK(vector->size() == size, "entries for all vertices");
        finite = finite && vector->allFinite();
    }
    for (const VecX* vector : {&options.q_bar, &options.v_bar}) {
        STICTION_CHECK(vector->size() == 0 || vector->size() == size, "a stage of all vertices");
        finite = finite && vector->allFinite();
    }
    STICTION_CHECK(input.overpressure.size() == world.fillings.size(), "an over-pressure for each filling");
    STICTION_CHECK(input.driven_axes.size() == world.body_of_vertex.size() && input.h > 0.0, "the input of a step");
    if (!finite) {
        StepAudit audit;
        audit.h = input.h;
        audit.finite = false;
        return audit;
    }
    return StepBalance(world, before, input, result, options).run();
}

}  // namespace stiction::audit
