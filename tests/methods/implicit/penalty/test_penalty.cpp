// The method `implicit` with contact by penalty: its balance and forces recomputed, depths and distances with known
// answers, stiffness, restarts.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/implicit/penalty/stage.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <cmath>
#include <cstring>
#include <map>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double gravity = 9.81;

implicit::Options penalty_options() {
    implicit::Options options;
    options.contact = implicit::ContactModel::penalty;
    options.implicit_surface_radius_factor = 1.5;  // the boxes are few elements thick
    return options;
}

/// A box that lands askew on another one, which rests on the ground; both soft.
std::pair<World, State> two_boxes(double friction = 0.4) {
    WorldBuilder builder;
    const Mat3 turn = Eigen::AngleAxisd(0.3, Vec3(0.2, 1.0, 0.1).normalized()).toRotationMatrix();
    builder.add_deformable("upper",
                           translated(rotated(generate_box({0.15, 0.1, 0.15}, {3, 2, 3}), turn), {0.02, 0.125, 0.01}),
                           {MaterialLaw::neo_hookean, 2e5, 0.3, 1000}, {0.3, -0.5, 0.1});
    builder.add_deformable("lower", generate_box({0.3, 0.1, 0.3}, {6, 2, 6}),
                           {MaterialLaw::neo_hookean, 2e5, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.0502, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(friction);
    return builder.build();
}

double kappa_of(const State& state) {
    double kappa = 0.0;
    std::memcpy(&kappa, state.warm_start.at(implicit::PenaltyStages::stiffness_key).data(), sizeof(kappa));
    return kappa;
}

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

/// Contact and friction forces of all pairs by differences of psi.
std::pair<VecX, VecX> reference_forces(const World& world, const ImplicitSurfaces& surfaces, double delta, double kappa,
                                       double eps, const VecX& x, const VecX& v) {
    VecX contact = VecX::Zero(x.size()), friction = contact;
    const auto rub = [&](const Vec3& push, const std::map<Index, double>& weights, double coefficient) {
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
            if (world.bodies[static_cast<std::size_t>(body)].kind == BodyKind::half_space) {
                const HalfSpace& plane = world.half_spaces[0];
                const double gap = plane.normal.dot(at(x, vertex) - at(x, plane.origin_vertex));
                if (gap >= delta) continue;
                const Vec3 push = 3 * kappa * (delta - gap) * (delta - gap) * plane.normal;
                contact.segment<3>(3 * vertex) += push;
                contact.segment<3>(3 * plane.origin_vertex) -= push;
                rub(push, {{vertex, 1.0}, {plane.origin_vertex, -1.0}}, world.friction(own, body));
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
            rub(push, found.weights, world.friction(own, body));
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
    const double h = 0.01, delta = implicit::resolve_penalty(options, world).thickness, eps = 1e-3 * world.diagonal;
    const ImplicitSurfaces surfaces = implicit::penalty_surfaces(world, options);
    implicit::Implicit implicit(options);
    State before = start;
    int between = 0, step = 0;
    run_steps(implicit, world, start, h, 12, [&](const State& now, const StepResult& result) {
        CHECK(result.report.status == Status::converged);
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
            const double overlap =
                std::max(0.0, delta - plane.normal.dot(at(now.x, v) - at(now.x, plane.origin_vertex)));
            internal.segment<3>(3 * v) -= 3 * kappa_of(now) * overlap * overlap * plane.normal;
        }
        internal.segment<3>(3 * plane.origin_vertex).setZero();
        CHECK(moment(internal, now.x).norm() <= 1e-11 * (1e-9 + result.contact_force.cwiseAbs().sum()));
        CHECK(result.friction_force.dot(now.v) <= 1e-12);
        CHECK(result.report.min_gap >= 0.0);
        if (++step % 4 == 0 && result.contact_force.norm() > 0.0) {
            const auto [contact, friction] = reference_forces(world, surfaces, delta, kappa_of(now), eps, now.x, now.v);
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
    const double delta = 4e-3, h = 0.01;
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

namespace {

/// A stiff block on a plane; gravity is tilted instead of the plane, so that x runs down the slope.
std::pair<World, State> block_on_slope(double angle, double friction, double height) {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + height, 0}),
                           {MaterialLaw::neo_hookean, 1e8, 0.3, 1000, 0.0, 1e-3});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    builder.set_default_friction(friction);
    return builder.build();
}

}  // namespace

TEST_CASE(
    "penalty: a block at rest lies in the thickness as deep as the cubic law says, and deeper than that the stiffness "
    "is raised to half of it") {
    const auto [world, start] = block_on_slope(0.0, 0.0, 5e-4);
    implicit::Options options = penalty_options();
    options.penalty_thickness = 1e-3;
    const double weight = world.mass.sum() * gravity, feet = 9;
    // 3 kappa (delta - d)^2 a foot.
    options.penalty_stiffness = weight / (feet * 3 * 4e-4 * 4e-4);
    implicit::Implicit implicit(options);
    const State rest = run_steps(implicit, world, start, 0.01, 200);
    CHECK(kappa_of(rest) == options.penalty_stiffness);
    double gap = 0.0;
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
        if (rest.x[3 * v + 1] < 0.01) gap += rest.x[3 * v + 1] / feet;
    }
    CHECK(gap == relative(1e-3 - 4e-4, 1e-4));

    options.penalty_stiffness = weight / (feet * 3 * 3e-3 * 3e-3);  // would hold the block 2 mm inside
    implicit::Implicit soft(options);
    double deepest = 1.0;
    const State held = run_steps(soft, world, start, 0.01, 400, [&](const State&, const StepResult& result) {
        deepest = std::min(deepest, result.report.min_gap);
    });
    CHECK(deepest >= 0.0);
    CHECK(kappa_of(held) > options.penalty_stiffness);
}

TEST_CASE(
    "penalty: after a hard drop no step ends with a vertex inside, and the stiffness returns once nothing touches") {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.1, 3), {0, 0.17, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000}, {0, -3, 0});
    builder.add_obstacle("table", generate_box({0.5, 0.1, 0.5}, {6, 1, 6}));
    builder.set_gravity({0, -gravity, 0});
    const auto [world, start] = builder.build();
    const implicit::Options options = penalty_options();
    const double initial = implicit::resolve_penalty(options, world).stiffness;
    implicit::Implicit implicit(options, Integrator::sdirk2);
    double stiffest = 0.0, deepest = 1.0;
    int raised = 0;
    bool fell_in_contact = false;
    double last = initial;
    const State end = run_steps(implicit, world, start, 0.005, 60, [&](const State& now, const StepResult& result) {
        deepest = std::min(deepest, result.report.min_gap);
        stiffest = std::max(stiffest, kappa_of(now));
        fell_in_contact = fell_in_contact || (result.report.contacts > 0 && kappa_of(now) < last);
        last = kappa_of(now);
        raised += !result.report.notes.empty();
    });
    CHECK(deepest >= 0.0);
    CHECK(raised > 0);
    CHECK(stiffest > initial);
    CHECK_FALSE(fell_in_contact);
    CHECK(centre_of_mass(world, end, 0).first.y() > 0.3);  // it bounces
    CHECK(kappa_of(end) == initial);
}

TEST_CASE("penalty: a block that slides down 10 degrees stops after v0^2 / (2 a), backward Euler's -v0 h / 2 counted") {
    const double angle = 10.0 * M_PI / 180.0, mu = 0.19, v0 = 0.05, h = 0.01, eps = 1e-5;
    implicit::Options options = penalty_options();
    options.penalty_thickness = 1e-3;
    options.friction_velocity = 1e-3;
    const auto [rough, start] = block_on_slope(angle, 1.2, 9e-4);
    implicit::Implicit settling(options);
    State state = run_steps(settling, rough, start, h, 100);
    const auto [world, unused] = block_on_slope(angle, mu, 9e-4);
    state.v.setZero();
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) state.v[3 * v] = v0;
    options.friction_velocity = eps;
    implicit::Implicit implicit(options);
    const double deceleration = gravity * (mu * std::cos(angle) - std::sin(angle)),
                 exact = v0 * v0 / (2 * deceleration);
    const double from = centre_of_mass(world, state, 0).first.x();
    int steps = 0;
    while (steps < 1000 && centre_of_mass(world, state, 0).second.x() > eps) {
        state = run_steps(implicit, world, state, h, 1);
        ++steps;
    }
    CHECK(centre_of_mass(world, state, 0).first.x() - from == relative(exact - v0 * h / 2, 1e-3));
    CHECK(std::abs(steps * h - v0 / deceleration) <= 1.5 * h);
}

