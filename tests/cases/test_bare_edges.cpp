// Rods against rods and wires, parallel, on one line and nearly so: nothing stalls, nothing passes, blows are returned.
#include "stiction/audit/intersection.hpp"
#include "stiction/audit/interval_ccd.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/sim/certification.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/start_check.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double dhat = 4e-4;

RodMaterial soft() {
    RodMaterial material;
    material.youngs_modulus = 1e7;
    material.radius = 1e-3;
    material.linear_density = 1000.0 * cross_section(material);
    return material;
}

std::vector<std::unique_ptr<Method>> methods_with_rods() {
    std::vector<std::unique_ptr<Method>> methods;
    ipc::Options options;
    options.dhat = dhat;
    implicit::Options implicit;
    implicit.take(options);
    methods.push_back(std::make_unique<ipc::Ipc>(options));
    methods.push_back(std::make_unique<implicit::Implicit>(implicit, Integrator::backward_euler));
    methods.push_back(std::make_unique<mlcp::Mlcp>(mlcp::Options{}));
    return methods;
}

/// Runs a world with its moves certified; the state at the end.
State certified_run(std::pair<World, State> start, std::unique_ptr<Method> method, double h, int steps) {
    Simulator simulator(std::move(start.first), std::move(start.second), std::move(method), {h, 4});
    Certifier certifier(simulator.world());
    simulator.add_observer(certifier);
    simulator.set_move_sink(&certifier);
    CHECK(simulator.run(steps) == RunEnd::done);
    CHECK(simulator.state().step == steps);
    CHECK(certifier.certificate().ok());
    CHECK(audit::find_intersections(simulator.world(), simulator.state().x).empty());
    return simulator.state();
}

/// A straight rod along x at 1 m/s against what lies on its line, turned about its near end by `tilt` (rad) and shifted
/// by `off` (m).
std::pair<World, State> end_on(bool wire, double tilt, double off, double thickness) {
    WorldBuilder builder;
    const Index rod = builder.add_rod(
        "rod", generate_polyline({Vec3(-0.203, off, 0), Vec3(-0.003, off, 0)}, false, 0.02), soft(), {1, 0, 0});
    const Mesh line = generate_polyline({Vec3(0, 0, 0), Vec3(0.15 * std::cos(tilt), 0, 0.15 * std::sin(tilt))}, false,
                                        wire ? 1.0 : 0.015);
    const Index other = wire ? builder.add_obstacle("wire", line) : builder.add_rod("other", line, soft());
    builder.set_contact_thickness(rod, thickness);
    builder.set_contact_thickness(other, thickness);
    builder.set_default_friction(0.3);
    return builder.build();
}

}  // namespace

