// Sheets in the time step: motion and statics with known answers, what the builder refuses.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/fem/laplacian_bending.hpp"
#include "stiction/mesh/generate.hpp"

#include "methods/ipc/cloth_material.hpp"
#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

Motion clamp(std::vector<Index> vertices) {
    Motion motion;
    motion.name = "clamp";
    motion.vertices = std::move(vertices);
    motion.trajectory = std::make_shared<HoldTrajectory>();
    return motion;
}

ipc::Options precise() {
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    return options;
}

/// Static tip deflection of a strip along x under its weight; its first two columns of vertices are held.
double strip_deflection(int cells, double length, BendingModel bending) {
    const double cell = length / cells;
    ShellMaterial material = cloth(1e9, bending);
    material.poissons_ratio = 0.0;
    material.areal_density = 0.02;
    const Mesh mesh = generate_cloth(length + cell, 0.05, cells + 1, std::max(2, cells / 6));
    WorldBuilder builder;
    builder.add_shell("strip", mesh, material);
    std::vector<Index> held;
    double left = mesh.vertices[0].x();
    for (const Vec3& x : mesh.vertices) left = std::min(left, x.x());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (mesh.vertices[v].x() < left + 1.5 * cell) held.push_back(static_cast<Index>(v));
    }
    builder.add_motion(clamp(held));
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(precise());
    const State end = run_steps(ipc, world, state, 5.0, 25);
    double lowest = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) lowest = std::min(lowest, end.x[3 * v + 1]);
    return -lowest;
}

}  // namespace

TEST_CASE("shells: free fall is that of a point, and nothing but gravity changes the momentum") {
    for (const BendingModel bending :
         {BendingModel::none, BendingModel::hinge, BendingModel::isometric, BendingModel::laplacian}) {
        WorldBuilder builder;
        const Mesh mesh = generate_cloth(1, 0.7, 6, 5);
        builder.add_shell("cloth", mesh, cloth(1e5, bending), {0.3, 1.0, -0.2});
        builder.set_gravity({0, -9.81, 0});
        auto [world, state] = builder.build();
        ipc::Ipc ipc(precise());
        const double h = 0.01;
        const int steps = 20;
        const State end = run_steps(ipc, world, state, h, steps);
        const Vec3 way = Vec3(0.3, 1.0, -0.2) * h * steps + Vec3(0, -9.81, 0) * h * h * steps * (steps + 1) / 2;
        for (Index v = 0; v < world.vertex_count(); ++v)
            CHECK((end.x.segment<3>(3 * v) - state.x.segment<3>(3 * v) - way).norm() < 1e-10);
    }
    // A crumpled, spinning sheet without gravity.
    WorldBuilder builder;
    const Mesh mesh = generate_cloth(1, 0.7, 6, 5);
    builder.add_shell("cloth", mesh, cloth(), {0.3, 1.0, -0.2}, {1.0, 2.0, 3.0});
    auto [world, state] = builder.build();
    std::mt19937 random(2);
    std::uniform_real_distribution<double> jitter(-0.02, 0.02);
    for (double& x : state.x) x += jitter(random);
    StepReport before, after;
    measure(world, state, before);
    REQUIRE(before.elastic > 1e-3);
    ipc::Ipc ipc(precise());
    const State end = run_steps(ipc, world, state, 0.01, 20);
    measure(world, end, after);
    CHECK((after.momentum - before.momentum).norm() < 1e-7 * before.momentum.norm());
    CHECK(after.kinetic + after.elastic < before.kinetic + before.elastic);
}

