// The method `implicit` with contact by penalty: its balance and forces recomputed, its Jacobians against differences.
#include "stiction/fem/elasticity.hpp"

#include "methods/implicit/penalty/two_boxes.hpp"
#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Eigenvalues>

#include <map>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

Vec3 at(const VecX& x, Index vertex) {
    return x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

/// psi of a vertex against the triangles of one body by its definition, over all of them, with the weights of the
/// relative motion.
struct Reference {
    bool active = false;
    double psi = 0.0;
    std::map<Index, double> weights;
};

Reference reference_surface(const World& world, const ImplicitSurfaces& surfaces, Index vertex, Index body,
                            const VecX& x) {
    const ImplicitKernel& kernel = surfaces.kernels[static_cast<std::size_t>(body)];
    double sum = 0.0, heights = 0.0;
    Reference result;
    for (const Triangle& t : world.bodies[static_cast<std::size_t>(body)].surface) {
        const Index first = world.bodies[static_cast<std::size_t>(body)].first_vertex;
        const std::array<Index, 3> ids{first + t[0], first + t[1], first + t[2]};
        const Vec3 a = at(x, ids[0]), b = at(x, ids[1]), c = at(x, ids[2]), sample = (a + b + c) / 3.0;
        const double s = (at(x, vertex) - sample).norm() / kernel.radius;
        if (s >= 1.0) continue;
        const Vec3 normal = (b - a).cross(c - a).normalized();
        const double w = kernel.smoothing * (2 * s * s * s - 3 * s * s + 1) / (kernel.smoothing + s * s),
                     height = normal.dot(at(x, vertex) - sample);
        Mat3 edges;
        edges << b - a, c - a, normal;
        const Vec3 coordinates = edges.inverse() * (at(x, vertex) - a);
        result.weights[ids[0]] -= w * (1.0 - coordinates[0] - coordinates[1]);
        result.weights[ids[1]] -= w * coordinates[0];
        result.weights[ids[2]] -= w * coordinates[1];
        sum += w;
        heights += w * height;
    }
    result.active = sum > 0.0;
    if (!result.active) return result;
    result.psi = heights / sum;
    for (auto& [id, weight] : result.weights) weight /= sum;
    result.weights[vertex] += 1.0;
    return result;
}

/// What contacts push and rub with: thickness (m), stiffness (J/m^3) and speed of sticking (m/s).
struct PairLaw {
    double delta, kappa, eps;
};

/// Length, the diagonal of its box, and mean mass of a vertex of a body.
std::pair<double, double> size_and_mass(const World& world, Index body) {
    const Body& own = world.bodies[static_cast<std::size_t>(body)];
    const auto count = own.vertex_count();
    const Eigen::Map<const Eigen::Matrix3Xd> x(world.initial_positions.data() + 3 * own.first_vertex, 3, count);
    return {(x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm(),
            world.mass.segment(own.first_vertex, count).sum() / count};
}

/// Of a pair of bodies, from that of the larger body and of the mean mass of all vertices: lengths are those of the
/// smaller body, the stiffness holds the vertices of the lighter one at half the thickness. Body 2 is the half-space.
PairLaw law_of(const World& world, const PairLaw& all, Index body_a, Index body_b) {
    const auto [size_0, mass_0] = size_and_mass(world, 0);
    const auto [size_1, mass_1] = size_and_mass(world, 1);
    const Index first = std::min(body_a, body_b), second = std::max(body_a, body_b);
    const double size = second == 1  ? std::min(size_0, size_1)
                        : first == 0 ? size_0
                                     : size_1,
                 mass = second == 1  ? std::min(mass_0, mass_1)
                        : first == 0 ? mass_0
                                     : mass_1,
                 share = size / std::max(size_0, size_1);
    const double mean = world.mass.sum() / static_cast<double>((world.mass.array() > 0.0).count());
    return {share * all.delta, all.kappa * mass / mean / (share * share), share * all.eps};
}

/// Contact and friction forces of all pairs by differences of psi.
std::pair<VecX, VecX> reference_forces(const World& world, const ImplicitSurfaces& surfaces, const PairLaw& all,
                                       const VecX& x, const VecX& v) {
    VecX contact = VecX::Zero(x.size()), friction = contact;
    const auto rub = [&](const Vec3& push, const std::map<Index, double>& weights, double coefficient, double eps) {
        const Vec3 normal = push.normalized();
        Vec3 slip = Vec3::Zero();
        for (const auto& [id, weight] : weights) slip += weight * at(v, id);
        slip -= normal * normal.dot(slip);
        const double y = slip.norm(), grip = y < eps ? 2 * y / eps - y * y / (eps * eps) : 1.0;
        for (const auto& [id, weight] : weights) {
            if (y > 0.0) friction.segment<3>(3 * id) -= weight * coefficient * push.norm() * grip * slip / y;
        }
    };
    for (const Index vertex : world.surface.vertices) {
        const Index own = world.body_of_vertex[static_cast<std::size_t>(vertex)];
        for (Index body = 0; body < static_cast<Index>(world.bodies.size()); ++body) {
            if (body == own || !world.contact_pairs.allowed(own, body)) continue;
            const auto [delta, kappa, eps] = law_of(world, all, own, body);
            if (world.bodies[static_cast<std::size_t>(body)].kind == BodyKind::half_space) {
                const HalfSpace& plane = world.half_spaces[0];
                const double gap = plane.normal.dot(at(x, vertex) - at(x, plane.origin_vertex));
                if (gap >= delta) continue;
                const Vec3 push = 3 * kappa * (delta - gap) * (delta - gap) * plane.normal;
                contact.segment<3>(3 * vertex) += push;
                contact.segment<3>(3 * plane.origin_vertex) -= push;
                rub(push, {{vertex, 1.0}, {plane.origin_vertex, -1.0}}, world.friction(own, body), eps);
                continue;
            }
            const Reference found = reference_surface(world, surfaces, vertex, body, x);
            if (!found.active || found.psi >= delta) continue;
            const double lambda = 3 * kappa * (delta - found.psi) * (delta - found.psi), step = 1e-6;
            VecX moved = x;
            Vec3 push = Vec3::Zero();
            for (const auto& [id, weight] : found.weights) {
                for (int axis = 0; axis < 3; ++axis) {
                    double& entry = moved[3 * id + axis];
                    const double middle = entry;
                    entry = middle + step;
                    const double ahead = reference_surface(world, surfaces, vertex, body, moved).psi;
                    entry = middle - step;
                    const double behind = reference_surface(world, surfaces, vertex, body, moved).psi;
                    entry = middle;
                    const double force = lambda * (ahead - behind) / (2 * step);
                    contact[3 * id + axis] += force;
                    if (id == vertex) push[axis] = force;
                }
            }
            rub(push, found.weights, world.friction(own, body), eps);
        }
    }
    return {contact, friction};
}

Vec3 total(const VecX& forces) {
    Vec3 sum = Vec3::Zero();
    for (Eigen::Index i = 0; i < forces.size(); i += 3) sum += forces.segment<3>(i);
    return sum;
}

Vec3 moment(const VecX& forces, const VecX& x) {
    Vec3 sum = Vec3::Zero();
    for (Eigen::Index i = 0; i < forces.size(); i += 3) sum += Vec3(x.segment<3>(i)).cross(Vec3(forces.segment<3>(i)));
    return sum;
}

}  // namespace

TEST_CASE(
    "penalty: every step balances, with contact and friction as their definitions give them at its end, and action "
    "equals reaction") {
    const auto [world, start] = two_boxes();
    implicit::Options options = penalty_options();
    options.implicit_tolerance = 1e-9;
    const double h = 0.01, length = size_and_mass(world, 1).first;
    PairLaw all{implicit::resolve_penalty(options, world).thickness, 0.0, 1e-3 * length};
    const ImplicitSurfaces surfaces = implicit::penalty_surfaces(world, options);
    implicit::Implicit implicit(options);
    State before = start;
    int between = 0, step = 0;
    run_steps(implicit, world, start, h, 12, [&](const State& now, const StepResult& result) {
        CHECK(result.report.status == Status::converged);
        all.kappa = kappa_of(now);
        VecX elastic = VecX::Zero(now.x.size());
        std::vector<Vec12> local;
        for (const ElasticGroup& group : world.elastic) {
            element_gradients(group.elements, now.x, local);
            group.gather.add(local, elastic);
        }
        const VecX balance = mass_product(world, VecX(now.v - before.v)) / h + elastic -
                             schedule(world, before, h).external_force - result.contact_force - result.friction_force;
        double worst = 0.0;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (!world.is_obstacle(v)) worst = std::max(worst, at(balance, v).norm());
        }
        const double largest =
            std::max(result.contact_force.lpNorm<Eigen::Infinity>(), elastic.lpNorm<Eigen::Infinity>());
        CHECK(worst <= 1e-6 * largest);
        CHECK(total(result.contact_force).norm() <= 1e-12 * (1e-9 + result.contact_force.cwiseAbs().sum()));
        CHECK(total(result.friction_force).norm() <= 1e-12 * (1e-9 + result.friction_force.cwiseAbs().sum()));
        // A plane pushes from where its origin is not: without it, moments vanish as well.
        VecX internal = result.contact_force;
        const HalfSpace& plane = world.half_spaces[0];
        for (const Index v : world.surface.vertices) {
            const PairLaw own = law_of(world, all, world.body_of_vertex[static_cast<std::size_t>(v)], 2);
            const double overlap =
                std::max(0.0, own.delta - plane.normal.dot(at(now.x, v) - at(now.x, plane.origin_vertex)));
            internal.segment<3>(3 * v) -= 3 * own.kappa * overlap * overlap * plane.normal;
        }
        internal.segment<3>(3 * plane.origin_vertex).setZero();
        CHECK(moment(internal, now.x).norm() <= 1e-11 * (1e-9 + result.contact_force.cwiseAbs().sum()));
        CHECK(result.friction_force.dot(now.v) <= 1e-12);
        CHECK(result.report.min_gap >= 0.0);
        if (++step % 4 == 0 && result.contact_force.norm() > 0.0) {
            const auto [contact, friction] = reference_forces(world, surfaces, all, now.x, now.v);
            CHECK((contact - result.contact_force).norm() <= 1e-6 * result.contact_force.norm());
            CHECK((friction - result.friction_force).norm() <=
                  1e-6 * (result.friction_force.norm() + 1e-3 * result.contact_force.norm()));
        }
        Vec3 on_upper = Vec3::Zero();
        for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) on_upper += at(result.friction_force, v);
        between += on_upper.norm() > 0.1;
        before = now;
    });
    CHECK(between > 3);
}