TEST_CASE("bare edges: an end-on blow is returned by a wire and passed on to a rod") {
    for (const double thickness : {0.0, 2e-3}) {
        for (const double tilt : {0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3}) {
            for (const double off : {0.0, 1e-12, 1e-9}) {
                if (tilt > 0.0 && off > 0.0 && tilt != 1e-4) continue;
                for (const bool wire : {false, true}) {
                    for (auto& method : methods_with_rods()) {
                        const std::string name(method->name());
                        CAPTURE(name);
                        CAPTURE(thickness);
                        CAPTURE(tilt);
                        CAPTURE(off);
                        CAPTURE(wire);
                        auto start = end_on(wire, tilt, off, thickness);
                        const World world = start.first;
                        const State end = certified_run(std::move(start), std::move(method), 1e-4, 90);
                        const double speed = centre_of_mass(world, end, 0).second.x();
                        CHECK(end.x[3 * 10] < end.x[3 * 11] - thickness);  // the tip has not passed the end
                        if (wire) {
                            CHECK(speed < -0.3);
                        } else {
                            CHECK(speed < 0.8);
                            const double mass = world.mass.head(11).sum(),
                                         other = world.mass.tail(world.mass.size() - 11).sum();
                            const double sum = mass * speed + other * centre_of_mass(world, end, 1).second.x();
                            CHECK(sum == relative(mass, 2e-4));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("bare edges: parallel rods pile up on a floor and come to rest, or roll off") {
    for (const double thickness : {0.0, 2e-3}) {
        for (const double shift : {0.0, 1e-9, 1e-4}) {
            for (auto& method : methods_with_rods()) {
                const std::string name(method->name());
                CAPTURE(name);
                CAPTURE(thickness);
                CAPTURE(shift);
                WorldBuilder builder;
                for (int k = 0; k < 3; ++k) {
                    const Mesh mesh = translated(generate_polyline({Vec3(-0.1, 0, 0), Vec3(0.1, 0, 0)}, false, 0.02),
                                                 {0, 0.002 + 0.004 * k, shift * (k - 1)});
                    builder.set_contact_thickness(builder.add_rod("rod" + std::to_string(k), mesh, soft()), thickness);
                }
                builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
                builder.set_gravity({0, -9.81, 0});
                builder.set_default_friction(0.3);
                auto start = builder.build();
                const double before = start.second.x[1];
                const State end = certified_run(std::move(start), std::move(method), 5e-3, 50);
                CHECK(end.x[1] < before);
                for (Index v = 0; v < 33; ++v) CHECK(end.x[3 * v + 1] > 0.5 * thickness);
                CHECK(end.v.norm() < 0.05);
            }
        }
    }
}

TEST_CASE("bare edges: random rods and wires, near parallel, near one line, crossing: none stalls, none passes") {
    const unsigned seed = 20261128;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    int runs = 0, touched = 0;
    for (int trial = 0; trial < 60; ++trial) {
        // The second line: length, turn against the first and its axis, place along it.
        const double length = 0.1 * std::exp(unit(random)), place = 0.1 * unit(random),
                     turn = trial % 4 == 0 ? 0.0 : std::pow(10.0, 6.0 * unit(random) - 6.0),
                     off = trial % 3 == 0 ? 0.0 : std::pow(10.0, 3.5 * unit(random) - 7.0),
                     thickness = trial % 2 == 0 ? 0.0 : 2e-3;
        const bool wire = trial % 5 < 2, end_on = trial % 7 < 2;
        const Mat3 tilt =
            Eigen::AngleAxisd(turn, Vec3(0.0, unit(random), unit(random)).normalized()).toRotationMatrix();
        const Mesh first = generate_polyline({Vec3(-0.1, 0, 0), Vec3(0.1, 0, 0)}, false, 0.02);
        const Vec3 arm(0.5 * length, 0, 0);
        Mesh second = rotated(generate_polyline({-arm, arm}, false, wire ? 1.0 : 0.017), tilt);
        second = translated(second, end_on ? Vec3(0.106 + 0.5 * length, off, off) : Vec3(place, -0.006, off));
        for (auto& method : methods_with_rods()) {
            CAPTURE(trial);
            const std::string name(method->name());
            CAPTURE(name);
            WorldBuilder builder;
            builder.set_contact_thickness(
                builder.add_rod("first", first, soft(), end_on ? Vec3(1, 0, 0) : Vec3(0, -1, 0)), thickness);
            builder.set_contact_thickness(
                wire ? builder.add_obstacle("second", second) : builder.add_rod("second", second, soft()), thickness);
            builder.set_default_friction(0.3);
            auto start = builder.build();
            if (!find_start_problems(start.first, start.second).empty()) continue;
            const World world = start.first;
            const State end = certified_run(std::move(start), std::move(method), 1e-3, 16);
            const Vec3 velocity = centre_of_mass(world, end, 0).second;
            touched += (end_on ? velocity.x() < 0.9 : velocity.y() > -0.9);
            ++runs;
        }
    }
    MESSAGE(touched, " of ", runs, " runs gave momentum to the other line");
    CHECK(touched > runs / 2);
}

TEST_CASE("bare edges: an end that is folded onto the next edge is stopped") {
    for (auto& method : methods_with_rods()) {
        const std::string name(method->name());
        CAPTURE(name);
        WorldBuilder builder;
        Mesh hook;
        hook.vertices = {{0.02, 0.003, 0}, {0.1, 0, 0}, {-0.1, 0, 0}};
        hook.edges = {{0, 1}, {1, 2}};
        RodMaterial loose = soft();
        loose.youngs_modulus = 1e4;
        builder.add_rod("hook", hook, loose);
        auto start = builder.build();
        start.second.v[1] = -1.0;
        certified_run(std::move(start), std::move(method), 1e-3, 20);
    }
}