TEST_CASE("shells: mass damping slows a drifting sheet by 1 / (1 + alpha h) a step") {
    WorldBuilder builder;
    ShellMaterial material = cloth();
    material.mass_damping = 3.0;
    builder.add_shell("cloth", generate_cloth(1, 1, 3, 3), material, {1, 0, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(precise());
    const State end = run_steps(ipc, world, state, 0.1, 10);
    for (Index v = 0; v < world.vertex_count(); ++v)
        CHECK((end.v.segment<3>(3 * v) - Vec3(std::pow(1.3, -10), 0, 0)).norm() < 1e-7);
}

TEST_CASE("shells: a clamped strip sags as a plate of the stiffness that its mesh has, q L^4 / (8 D)") {
    // Small deflections of a mesh with alternating diagonals: its vertices of 4 and 8 neighbours shift against each
    // other, which leaves k_b / 2 (5/6 (a^2 + b^2) - 1/3 a b) per area for the curvatures a along and b across the
    // strip (docs/physics/shells.md). A narrow strip takes the b that costs least: (5/6) (1 - 1/25) k_b = 0.8 k_b.
    const double length = 0.3, stiffness = 0.8 * flexural_rigidity(1e9, 0.0, 1e-3),
                 plate = 0.02 * 9.81 * std::pow(length, 4) / (8 * stiffness);
    for (const BendingModel bending : {BendingModel::hinge, BendingModel::isometric}) {
        const double coarse = strip_deflection(12, length, bending), fine = strip_deflection(24, length, bending);
        MESSAGE("deflection / plate theory, 12 and 24 cells: ", coarse / plate, " ", fine / plate);
        CHECK(std::abs(fine - plate) < 0.06 * plate);
        CHECK(std::abs(2 * fine - coarse - plate) <
              0.02 * plate);  // the clamp and the free edges are first-order effects
    }
}

TEST_CASE(
    "shells: with the Laplacian a vertex between parts bends as the softest one, in a body that is not the first") {
    const Mesh mesh = generate_cloth(0.4, 0.3, 4, 3);
    ShellMaterial stiff = cloth(1e5, BendingModel::laplacian), soft = stiff;
    stiff.bending_stiffness = 3.0;
    soft.bending_stiffness = 0.2;
    std::vector<Index> part;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto left = [&](Index v) { return mesh.vertices[static_cast<std::size_t>(v)].x() < 0.01; };
        if (std::all_of(mesh.triangles[t].begin(), mesh.triangles[t].end(), left))
            part.push_back(static_cast<Index>(t));
    }
    WorldBuilder builder;
    builder.add_shell("no bending", translated(mesh, {0, 2, 0}), cloth(1e5, BendingModel::none));
    builder.add_shell("a row of cells", translated(generate_cloth(1.0, 0.1, 10, 1), {0, 1, 0}), stiff);
    builder.add_shell("parts", mesh, stiff, {}, {}, {}, {{part, soft}});
    auto [world, state] = builder.build();
    const auto group = std::find_if(world.sheets.begin(), world.sheets.end(), [](const SheetGroup& g) {
        return std::holds_alternative<IsometricBending>(g.elements);
    });
    REQUIRE(group != world.sheets.end());
    for (const Index body : group->body) CHECK(body == 2);
    const Index first = world.bodies[2].first_vertex;
    LaplacianBending expected;
    append_laplacian_bending(expected, mesh.vertices, mesh.triangles, 1.0, first);
    int softer = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const Index centre = expected.vertices[expected.begin[k]] - first;
        const bool touches = std::any_of(part.begin(), part.end(), [&](Index t) {
            const Triangle& triangle = mesh.triangles[static_cast<std::size_t>(t)];
            return std::find(triangle.begin(), triangle.end(), centre) != triangle.end();
        });
        expected.stiffness[k] *= touches ? 0.2 : 3.0;
        softer += touches ? 1 : 0;
    }
    CHECK(softer > 0);
    CHECK(softer < static_cast<int>(expected.size()));
    for (Eigen::Index i = 0; i < state.x.size(); ++i) state.x[i] += 0.1 * std::sin(3.0 * static_cast<double>(i * i));
    CHECK(isometric_energy(std::get<IsometricBending>(group->elements), state.x) ==
          relative(laplacian_bending_energy(expected, state.x), 1e-12));
}

TEST_CASE("shells: a strip that hangs from its ends takes the shape of a catenary") {
    // Length 1 over a span of 0.8: a with 2 a sinh(0.4 / a) = 1 by bisection.
    double low = 0.1, high = 10.0;
    for (int i = 0; i < 100; ++i) {
        const double a = 0.5 * (low + high);
        (2 * a * std::sinh(0.4 / a) > 1.0 ? low : high) = a;
    }
    const double sag = low * (std::cosh(0.4 / low) - 1.0);
    const Mesh rest = generate_cloth(1.0, 0.05, 40, 2);
    Mesh mesh = rest;
    std::vector<Index> ends;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        Vec3& x = mesh.vertices[v];
        if (std::abs(x.x()) > 0.5 - 1e-9) ends.push_back(static_cast<Index>(v));
        x = Vec3(0.8 * x.x(), -0.6 * (0.5 - std::abs(x.x())), x.z());  // a V of the same length
    }
    ShellMaterial material = cloth(1e7, BendingModel::none);
    material.poissons_ratio = 0.0;
    WorldBuilder builder;
    builder.add_shell("strip", mesh, material, Vec3::Zero(), Vec3::Zero(), rest.vertices);
    builder.add_motion(clamp(ends));
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(precise());
    const State end = run_steps(ipc, world, state, 0.05, 120);
    double worst = 0.0, lowest = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const double x = end.x[3 * v], y = end.x[3 * v + 1];
        worst = std::max(worst, std::abs(y - (low * std::cosh(x / low) - low * std::cosh(0.4 / low))));
        lowest = std::min(lowest, y);
    }
    MESSAGE("sag ", -lowest, ", catenary ", sag, ", largest distance in height ", worst);
    CHECK(-lowest == relative(sag, 0.01));
    CHECK(worst < 0.01 * sag);
}

