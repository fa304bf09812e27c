// Rods in the time step: motion and statics with known answers, contact, what the builder refuses.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/distance.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/dynamics/rod_edges.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>
#include <numbers>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double pi = std::numbers::pi, g = 9.81;

Motion hold(std::vector<Index> vertices, unsigned axes = 7) {
    Motion motion;
    motion.name = "hold";
    motion.vertices = std::move(vertices);
    motion.trajectory = std::make_shared<HoldTrajectory>();
    motion.axes = axes;
    return motion;
}

ipc::Options precise_options() {
    ipc::Options options;
    options.velocity_tolerance = 1e-10;
    return options;
}

RodMaterial wire(double youngs_modulus = 1e11, double radius = 1e-3, double density = 2000.0) {
    RodMaterial material;
    material.youngs_modulus = youngs_modulus;
    material.radius = radius;
    material.linear_density = density * cross_section(material);
    return material;
}

Mesh line(double from, double to, int edges) {
    return generate_polyline({Vec3(from, 0, 0), Vec3(to, 0, 0)}, false, (to - from) / edges);
}

/// q L^4 / (8 E I), the deflection of the tip of a cantilever with the load q (N/m).
double beam_deflection(const RodMaterial& material, double length) {
    return material.linear_density * g * std::pow(length, 4) / (8.0 * bending_stiffness(material));
}

