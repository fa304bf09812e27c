// Steps of `local_global` with its default options: energies do not grow, flat meshes do not stop a sliding block,
// glued faces do not push each other, the factored matrix is read from files.
#include "stiction/audit/audit.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>

#include <filesystem>
#include <fstream>
#include <numbers>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

Scene spinning_cube(MaterialLaw law, double poissons_ratio) {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {law, 1e6, poissons_ratio, 1000},
                           Vec3::Zero(), {3, 1, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

Scene lying_cube(const BodyMaterial& material) {
    WorldBuilder builder;
    builder.add_deformable("cube", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.0502, 0}), material);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Largest elastic energy (J) over the first half of some steps, and over the second.
std::array<double, 2> largest_energies(const Scene& scene, const local_global::Options& options, int steps) {
    LocalGlobal method(options);
    std::array<double, 2> largest{};
    int step = 0;
    run_steps(method, scene.world, scene.state, 0.01, steps, [&](const State&, const StepResult& result) {
        double& half = largest[2 * step++ < steps ? 0 : 1];
        half = std::max(half, result.report.elastic);
    });
    return largest;
}

double largest_energy(const Scene& scene, const local_global::Options& options, int steps) {
    const auto [first, second] = largest_energies(scene, options, steps);
    return std::max(first, second);
}

/// A bar of ARAP along x, each end turned by a quarter turn a second against the other.
Scene twisting_bar(double modulus) {
    const Mesh mesh = generate_box({0.4, 0.2, 0.2}, {12, 6, 6});
    WorldBuilder builder;
    builder.add_deformable("bar", mesh, {MaterialLaw::arap, modulus, 0.45, 1000});
    builder.set_contact(0, 0, false);
    for (const double side : {-1.0, 1.0}) {
        Motion end;
        end.name = "end";
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            if (side * mesh.vertices[v].x() > 0.1999) end.vertices.push_back(static_cast<Index>(v));
        }
        auto turn = std::make_shared<RigidTrajectory>();
        turn->axis = Vec3::UnitX();
        turn->angular_velocity = side * 0.5 * std::numbers::pi;
        end.trajectory = turn;
        builder.add_motion(std::move(end));
    }
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Share of the energy above Newton's solution that iterations leave of a step begun at x_t.
double energy_left(const Scene& scene, const local_global::Options& options, const StepInput& input) {
    ipc::Options exact;
    exact.velocity_tolerance = 1e-8;
    ipc::Ipc newton(exact);
    StepResult result;
    newton.step(scene.world, scene.state, input, result);
    REQUIRE(is_accepted(result.report.status));
    Workspace workspace(scene.world, options);
    const GlobalSystem& system = workspace.system(scene.world, options, input);
    workspace.objective.begin(scene.state, input, system.unknowns());
    Evaluation first, last;
    first.x = input.target;
    for (const Index v : system.unknowns()) first.x.segment<3>(3 * v) = scene.state.x.segment<3>(3 * v);
    last.x = result.state.x;
    workspace.objective.evaluate(first);
    workspace.objective.evaluate(last);
    const double whole = workspace.objective.difference(last, first);
    workspace.solver->start(system, first.x);
    for (int k = 0; k < options.iterations; ++k) workspace.solver->iterate();
    return (workspace.solver->decrease() + whole) / whole;
}

struct TemporaryFolder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "stiction_local_global_cache";
    TemporaryFolder() { std::filesystem::remove_all(path); }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("local_global: no number of iterations and no Poisson's ratio makes a spinning cube gain energy") {
    for (const MaterialLaw law :
         {MaterialLaw::neo_hookean, MaterialLaw::stable_neo_hookean, MaterialLaw::fixed_corotated, MaterialLaw::arap}) {
        for (const double poissons_ratio : {0.0, 0.25, 0.3, 0.33, 0.4, 0.45}) {
            const Scene scene = spinning_cube(law, poissons_ratio);
            for (const int iterations : {1, 2, 3, 4, 5, 7}) {
                local_global::Options options;
                options.iterations = iterations;
                INFO(law_name(law), " ", poissons_ratio, " ", iterations);
                const auto [first, second] = largest_energies(scene, options, 120);
                CHECK(second <= first);
            }
        }
    }
}

TEST_CASE(
    "local_global: ten iterations leave less than a thousandth of the energy error of a twisting bar, soft or stiff, "
    "where one Jacobi iteration each leaves a fifth") {
    for (const double modulus : {1e5, 1e7, 1e9}) {
        CAPTURE(modulus);
        Scene scene = twisting_bar(modulus);
        local_global::Options options;
        LocalGlobal method(options);
        scene.state = run_steps(method, scene.world, scene.state, 0.01, 40);
        const StepInput input = schedule(scene.world, scene.state, 0.01);
        options.iterations = 10;
        CHECK(std::abs(energy_left(scene, options, input)) < 1e-3);
        options.global_step = GlobalStep::lbfgs;
        CHECK(std::abs(energy_left(scene, options, input)) < 1e-4);
        options.global_step = GlobalStep::jacobi;
        CHECK(energy_left(scene, options, input) > 0.2);
    }
}

TEST_CASE("local_global: a sheet that was rolled up unrolls by its hinges, and swings less and less") {
    constexpr double radius = 0.06;
    ShellMaterial material;
    material.bending = BendingModel::hinge;
    material.youngs_modulus = 1e5;
    material.areal_density = 0.2;
    material.bending_stiffness = 1e-3;
    WorldBuilder builder;
    builder.add_shell("sheet", generate_cloth(0.2, 0.1, 16, 8), material);
    builder.set_contact(0, 0, false);
    auto [world, state] = builder.build();
    Scene scene{std::move(world), std::move(state)};
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        const double angle = scene.state.x[3 * v] / radius;
        scene.state.x[3 * v] = radius * std::sin(angle);
        scene.state.x[3 * v + 1] += radius * (1.0 - std::cos(angle));
    }
    const auto width = [](const State& now) {
        double least = 1.0, most = -1.0;
        for (Eigen::Index v = 0; v < now.x.size() / 3; ++v) {
            least = std::min(least, now.x[3 * v]);
            most = std::max(most, now.x[3 * v]);
        }
        return most - least;
    };
    CHECK(width(scene.state) < 0.121);
    for (const GlobalStep kind : {GlobalStep::complete, GlobalStep::lbfgs}) {
        for (const int iterations : {1, 2, 5}) {
            local_global::Options options;
            options.iterations = iterations;
            options.global_step = kind;
            INFO(global_step_names()[static_cast<std::size_t>(kind)], " ", iterations);
            LocalGlobal method(options);
            // Few iterations leave smooth bending more inertia than it has: energies of single steps go up and down,
            // those of swings must not.
            std::array<double, 3> largest{};
            double widest = 0.0;
            int step = 0;
            run_steps(method, scene.world, scene.state, 0.01, 300, [&](const State& now, const StepResult& result) {
                double& third = largest[static_cast<std::size_t>(step++ / 100)];
                third = std::max(third, result.report.elastic);
                widest = std::max(widest, width(now));
            });
            CHECK(widest > 0.19);
            CHECK(largest[1] < 0.9 * largest[0]);
            CHECK(largest[2] < 0.9 * largest[1]);
        }
    }
}

