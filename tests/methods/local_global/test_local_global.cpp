// Steps of the method `local_global` without contact: against Newton's method, against dense algebra, and with known
// answers.
#include "loaded_bar.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step.hpp"

#include "support/compare.hpp"
#include <Eigen/Dense>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

/// A sheet in the plane of x and z, one edge of it held.
Scene hanging_sheet(MembraneLaw law, BendingModel bending, double mass_damping = 0.0) {
    ShellMaterial material;
    material.law = law;
    material.youngs_modulus = 1e4;
    material.poissons_ratio = 0.3;
    material.areal_density = 0.2;
    material.bending = bending;
    if (bending != BendingModel::none) material.bending_stiffness = 1e-3;
    material.mass_damping = mass_damping;
    const Mesh mesh = generate_cloth(0.4, 0.3, 4, 3);
    WorldBuilder builder;
    builder.add_shell("sheet", mesh, material);
    builder.set_contact(0, 0, false);
    builder.add_motion(hold(vertices_where(mesh, [](const Vec3& x) { return x.x() < -0.199; }), {-0.1, 0, 0}));
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    add_jitter(world, state, 0.004);
    return {std::move(world), std::move(state)};
}

constexpr std::array all_steps = {GlobalStep::complete, GlobalStep::lbfgs};

}  // namespace

TEST_CASE("local_global: gradient and differences of the objective are those of the incremental potential") {
    for (const bool consistent : {false, true}) {
        Scene scene = loaded_bar({MaterialLaw::neo_hookean, 1e4, 0.4, 900, 0.7, 0.02}, {1, -2, 0.5}, consistent);
        add_jitter(scene.world, scene.state, 0.003);
        const double h = 0.02;
        const StepInput input = schedule(scene.world, scene.state, h);
        const IncrementalPotential potential(scene.world, {1.0, h, scene.state.x, scene.state.v}, input.external_force,
                                             scene.state.x);
        const ElementArrays elements(scene.world, 0.01);
        Objective objective(scene.world, elements);
        std::vector<Index> unknowns;
        for (Index v = 0; v < scene.world.vertex_count(); ++v) {
            if (!input.is_driven(v)) unknowns.push_back(v);
        }
        REQUIRE(unknowns.size() < static_cast<std::size_t>(scene.world.vertex_count()));
        objective.begin(scene.state, input, unknowns);
        Evaluation a{.x = scene.state.x, .energy = {}, .filling = {}, .gradient = {}, .quadratic = {}}, b = a;
        for (const Index v : unknowns) b.x.segment<3>(3 * v) += Vec3(1e-3, -2e-3, 5e-4) + 0.01 * a.x.segment<3>(3 * v);
        objective.evaluate(a);
        objective.evaluate(b);
        const VecX gradient = potential.gradient(b.x);
        double worst = 0.0, scale = 0.0;
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            worst = std::max(
                worst, (b.gradient.segment<3>(3 * static_cast<Eigen::Index>(i)) - gradient.segment<3>(3 * unknowns[i]))
                           .norm());
            scale = std::max(scale, gradient.segment<3>(3 * unknowns[i]).norm());
        }
        CHECK(worst < 1e-12 * scale);
        const double expected = potential.difference(a.x, potential.values(a.x), b.x, potential.values(b.x), 0.0).value;
        CHECK(objective.difference(a, b) == relative(expected, 1e-12));
    }
}