TEST_CASE(
    "penalty: Jacobians agree with differences, with and without friction; the stand-in is positive semi-definite") {
    auto [world, state] = two_boxes();
    const implicit::Options options = penalty_options();
    const double delta = 4e-3 / world.length_share(0, 1), h = 0.01;  // 4 mm between the boxes
    implicit::PenaltyDetection detection(world, options);
    // The upper box sunk into the thickness of the lower one, everything shaken.
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shake(-1e-3, 1e-3);
    VecX x = state.x;
    double lowest = 1e9;
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) lowest = std::min(lowest, x[3 * v + 1]);
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) x[3 * v + 1] += 0.05 - lowest + 1e-3;
    VecX q_bar = x;
    for (double& entry : x) entry += shake(random);
    const implicit::PenaltyContacts set = detection.contacts(x, delta);
    int surfaces = 0, planes = 0;
    for (implicit::PenaltyContact contact : set.contacts) {
        (contact.stencil >= 0 ? surfaces : planes) += 1;
        if (surfaces > 6 && contact.stencil >= 0) continue;
        if (planes > 6 && contact.stencil < 0) continue;
        for (const double coefficient : {0.0, 0.5}) {
            // Slips of about a millimetre, on both sides of the corner.
            for (const double eps : {1e-4, 5e-3}) {
                contact.friction = coefficient;
                contact.kinetic_ratio = 0.8;
                const implicit::PenaltyForce law{delta, 1e8, h, FrictionLaw{FrictionProfile::quadratic, eps, 4 * eps}};
                const Eigen::MatrixXd jacobian =
                    implicit::penalty_jacobian(detection.surfaces(), set, contact, law, x, q_bar);
                Eigen::MatrixXd differences(jacobian.rows(), jacobian.cols());
                const double step = 1e-7;
                for (Eigen::Index c = 0; c < jacobian.cols(); ++c) {
                    const Eigen::Index entry = 3 * contact.vertices[static_cast<std::size_t>(c / 3)] + c % 3;
                    VecX ahead = x, behind = x;
                    ahead[entry] += step;
                    behind[entry] -= step;
                    const auto plus = implicit::penalty_forces(detection.surfaces(), set, contact, law, ahead, q_bar),
                               minus = implicit::penalty_forces(detection.surfaces(), set, contact, law, behind, q_bar);
                    differences.col(c) = -(plus.normal + plus.friction - minus.normal - minus.friction) / (2 * step);
                }
                CHECK((jacobian - differences).norm() <= 1e-5 * jacobian.norm());
                const Eigen::MatrixXd stand_in =
                    implicit::penalty_stand_in(detection.surfaces(), set, contact, law, x, q_bar);
                CHECK((stand_in - stand_in.transpose()).norm() <= 1e-13 * stand_in.norm());
                CHECK(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(stand_in).eigenvalues().minCoeff() >=
                      -1e-12 * stand_in.norm());
            }
        }
    }
    CHECK(surfaces > 3);
    CHECK(planes > 3);
}