TEST_CASE("local_global: a bar that hangs stretched comes to rest with any law and number of iterations") {
    for (const MaterialLaw law :
         {MaterialLaw::neo_hookean, MaterialLaw::stable_neo_hookean, MaterialLaw::fixed_corotated,
          MaterialLaw::saint_venant_kirchhoff, MaterialLaw::arap}) {
        for (const double poissons_ratio : {0.0, 0.1, 0.3}) {
            const Mesh mesh = generate_box({0.2, 0.8, 0.2}, {2, 6, 2});
            WorldBuilder builder;
            builder.add_deformable("bar", mesh, {law, 1e5, poissons_ratio, 1000});
            Motion top;
            top.name = "top";
            for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
                if (mesh.vertices[v].y() > 0.399) top.vertices.push_back(static_cast<Index>(v));
            }
            top.trajectory = std::make_shared<RigidTrajectory>();
            builder.add_motion(top);
            builder.set_gravity({0, -20, 0});
            const auto [world, state] = builder.build();
            for (const int iterations : {1, 2, 3}) {
                INFO(law_name(law), " ", poissons_ratio, " ", iterations);
                local_global::Options options;
                options.iterations = iterations;
                LocalGlobal method(options);
                const State end = run_steps(method, world, state, 0.02, 250);
                CHECK(kinetic_energy(world, end.v) < 0.01);
                CHECK(elastic_energy(world, end.x) > 5.0);
            }
        }
    }
}