TEST_CASE(
    "local_global: an iteration on ARAP is the projection onto rotations, over-relaxed by a quarter, by dense "
    "algebra") {
    Scene scene = loaded_bar({MaterialLaw::arap, 1e5, 0.3, 1000}, {0, -3, 1});
    add_jitter(scene.world, scene.state, 0.005);
    const World& world = scene.world;
    const double h = 0.01;
    const StepInput input = schedule(world, scene.state, h);
    local_global::Options options;
    options.iterations = 1;
    LocalGlobal method(options);
    StepResult result;
    method.step(world, scene.state, input, result);
    REQUIRE(is_accepted(result.report.status));
    CHECK(result.report.trace.front().step_length == 1.0);

    // (M + h^2 sum w G^T G) q = M q_tilde + h^2 sum w G^T p over all vertices; driven rows are replaced by what is
    // prescribed.
    const Index n = world.vertex_count();
    VecX guess = input.target;
    for (Index v = 0; v < n; ++v) {
        if (!input.is_driven(v))
            guess.segment<3>(3 * v) = scene.state.x.segment<3>(3 * v) + h * scene.state.v.segment<3>(3 * v);
    }
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), rhs = Eigen::MatrixXd::Zero(n, 3);
    for (Index v = 0; v < n; ++v) {
        A(v, v) = world.mass[v];
        rhs.row(v) = world.mass[v] * (scene.state.x.segment<3>(3 * v) + h * scene.state.v.segment<3>(3 * v)) +
                     h * h * input.external_force.segment<3>(3 * v);
    }
    const TetElements& tets = world.elastic.front().elements;
    for (std::size_t e = 0; e < tets.size(); ++e) {
        Eigen::Matrix<double, 4, 3> G;
        G.bottomRows<3>() = tets.rest_inverse[e];
        G.row(0) = -G.bottomRows<3>().colwise().sum();
        const double w = 2.0 * tets.mu[e] * tets.volume[e] / 1.25;
        const Mat3 F = deformation_gradient(tets, e, guess);
        const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
        REQUIRE(F.determinant() > 0.0);
        const Mat3 p = F + 1.25 * (svd.matrixU() * svd.matrixV().transpose() - F);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b)
                A(tets.vertices[e][static_cast<std::size_t>(a)], tets.vertices[e][static_cast<std::size_t>(b)]) +=
                    h * h * w * G.row(a).dot(G.row(b));
            rhs.row(tets.vertices[e][static_cast<std::size_t>(a)]) +=
                (h * h * w * p * G.row(a).transpose()).transpose();
        }
    }
    for (Index v = 0; v < n; ++v) {
        if (!input.is_driven(v)) continue;
        A.row(v).setZero();
        A(v, v) = 1.0;
        rhs.row(v) = input.target.segment<3>(3 * v);
    }
    const Eigen::MatrixXd q = A.partialPivLu().solve(rhs);
    double worst = 0.0;
    for (Index v = 0; v < n; ++v)
        worst = std::max(worst, (q.row(v).transpose() - result.state.x.segment<3>(3 * v)).norm());
    CHECK(worst < 1e-12);
}

TEST_CASE("local_global: every law of solids ends where Newton's method ends") {
    for (const MaterialLaw law : objective_laws) {
        for (const GlobalStep step : all_steps) {
            CAPTURE(law_name(law));
            CAPTURE(global_step_names()[static_cast<std::size_t>(step)]);
            Scene scene = loaded_bar({law, 1e5, 0.3, 1000}, {2, -3, 1});
            add_jitter(scene.world, scene.state, 0.002);
            local_global::Options options = tight();
            options.global_step = step;
            CHECK(distance_from_newton(scene, options, 0.02) < 1e-6);
        }
    }
}

TEST_CASE("local_global: damping, consistent mass and sheets end where Newton's method ends") {
    CHECK(distance_from_newton(loaded_bar({MaterialLaw::fixed_corotated, 1e5, 0.3, 1000, 2.0, 0.01}, {2, -3, 1}),
                               tight(), 0.02) < 1e-6);
    CHECK(distance_from_newton(loaded_bar({MaterialLaw::stable_neo_hookean, 1e5, 0.3, 1000}, {2, -3, 1}, true), tight(),
                               0.02) < 1e-6);
    for (const MembraneLaw law : all_membrane_laws) {
        for (const BendingModel bending :
             {BendingModel::none, BendingModel::isometric, BendingModel::laplacian, BendingModel::hinge}) {
            CAPTURE(membrane_law_name(law));
            CHECK(distance_from_newton(hanging_sheet(law, bending, 0.5), tight(20000), 0.01) < 1e-6);
        }
    }
}

TEST_CASE("local_global: neo-Hookean stretches under load as with ipc") {
    // No softening: the rest length under a load that stretches by about a quarter.
    const Scene scene = loaded_bar({MaterialLaw::neo_hookean, 1e5, 0.4, 1000}, {250, 0, 0});
    local_global::Options options = tight(40);
    LocalGlobal method(options);
    ipc::Ipc ipc(newton());
    const State ours = run_steps(method, scene.world, scene.state, 1.0, 40);
    const State theirs = run_steps(ipc, scene.world, scene.state, 1.0, 40);
    double stretched = -1.0, expected = -1.0;
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        stretched = std::max(stretched, ours.x[3 * v] - 0.15);
        expected = std::max(expected, theirs.x[3 * v] - 0.15);
    }
    CHECK(expected > 0.05);
    CHECK(stretched == relative(expected, 1e-6));
    INFO(stretched, " against ", expected);
}