TEST_CASE("shells: a strain limit holds where the sheet alone would not, also against driven vertices") {
    WorldBuilder builder;
    const Mesh mesh = generate_cloth(1, 0.5, 6, 3);
    ShellMaterial material = cloth(1e3, BendingModel::none);
    material.strain_limit = {1.05, 1.1, 1e3};
    builder.add_shell("cloth", mesh, material);
    std::vector<Index> top;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (mesh.vertices[v].x() < -0.5 + 1e-9) top.push_back(static_cast<Index>(v));
    }
    Motion shake = clamp(top);
    auto jerk = std::make_shared<RigidTrajectory>();
    jerk->velocity = {-3.0, 0.0, 0.0};
    shake.trajectory = jerk;
    builder.add_motion(shake);
    builder.set_gravity({9.81, 0, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(precise());
    double largest = 1.0;
    run_steps(ipc, world, state, 0.02, 40, [&](const State& now, const StepResult&) {
        const auto& triangles = std::get<TriangleElements>(world.sheets[0].elements);
        for (std::size_t e = 0; e < triangles.size(); ++e)
            largest = std::max(largest, principal_stretches(triangles, e, now.x)[0]);
    });
    MESSAGE("largest stretch ", largest);
    CHECK(largest < 1.1);
    CHECK(largest > 1.05);
}

TEST_CASE(
    "shells: cloth draped on a ball and folded onto itself crosses nothing; same bits for 1 and 2 threads and through "
    "bytes") {
    const auto run = [](int threads, bool through_bytes) {
        set_thread_count(threads);
        WorldBuilder builder;
        ShellMaterial material = cloth(1e4);
        material.bending_stiffness = 1e-5;
        builder.add_shell("cloth", translated(generate_cloth(0.6, 0.6, 12, 12), {0.02, 0.205, 0.01}), material);
        builder.add_obstacle("ball", generate_icosphere(0.2, 2));
        builder.add_half_space("ground", {0, -0.25, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.2);
        auto [world, state] = builder.build();
        ipc::Ipc ipc(ipc::Options{});
        long contacts = 0;
        const auto each = [&](const State& now, const StepResult& result) {
            contacts += result.report.contacts;
            CHECK(find_intersections(world.surface, world.contact_pairs, now.x).empty());
        };
        state = run_steps(ipc, world, state, 0.01, 20, each);
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        ipc::Ipc fresh(ipc::Options{});
        state = run_steps(through_bytes ? fresh : ipc, world, state, 0.01, 20, each);
        CHECK(contacts > 1000);
        double lowest = 1.0;
        for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) lowest = std::min(lowest, state.x[3 * v + 1]);
        CHECK(lowest < 0.0);
        return to_bytes(state);
    };
    const std::string reference = run(1, false);
    CHECK(run(2, true) == reference);
    set_thread_count(0);
}

TEST_CASE("shells: what makes no sheet is refused by name") {
    const auto message = [](const Mesh& mesh, const ShellMaterial& material) -> std::string {
        WorldBuilder builder;
        try {
            builder.add_shell("flag", mesh, material);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto says = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find("flag") != std::string::npos);
        CHECK(text.find(part) != std::string::npos);
    };
    const Mesh mesh = generate_cloth(1, 1, 2, 2);
    CHECK(message(mesh, cloth()).empty());
    says(message(generate_box({1, 1, 1}, {1, 1, 1}), cloth()), "a mesh of triangles");
    says(message(Mesh{}, cloth()), "no triangles");
    ShellMaterial material = cloth();
    material.thickness = 0.0;
    says(message(mesh, material), "thickness");
    material = cloth();
    material.poissons_ratio = 0.5;
    says(message(mesh, material), "Poisson");
    material = cloth();
    material.areal_density = 0.0;
    says(message(mesh, material), "areal density");
    material = cloth();
    material.bending_stiffness = -1.0;
    says(message(mesh, material), "stiffness");
    material = cloth();
    material.strain_limit = {1.2, 1.1, 10.0};
    says(message(mesh, material), "strain limit");
    Mesh broken = mesh;
    broken.triangles.push_back(broken.triangles[0]);
    says(message(broken, cloth()), "every triangle once");
    broken = mesh;
    broken.vertices.push_back({5, 5, 5});
    says(message(broken, cloth()), "of no triangle");
    const Triangle first = mesh.triangles[0];
    for (const auto& [a, b] :
         {std::pair{0, 1}, std::pair{1, 2}, std::pair{2, 0}}) {  // one of these edges has two triangles already
        broken.triangles.push_back({first[static_cast<std::size_t>(a)], first[static_cast<std::size_t>(b)],
                                    static_cast<Index>(broken.vertices.size() - 1)});
    }
    says(message(broken, cloth()), "at most two triangles");
    CHECK(message(broken, cloth(1e5, BendingModel::none)).empty());
    broken = mesh;
    broken.vertices[0] = broken.vertices[1] = broken.vertices[2];
    says(message(broken, cloth()), "degenerate");
    WorldBuilder builder;
    builder.add_shell("flag", mesh, cloth());
    builder.set_consistent_mass(true);
    CHECK_THROWS_AS(builder.build(), InputError);
}