TEST_CASE("local_global: a stiff cube lies on the floor with the energy of its weight") {
    for (const double modulus : {1e6, 1e9}) {
        const Scene scene = lying_cube({MaterialLaw::fixed_corotated, modulus, 0.3, 1000});
        // It falls by 0.2 mm less what surfaces keep: 2 mJ at most.
        CHECK(largest_energy(scene, {}, 100) < 2e-3);
    }
}

TEST_CASE("local_global: a block without friction slides on, over the edges inside a plane mesh") {
    const auto speed = [](const Mesh& table) {
        WorldBuilder builder;
        builder.add_deformable("block", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.0502, 0}),
                               {MaterialLaw::arap, 1e6, 0.2, 1000}, {1, 0, 0});
        builder.add_obstacle("table", table);
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.0);
        auto [world, state] = builder.build();
        LocalGlobal method({});
        const State end = run_steps(method, world, state, 0.01, 60, [&](const State& now, const StepResult&) {
            CHECK(audit::audit_state(world, now.x).ok());
        });
        return centre_of_mass(world, end, 0).second.x();
    };
    CHECK(speed(translated(generate_box({4, 0.1, 0.5}, {1, 1, 1}), {0, -0.05, 0})) == relative(1.0, 1e-6));
    CHECK(speed(translated(generate_box({4, 0.1, 0.5}, {20, 1, 3}), {0, -0.05, 0})) == relative(1.0, 1e-6));
}

TEST_CASE("local_global: sharp edges that cross hold each other") {
    // Two wedges, ridge on ridge, at right angles.
    const auto wedge = [](double height, bool turned) {
        Mesh mesh;
        const double w = 0.1, tip = height;
        mesh.vertices = {{-w, 0, 0}, {w, 0, 0}, {0, tip, -w}, {0, tip, w}};
        mesh.tets = {{0, 1, 2, 3}};
        for (Vec3& x : mesh.vertices) {
            if (turned) x = Vec3(x.z(), x.y(), -x.x());
        }
        if ((mesh.vertices[1] - mesh.vertices[0])
                .cross(mesh.vertices[2] - mesh.vertices[0])
                .dot(mesh.vertices[3] - mesh.vertices[0]) < 0.0)
            std::swap(mesh.tets[0][0], mesh.tets[0][1]);
        return mesh;
    };
    WorldBuilder builder;
    builder.add_deformable("upper", translated(wedge(-0.1, true), {0, 0.2005, 0}), {MaterialLaw::arap, 1e6, 0.2, 1000});
    Mesh lower = wedge(0.1, false);
    builder.add_deformable("lower", lower, {MaterialLaw::arap, 1e6, 0.2, 1000});
    Motion held;
    held.name = "held";
    held.vertices = {4, 5, 6, 7};
    held.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(held);
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    LocalGlobal method({});
    const State end = run_steps(method, world, state, 0.01, 10);
    CHECK(audit::audit_state(world, end.x).ok());
    CHECK(centre_of_mass(world, end, 0).first.y() > centre_of_mass(world, state, 0).first.y() - 2e-3);
}