TEST_CASE("local_global: incomplete global steps end at the same place, later") {
    Scene scene = loaded_bar({MaterialLaw::arap, 1e4, 0.3, 1000}, {0, -1, 0});
    add_jitter(scene.world, scene.state, 0.002);
    std::map<GlobalStep, int> iterations;
    for (const GlobalStep step : {GlobalStep::complete, GlobalStep::jacobi, GlobalStep::chebyshev}) {
        CAPTURE(global_step_names()[static_cast<std::size_t>(step)]);
        local_global::Options options = tight(20000);
        options.global_step = step;
        options.tolerance = 1e-8;
        LocalGlobal method(options);
        ipc::Ipc ipc(newton());
        const State theirs = run_steps(ipc, scene.world, scene.state, 0.01, 1);
        const State ours =
            run_steps(method, scene.world, scene.state, 0.01, 1,
                      [&](const State&, const StepResult& result) { iterations[step] = result.report.iterations; });
        CHECK((ours.x - theirs.x).lpNorm<Eigen::Infinity>() <
              1e-5 * (theirs.x - scene.state.x).lpNorm<Eigen::Infinity>());
    }
    CHECK(iterations[GlobalStep::complete] < iterations[GlobalStep::chebyshev]);
    CHECK(iterations[GlobalStep::chebyshev] < iterations[GlobalStep::jacobi]);
}

TEST_CASE("local_global: free fall and spin keep momentum, with a factor in double and in single precision") {
    int cells = 2;
    SUBCASE("double") {}
    SUBCASE("single") {
        cells = 20;
    }
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({0.2, 0.2, 0.2}, {cells, cells, cells}),
                           {MaterialLaw::neo_hookean, 1e6, 0.4, 1000}, {1, 2, 3}, {5, 0, 0});
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    const double h = 0.01;
    const local_global::ElementArrays elements(world, 0.0);
    const local_global::Objective objective(world, elements);
    const std::vector<std::uint8_t> free(static_cast<std::size_t>(world.vertex_count()), 0);
    const local_global::GlobalSystem system(world, elements, objective, {}, h, free);
    CHECK((system.inverse().entries() > most_double_entries) == (cells == 20));
    LocalGlobal method({});
    const State end = run_steps(method, world, state, h, 20);
    const Vec3 velocity = centre_of_mass(world, end, 0).second;
    CHECK((velocity - Vec3(1, 2 - 9.81 * 20 * h, 3)).norm() < 1e-10);
}

TEST_CASE("local_global: an inverted element of a barrier law turns back, and a step that ends inverted says so") {
    Scene scene = loaded_bar({MaterialLaw::neo_hookean, 1e5, 0.4, 1000}, {0, 0, 0});
    const TetElements& tets = scene.world.elastic.front().elements;
    const Index moved = vertices_where(scene.world.bodies[0].mesh, [](const Vec3& x) { return x.norm() < 1e-9; }).at(0);
    scene.state.x[3 * moved] += 0.06;  // past its neighbour
    bool inverted = false;
    for (std::size_t e = 0; e < tets.size(); ++e)
        inverted = inverted || deformation_gradient(tets, e, scene.state.x).determinant() < 0.0;
    REQUIRE(inverted);
    local_global::Options options;
    options.iterations = 1;
    LocalGlobal hasty(options);
    StepResult result;
    hasty.step(scene.world, scene.state, schedule(scene.world, scene.state, 1e-5), result);
    REQUIRE(is_accepted(result.report.status));
    CHECK(result.report.notes.size() == 1);
    LocalGlobal patient(tight(400));
    const State end = run_steps(patient, scene.world, scene.state, 1.0, 10);
    CHECK((end.x - scene.world.initial_positions).lpNorm<Eigen::Infinity>() < 1e-6);
}