TEST_CASE("penalty: same bits for any number of threads and from a stored state") {
    const auto [world, start] = two_boxes();
    for (const implicit::LinearSolver solver : {implicit::LinearSolver::direct, implicit::LinearSolver::iterative}) {
        implicit::Options options = penalty_options();
        options.solver = solver;
        implicit::Implicit one(options), two(options), fresh(options);
        set_thread_count(1);
        const State middle = run_steps(one, world, start, 0.01, 7);
        const State end = run_steps(one, world, middle, 0.01, 2);
        CHECK(kappa_of(middle) > implicit::resolve_penalty(options, world).stiffness);  // something to carry over
        set_thread_count(2);
        CHECK(run_steps(two, world, start, 0.01, 7) == middle);
        CHECK(run_steps(fresh, world, state_from_bytes(to_bytes(middle), "test"), 0.01, 2) == end);
        set_thread_count(0);
    }
}

TEST_CASE("penalty: BiCGSTAB and LU find the same steps") {
    const auto [world, start] = two_boxes();
    implicit::Options direct = penalty_options(), iterative = penalty_options();
    direct.solver = implicit::LinearSolver::direct;
    iterative.solver = implicit::LinearSolver::iterative;
    direct.implicit_tolerance = iterative.implicit_tolerance = 1e-9;
    implicit::Implicit a(direct), b(iterative);
    State state = start;
    for (int i = 0; i < 8; ++i) {
        const State one = run_steps(a, world, state, 0.01, 1), two = run_steps(b, world, state, 0.01, 1);
        CHECK((one.x - two.x).lpNorm<Eigen::Infinity>() < 1e-9);
        state = one;
    }
}