TEST_CASE("local_global: L-BFGS keeps contact forces where nothing is left to go") {
    const Scene scene = lying_cube({MaterialLaw::fixed_corotated, 1e9, 0.3, 1000});
    local_global::Options options;
    options.global_step = GlobalStep::lbfgs;
    options.iterations = 200;
    LocalGlobal method(options);
    int step = 0;
    double sum = 0.0;
    run_steps(method, scene.world, scene.state, 0.01, 60, [&](const State&, const StepResult& result) {
        if (++step <= 20) return;
        double normal = 0.0;
        for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v) normal += result.contact_force[3 * v + 1];
        CHECK(result.report.notes.empty());
        CHECK(normal > 0.0);
        sum += normal;
        CHECK(result.report.complementarity->sticking + result.report.complementarity->sliding ==
              result.report.contacts);
    });
    CHECK(sum / 40 == relative(gravity, 0.05));
}

TEST_CASE("local_global: glued faces nearer than surfaces keep do not push each other") {
    const auto energy = [](bool contact) {
        WorldBuilder builder;
        const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e5, 0.3, 1000};
        builder.add_deformable("left", generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), soft);
        builder.add_deformable("right", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0.10005, 0, 0}), soft);
        builder.set_contact(0, 1, contact);
        auto [world, state] = builder.build();
        local_global::Options options;
        options.iterations = 20;
        options.attachments = {{.body = "right", .to = "left", .centre = {0.05005, 0, 0}, .radius = 0.08}};
        return largest_energy({std::move(world), std::move(state)}, options, 120);
    };
    CHECK(energy(false) < 1e-12);
    CHECK(energy(true) < 1e-12);
}

TEST_CASE("local_global: what is attached to triangles keeps its distance from them, and goes with them") {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {2, 2, 2}),
                           {MaterialLaw::fixed_corotated, 1e5, 0.3, 1000});
    builder.add_obstacle("plate", translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {0, 0.3, 0}));
    Motion motion;
    motion.name = "turn";
    for (Index v = 27; v < 35; ++v) motion.vertices.push_back(v);
    auto turn = std::make_shared<RigidTrajectory>();
    turn->centre = {0, 0.3, 0};
    turn->axis = Vec3::UnitZ();
    turn->angular_velocity = 1.0;
    motion.trajectory = turn;
    builder.add_motion(motion);
    auto [world, state] = builder.build();
    local_global::Options options;
    options.iterations = 20;
    options.contact.linear_iterations = 100;
    options.attachments = {{.body = "cube", .to = "plate", .centre = {0, 0, 0}, .radius = 1.0}};
    LocalGlobal method(options);
    method.check(world);
    const State end = run_steps(method, world, state, 0.01, 50);
    const Mat3 turned = Eigen::AngleAxisd(0.5, Vec3::UnitZ()).toRotationMatrix();
    const Vec3 centre(0, 0.3, 0);
    for (Index v = 0; v < 27; ++v) {
        const Vec3 before = world.initial_positions.segment<3>(3 * v);
        CHECK((end.x.segment<3>(3 * v) - (centre + turned * (before - centre))).norm() < 1e-4);
    }
}

TEST_CASE("local_global: the factored matrix is kept in files, with the same bits") {
    const TemporaryFolder folder;
    const Scene scene = lying_cube({MaterialLaw::fixed_corotated, 1e5, 0.3, 1000});
    local_global::Options options;
    const auto end = [&] {
        LocalGlobal method(options);
        return run_steps(method, scene.world, scene.state, 0.01, 5).x;
    };
    const VecX without = end();
    options.cache = folder.path.string();
    CHECK(end() == without);
    REQUIRE(std::filesystem::exists(folder.path));
    const auto files =
        std::distance(std::filesystem::directory_iterator(folder.path), std::filesystem::directory_iterator());
    CHECK(files == 1);
    CHECK(end() == without);
    // A damaged file is made again, and the report says so.
    for (const auto& entry : std::filesystem::directory_iterator(folder.path))
        std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << "nonsense";
    LocalGlobal method(options);
    StepResult result;
    method.step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), result);
    REQUIRE(!result.report.notes.empty());
    CHECK(result.report.notes[0].find(folder.path.string()) != std::string::npos);
}