TEST_CASE("local_global: same bits with one and two threads, from a fresh method, and after other steps") {
    const auto run = [](int threads, bool interrupted) {
        set_thread_count(threads);
        Scene scene = loaded_bar({MaterialLaw::neo_hookean, 1e5, 0.4, 1000, 0.1, 0.001}, {5, -3, 1});
        local_global::Options options;
        options.global_step = GlobalStep::lbfgs;
        auto method = std::make_unique<LocalGlobal>(options);
        State state = scene.state;
        for (int step = 0; step < 6; ++step) {
            if (interrupted) {
                if (step == 3) method = std::make_unique<LocalGlobal>(options);
                run_steps(*method, scene.world, state, 0.005, 1);  // of another size, thrown away
                state = state_from_bytes(to_bytes(state), "memory");
            }
            state = run_steps(*method, scene.world, state, 0.01, 1);
        }
        set_thread_count(0);
        return to_bytes(state);
    };
    const std::string one = run(1, false);
    CHECK(one == run(2, false));
    CHECK(one == run(2, true));
}

TEST_CASE("local_global: says what it cannot simulate") {
    const auto refusal = [](const World& world, const local_global::Options& options) -> std::string {
        try {
            LocalGlobal(options).check(world);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    const auto complaint = [&](WorldBuilder& builder) { return refusal(builder.build().first, {}); };
    const auto with_modes = [&](WorldBuilder& builder, const std::string& what) {
        const World world = builder.build().first;
        CHECK(refusal(world, {}).empty());
        for (const GlobalStep step : {GlobalStep::lbfgs, GlobalStep::jacobi}) {
            local_global::Options options;
            options.global_step = step;
            CHECK(refusal(world, options).find("'complete' with " + what) != std::string::npos);
        }
        local_global::Options published, by_mass;
        published.contact.indicators = IndicatorUse::as_printed;
        by_mass.contact.scale = ComplementarityScale::mass_inverse;
        CHECK(refusal(world, published).find("'newton' with " + what) != std::string::npos);
        CHECK(refusal(world, by_mass).find("'system_inverse' with " + what) != std::string::npos);
        local_global::Options emulated;
        emulated.device = DeviceKind::emulated;
        CHECK(refusal(world, emulated).find("local_global.device 'emulated'") != std::string::npos);
    };
    const Mesh box = generate_box({1, 1, 1}, {1, 1, 1});
    {
        WorldBuilder builder;
        builder.add_rigid("stone", box, 1000);
        with_modes(builder, "rigid bodies");
    }
    {
        WorldBuilder builder;
        builder.add_shell("hinged", generate_cloth(1, 1, 2, 2), {});
        CHECK(complaint(builder).empty());
    }
    {
        WorldBuilder builder;
        ShellMaterial limited;
        limited.bending = BendingModel::none;
        limited.strain_limit = {1.02, 1.5, 2e3};
        builder.add_shell("limited", generate_cloth(1, 1, 2, 2), limited);
        CHECK(complaint(builder).find("strain limit") != std::string::npos);
    }
    {
        WorldBuilder builder;
        builder.add_deformable("filled", box, {});
        builder.add_filling(0, FilledPart::tets, {});
        with_modes(builder, "fillings");
    }
    {
        WorldBuilder builder;
        builder.add_deformable("filled", box, {});
        builder.add_filling(0, FilledPart::tets, {}, {}, false);
        CHECK(complaint(builder).find("exact_matrix: false: expected true") != std::string::npos);
    }
    {
        WorldBuilder builder;
        builder.add_deformable("guided", box, {});
        Motion motion = hold({0, 1});
        motion.axes = 2;
        builder.add_motion(motion);
        with_modes(builder, "motions along some axes");
    }
    {
        const Mesh fine = generate_box({1, 1, 1}, {14, 14, 14});
        WorldBuilder builder;
        builder.add_deformable("guided", fine, {});
        std::vector<Index> all(fine.vertices.size());
        std::iota(all.begin(), all.end(), 0);
        Motion motion = hold(all);
        motion.axes = 2;
        builder.add_motion(motion);
        CHECK(complaint(builder).find("at most 3000") != std::string::npos);
    }
    {
        WorldBuilder builder;
        builder.add_deformable("fine", box, {});
        builder.add_obstacle("wall", box);
        CHECK(complaint(builder).empty());
    }
}