TEST_CASE(
    "penalty: an obstacle that is driven pushes and drags; a motion farther than a surface reaches is refused by its "
    "status") {
    WorldBuilder builder;
    builder.add_deformable("box", translated(generate_box({0.1, 0.1, 0.1}, {4, 4, 4}), {0, 0.1006, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    const Index belt = builder.add_obstacle("belt", generate_box({0.4, 0.1, 0.4}, {4, 1, 4}));
    Motion motion;
    for (Index v = 0; v < builder.body(belt).vertex_count(); ++v)
        motion.vertices.push_back(builder.first_vertex(belt) + v);
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = {0.1, 0, 0};
    motion.trajectory = trajectory;
    builder.add_motion(motion);
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    const auto [world, start] = builder.build();
    implicit::Implicit implicit(penalty_options());
    implicit.check(world);
    const State end = run_steps(implicit, world, start, 0.01, 60);
    CHECK(centre_of_mass(world, end, 0).second.x() == relative(0.1, 1e-3));  // carried along

    StepResult result;
    implicit.step(world, start, schedule(world, start, 8.0), result);
    CHECK(result.report.status == Status::targets_not_reached);
    CHECK_FALSE(result.report.cause.empty());
}

TEST_CASE("penalty: a solve that stalls is a status with its cause") {
    const auto [world, start] = two_boxes();
    implicit::Options options = penalty_options();
    options.max_implicit_iterations = 1;
    options.implicit_tolerance = 1e-14;
    implicit::Implicit implicit(options);
    StepResult result;
    implicit.step(world, start, schedule(world, start, 0.01), result);
    CHECK(result.report.status == Status::line_search_stalled);
    CHECK(result.report.cause.find("1 iterations") != std::string::npos);
}

TEST_CASE("penalty: worlds that it cannot hold apart are refused") {
    const auto refused = [](WorldBuilder& builder, const char* what, double thickness = 0.0) {
        const auto [world, state] = builder.build();
        implicit::Options options = penalty_options();
        options.penalty_thickness = thickness;
        CHECK_THROWS_WITH_AS(implicit::Implicit(options).check(world), doctest::Contains(what), InputError);
    };
    const auto cloth = [](double y) { return translated(generate_cloth(0.2, 0.2, 2, 2), {0, y, 0}); };
    const auto box = [](double y) { return translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {0, y, 0}); };
    WorldBuilder shells, wires, thick, behind;
    shells.add_shell("one", cloth(0), {});
    shells.add_shell("two", cloth(0.1), {});
    refused(shells, "'one' and 'two'");
    Mesh wire;
    wire.vertices = {{0, -1, 0}, {1, -1, 0}};
    wire.edges = {{0, 1}};
    wires.add_deformable("box", box(0), {});
    wires.add_obstacle("wire", wire);
    refused(wires, "'wire' has bare edges");
    thick.add_deformable("box", box(0), {});
    thick.add_deformable("lid", box(0.5), {});
    refused(thick, "'box'", 1.0);
    behind.add_deformable("box", box(-0.1), {});
    behind.add_obstacle("sheet", cloth(0));
    refused(behind, "box vertex");
}