/// Static deflection of the tip of a rod of n edges along x under its weight, with one more edge that is held.
double tip_deflection(int n, double length, const RodMaterial& material) {
    WorldBuilder builder;
    builder.add_rod("rod", line(-length / n, length, n + 1), material);
    builder.add_motion(hold({0, 1}));
    builder.set_gravity({0, -g, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(precise_options());
    const State end = run_steps(ipc, world, state, 10.0, 15);
    return -end.x[3 * (world.vertex_count() - 1) + 1];
}

}  // namespace

TEST_CASE("rods: masses are rho pi r^2 of half the edges beside a vertex; free fall is that of a point") {
    WorldBuilder builder;
    const Mesh mesh = generate_polyline({Vec3(0, 0, 0), Vec3(0.3, 0, 0), Vec3(0.3, 0.2, 0)}, false, 0.1);
    const RodMaterial material = wire(1e8);
    builder.add_rod("rod", mesh, material, {0.3, 1.0, -0.2});
    builder.set_gravity({0, -g, 0});
    auto [world, state] = builder.build();
    CHECK(world.bodies[0].is_rod());
    CHECK_FALSE(world.bodies[0].is_shell());
    CHECK(world.mass.sum() == relative(2000 * pi * 1e-6 * 0.5, 1e-12));
    CHECK(world.mass[0] == relative(0.5 * world.mass[1], 1e-12));
    CHECK(world.surface.bare_edges.size() == 5);
    ipc::Ipc ipc(precise_options());
    const double h = 0.01;
    const int steps = 20;
    const State end = run_steps(ipc, world, state, h, steps);
    const Vec3 way = Vec3(0.3, 1.0, -0.2) * h * steps + Vec3(0, -g, 0) * h * h * steps * (steps + 1) / 2;
    for (Index v = 0; v < world.vertex_count(); ++v)
        CHECK((end.x.segment<3>(3 * v) - state.x.segment<3>(3 * v) - way).norm() < 1e-10);
}

TEST_CASE("rods: a free, spinning, bent rod keeps its momentum; mass damping slows a drifting one") {
    WorldBuilder builder;
    builder.add_rod("rod", line(0, 0.5, 10), wire(1e7), {0.3, 1.0, -0.2}, {1.0, 2.0, 3.0});
    auto [world, state] = builder.build();
    for (Index v = 0; v < world.vertex_count(); ++v) state.x[3 * v + 1] += 0.02 * std::sin(2.0 * v);
    StepReport before, after;
    measure(world, state, before);
    REQUIRE(before.elastic > 0.0);
    ipc::Ipc ipc(precise_options());
    const State end = run_steps(ipc, world, state, 0.01, 20);
    measure(world, end, after);
    CHECK((after.momentum - before.momentum).norm() < 1e-7 * before.momentum.norm());
    CHECK(after.kinetic + after.elastic < before.kinetic + before.elastic);

    WorldBuilder damped;
    RodMaterial material = wire(1e7);
    material.mass_damping = 3.0;
    damped.add_rod("rod", line(0, 0.5, 10), material, {1, 0, 0});
    auto [damped_world, damped_state] = damped.build();
    const State slow = run_steps(ipc, damped_world, damped_state, 0.1, 10);
    for (Index v = 0; v < damped_world.vertex_count(); ++v)
        CHECK((slow.v.segment<3>(3 * v) - Vec3(std::pow(1.3, -10), 0, 0)).norm() < 1e-7);
}

TEST_CASE("rods: a cantilever sags by q L^4 / (8 E I)") {
    // Moments of the chain are those of the beam, so that its deflection is that of the beam times (1 + 1/n)^2: with L
    // from the inner end of the held edge. The clamp of the chain is the middle of that edge: with L from there the
    // error is of second order.
    const RodMaterial material = wire();
    const double length = 0.3;
    std::vector<double> errors;
    for (const int n : {10, 20, 40}) {
        CAPTURE(n);
        const double deflection = tip_deflection(n, length, material);
        CHECK(deflection == relative(beam_deflection(material, length) * std::pow(1.0 + 1.0 / n, 2), 2e-5));
        errors.push_back(1.0 - deflection / beam_deflection(material, length * (1.0 + 0.5 / n)));
        MESSAGE(n, " edges: ", errors.back(), " below the beam clamped in the middle of the held edge");
    }
    CHECK(errors[2] < 5e-4);
    CHECK(errors[0] / errors[1] == relative(4.0, 0.1));
    CHECK(errors[1] / errors[2] == relative(4.0, 0.1));
}

TEST_CASE("rods: a hanging rod gets longer by q L^2 / (2 E A)") {
    const RodMaterial material = wire(1e6);
    WorldBuilder builder;
    builder.add_rod("rod", generate_polyline({Vec3(0, 0, 0), Vec3(0, -2, 0)}, false, 0.25), material);
    builder.add_motion(hold({0}));
    builder.set_gravity({0, -g, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(precise_options());
    const State end = run_steps(ipc, world, state, 10.0, 15);
    const double longer = -2.0 - end.x[3 * (world.vertex_count() - 1) + 1];
    CHECK(longer == relative(material.linear_density * g * 4.0 / (2.0 * stretching_stiffness(material)), 1e-6));
}

TEST_CASE("rods: a simply supported rod swings at (pi / L)^2 sqrt(E I / (rho A)) / (2 pi)") {
    const RodMaterial material = wire();
    const int n = 20;
    const double length = 0.5, amplitude = 1e-5;
    WorldBuilder builder;
    builder.add_rod("rod", line(0, length, n), material);
    builder.add_motion(hold({0}));
    builder.add_motion(hold({n}, 6));
    auto [world, state] = builder.build();
    for (Index v = 1; v < n; ++v) state.x[3 * v + 1] = amplitude * std::sin(pi * v / n);
    state.previous_x = state.x;
    const double beam = std::pow(pi / length, 2) * std::sqrt(bending_stiffness(material) / material.linear_density);
    // Of n edges: 2 - 2 cos(pi / n) in place of (pi / n)^2.
    const double omega = beam * (2.0 - 2.0 * std::cos(pi / n)) / std::pow(pi / n, 2);
    CHECK(omega == relative(beam, 3e-3));
    const int steps = 100;
    ipc::Ipc ipc(precise_options(), Integrator::trapezoidal);
    const State half = run_steps(ipc, world, state, pi / omega / steps, steps);
    CHECK(half.x[3 * (n / 2) + 1] == relative(-amplitude, 1e-3));
}

TEST_CASE("rods: a ring keeps its shape; the same ring that wants to be straight opens") {
    const auto height_after = [](RodRestShape shape) {
        std::vector<Vec3> points;
        for (int i = 0; i < 23; ++i) points.emplace_back(0.1 * std::cos(0.25 * i), 0.1 * std::sin(0.25 * i), 0.0);
        RodMaterial material = wire(1e8);
        material.rest_shape = shape;
        material.mass_damping = 5.0;
        WorldBuilder builder;
        builder.add_rod("ring", generate_polyline(points, false, 1.0), material);
        auto [world, state] = builder.build();
        ipc::Ipc ipc(precise_options());
        const State end = run_steps(ipc, world, state, 0.1, 60);
        return Vec3(end.x.segment<3>(3 * 22) - end.x.segment<3>(0)).norm();
    };
    CHECK(height_after(RodRestShape::as_given) == relative(2 * 0.1 * std::sin(0.5 * (2 * pi - 22 * 0.25)), 1e-9));
    CHECK(height_after(RodRestShape::straight) == relative(22 * 2 * 0.1 * std::sin(0.125), 1e-3));
}

TEST_CASE(
    "rods: rods dropped on a wire, a ball and each other cross nothing; same bits for 1 and 2 threads and bytes") {
    const auto run = [](int threads, bool through_bytes) {
        set_thread_count(threads);
        WorldBuilder builder;
        RodMaterial material = wire(1e7, 2e-3, 1000.0);
        const Index a = builder.add_rod("a", translated(line(-0.2, 0.2, 20), {0, 0.01, 0.003}), material);
        const Index b = builder.add_rod(
            "b", generate_polyline({Vec3(0.05, 0.03, -0.2), Vec3(0.05, 0.03, 0.2)}, false, 0.02), material);
        for (const Index rod : {a, b}) builder.set_contact_thickness(rod, 4e-3);
        Mesh edge;
        edge.vertices = {Vec3(0, 0, -0.5), Vec3(0, 0, 0.5)};
        edge.edges = {{0, 1}};
        builder.add_obstacle("wire", edge);
        builder.add_obstacle("ball", translated(generate_icosphere(0.08, 2), {0.16, -0.12, 0}));
        builder.add_half_space("ground", {0, -0.25, 0}, {0, 1, 0});
        builder.set_gravity({0, -g, 0});
        builder.set_default_friction(0.3);
        auto [world, state] = builder.build();
        ipc::Options options;
        options.dhat = 2e-3;
        ipc::Ipc ipc(options);
        long contacts = 0;
        double least = 1.0;
        const auto each = [&](const State& now, const StepResult& result) {
            contacts += result.report.contacts;
            if (result.report.contacts > 0) least = std::min(least, result.report.min_gap);
            CHECK(find_intersections(world.surface, world.contact_pairs, now.x).empty());
        };
        state = run_steps(ipc, world, state, 0.01, 20, each);
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        ipc::Ipc fresh(options);
        state = run_steps(through_bytes ? fresh : ipc, world, state, 0.01, 20, each);
        CHECK(contacts > 40);
        CHECK(least > 0.0);
        CHECK(state.x[1] < -0.02);  // the ends of the first rod hang on either side of the wire
        CHECK(state.x[3 * 10 + 1] > 1e-3);
        return to_bytes(state);
    };
    const std::string reference = run(1, false);
    CHECK(run(2, true) == reference);
    set_thread_count(0);
}

TEST_CASE("rods: the free arm of a bow falls on the held one and stays away from it by the thickness") {
    const auto least_distance = [](bool self_contact) {
        WorldBuilder builder;
        const Mesh mesh = generate_polyline(
            {Vec3(0, 0.03, 0.02), Vec3(0.3, 0.03, -0.02), Vec3(0.3, 0, 0), Vec3(-0.1, 0, 0)}, false, 0.013);
        const Index rod = builder.add_rod("bow", mesh, wire(1e6, 2e-3, 1000.0));
        builder.set_contact_thickness(rod, 4e-3);
        builder.set_contact(rod, rod, self_contact);
        std::vector<Index> held;
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            if (mesh.vertices[v].y() == 0.0) held.push_back(static_cast<Index>(v));
        }
        builder.add_motion(hold(held));
        builder.set_gravity({0, -g, 0});
        builder.set_default_friction(0.5);
        auto [world, state] = builder.build();
        ipc::Options options;
        options.dhat = 1e-3;
        ipc::Ipc ipc(options);
        long contacts = 0;
        double least = 1.0;
        run_steps(ipc, world, state, 0.01, 25, [&](const State& now, const StepResult& result) {
            contacts += result.report.contacts;
            const auto at = [&](Index v) -> Vec3 { return now.x.segment<3>(3 * v); };
            for (const Edge& a : mesh.edges) {
                for (const Edge& b : mesh.edges) {
                    if (b[0] <= a[1]) continue;  // the same, or neighbours
                    const Vec3 x[4] = {at(a[0]), at(a[1]), at(b[0]), at(b[1])};
                    least = std::min(least, closest_squared_distance(PairKind::edge_edge, x));
                }
            }
        });
        CHECK((contacts > 0) == self_contact);
        return std::sqrt(least);
    };
    CHECK(least_distance(true) > 4e-3);
    CHECK(least_distance(true) < 5e-3);
    CHECK(least_distance(false) < 3e-3);
}

TEST_CASE("rods: edges that are pressed to no length, or folded, are named with their body") {
    WorldBuilder builder;
    builder.add_half_space("floor", {0, -1, 0}, {0, 1, 0});
    const Index first = builder.body(builder.add_rod("rod", line(0, 1, 2), wire(1e6))).first_vertex;
    builder.add_motion(hold({first, first + 1}));
    auto [world, state] = builder.build();
    CHECK(broken_rod(world, state.x).empty());
    state.x.segment<3>(3 * (first + 2)) = Vec3(0.25, 0, 0);
    CHECK(broken_rod(world, state.x) ==
          "body 'rod': the edges (0, 1) and (1, 2) of the rod are folded onto each other");
    state.x.segment<3>(3 * (first + 2)) = Vec3(0.5, 0, 0);
    ipc::Ipc ipc(precise_options());
    StepResult result;
    ipc.step(world, state, schedule(world, state, 0.01), result);
    CHECK(result.report.status == Status::linear_solve_failed);
    CHECK(result.report.cause == "body 'rod': edge 1 (1, 2) of the rod is pressed to no length");
}

TEST_CASE("rods: what makes no rod is refused by name") {
    const auto message = [](const Mesh& mesh, const RodMaterial& material) -> std::string {
        WorldBuilder builder;
        try {
            builder.add_rod("wire", mesh, material);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto says = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find("wire") != std::string::npos);
        CHECK(text.find(part) != std::string::npos);
    };
    const Mesh mesh = line(0, 1, 4);
    CHECK(message(mesh, wire()).empty());
    says(message(Mesh{}, wire()), "no bare edges");
    Mesh broken = mesh;
    broken.triangles.push_back({0, 1, 2});
    says(message(broken, wire()), "nothing beside edges");
    broken = mesh;
    broken.edges.push_back({1, 0});
    says(message(broken, wire()), "every edge once");
    broken = mesh;
    broken.vertices.push_back({5, 5, 5});
    says(message(broken, wire()), "of no edge");
    broken = mesh;
    broken.vertices[1] = broken.vertices[0];
    says(message(broken, wire()), "0 m long");
    RodMaterial material = wire();
    material.radius = 0.0;
    says(message(mesh, material), "radius");
    material = wire();
    material.linear_density = -1.0;
    says(message(mesh, material), "linear density");
    material = wire();
    material.bending_stiffness = 0.0;
    says(message(mesh, material), "bending stiffness");
    WorldBuilder builder;
    builder.add_rod("wire", mesh, wire());
    CHECK_THROWS_AS(builder.add_filling(0, FilledPart::surface, VolumeLaw{}), InputError);
    builder.set_consistent_mass(true);
    CHECK_THROWS_AS(builder.build(), InputError);
}
