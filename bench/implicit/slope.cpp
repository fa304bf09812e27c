// A stiff block slides down 10 degrees and stops: distance and time against v0^2 / (2 a) and v0 / a (Larionov et al.
// 2022, section 5.1).
//
//   slope [-o FILE.csv] [--integrators NAME...] [--steps H...] [--methods NAME...]      NAME: implicit, ipc, penalty
//
// Every run starts from the static equilibrium on the slope with 0.1 m/s along it. One line a run on standard output;
// FILE.csv holds speed over time for the plot.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/world/world_builder.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>

using namespace stiction;

namespace {

constexpr double gravity = 9.81, angle = 10.0 * M_PI / 180.0, friction = 0.177, start_speed = 0.1,
                 friction_velocity = 1e-5;
/// Contact as soft as that: with the default 1e-3 its resonance (a few hundred rad/s) grows under the trapezoidal rule
/// at h = 0.01.
constexpr double dhat_relative = 5e-3;
const double deceleration = gravity * (friction * std::cos(angle) - std::sin(angle));

/// x runs down the slope: gravity is tilted, not the plane. Vibrations inside the block are damped, its motion is not.
std::pair<World, State> block(double coefficient) {
    WorldBuilder builder;
    Mesh mesh = generate_box({0.2, 0.1, 0.2}, {2, 1, 2});
    for (Vec3& vertex : mesh.vertices) vertex.y() += 0.05 + 1.5e-4;
    BodyMaterial stiff;
    stiff.youngs_modulus = 1e8;
    stiff.poissons_ratio = 0.3;
    stiff.stiffness_damping = 1e-3;
    builder.add_deformable("block", mesh, stiff);
    builder.add_half_space("slope", Vec3::Zero(), Vec3::UnitY());
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0.0});
    builder.set_default_friction(coefficient);
    return builder.build();
}

struct Motion1d {
    double x = 0.0, v = 0.0;
};

Motion1d along_slope(const World& world, const State& state) {
    Motion1d result;
    for (Index i = 0; i < world.bodies[0].vertex_count(); ++i) {
        result.x += world.mass[i] * state.x[3 * i] / world.mass.sum();
        result.v += world.mass[i] * state.v[3 * i] / world.mass.sum();
    }
    return result;
}

StepReport step(Method& method, const World& world, State& state, double h) {
    StepResult result;
    method.step(world, state, schedule(world, state, h), result);
    if (!is_accepted(result.report.status))
        throw std::runtime_error(fmt::format("{}: {}", to_string(result.report.status), result.report.cause));
    state = result.state;
    return result.report;
}

void set_contact(implicit::Options& options, bool penalty) {
    options.dhat_relative = options.penalty_thickness_relative = dhat_relative;
    if (penalty) options.contact = implicit::ContactModel::penalty;
}

/// At rest under high friction, smoothed widely enough for the feet to creep free of stress; then pushed.
State start(bool penalty) {
    const auto [world, initial] = block(4.0 * friction);
    implicit::Options options;
    options.friction_velocity = 1e-3;
    set_contact(options, penalty);
    implicit::Implicit method(options);
    State state = initial;
    for (int i = 0; i < 60; ++i) step(method, world, state, 0.01);
    state.v.setZero();
    for (Index i = 0; i < world.bodies[0].vertex_count(); ++i) state.v[3 * i] = start_speed;
    state.previous_h = 0.0;
    state.t = 0.0;
    return state;
}

struct Result {
    double distance = 0.0, time = 0.0, speed = 0.0, iterations = 0.0;
    bool stopped = false;
    int fallbacks = 0;
};

Result slide(const State& from, const std::string& name, Integrator integrator, double h, std::ofstream& csv) {
    const auto [world, unused] = block(friction);
    implicit::Options options;
    options.friction_velocity = friction_velocity;
    set_contact(options, name == "penalty");
    std::unique_ptr<Method> method;
    if (name == "implicit" || name == "penalty") method = std::make_unique<implicit::Implicit>(options, integrator);
    if (name == "ipc") method = std::make_unique<ipc::Ipc>(options, integrator);
    State state = from;
    const double x0 = along_slope(world, state).x;
    Result result;
    const int most = static_cast<int>(25.0 / h);
    for (int i = 1; i <= most; ++i) {
        const StepReport report = step(*method, world, state, h);
        result.iterations += report.iterations;
        result.fallbacks += report.status != Status::converged;
        const auto [x, v] = along_slope(world, state);
        csv << fmt::format("{},{},{},{},{},{}\n", name, integrator_names()[static_cast<std::size_t>(integrator)], h,
                           i * h, x - x0, v);
        result.distance = x - x0;
        result.time = i * h;
        result.speed = v;
        result.stopped = v <= friction_velocity;
        if (!result.stopped && i < most) continue;
        result.iterations /= i;
        break;
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("A block that slides down a slope and stops");
    std::string output = "slope.csv";
    std::vector<std::string> methods{"implicit", "ipc"}, integrators{"backward_euler", "trapezoidal"};
    std::vector<double> sizes{0.2, 0.1, 0.05, 0.02, 0.01};
    app.add_option("-o,--output", output, "speed over time of every run");
    app.add_option("--methods", methods)->check(CLI::IsMember({"implicit", "ipc", "penalty"}));
    app.add_option("--integrators", integrators)->check(CLI::IsMember(integrator_names()));
    app.add_option("--steps", sizes, "step sizes (s)");
    CLI11_PARSE(app, argc, argv);
    std::ofstream csv(output);
    csv << "method,integrator,h,t,x,v\n";
    const double exact = start_speed * start_speed / (2.0 * deceleration);
    fmt::print("exact: {:.5f} m after {:.3f} s\n\n", exact, start_speed / deceleration);
    fmt::print(
        "| method | integrator | h (s) | distance (m) | error | stop (s) | error, or speed then | iterations a step | "
        "fallbacks |\n|---|---|---|---|---|---|---|---|---|\n");
    for (const std::string& method : methods) {
        const State from = start(method == "penalty");
        for (const std::string& integrator : integrators) {
            for (const double h : sizes) {
                const Result r = slide(from, method, integrator_from_name(integrator), h, csv);
                const std::string stop = r.stopped ? fmt::format("{:.2f} | {:+.2f} %", r.time,
                                                                 100.0 * (r.time * deceleration / start_speed - 1.0))
                                                   : fmt::format("not by {:.0f} | {:.1e} m/s", r.time, r.speed);
                fmt::print("| {} | {} | {} | {:.5f} | {:+.2f} % | {} | {:.1f} | {} |\n", method, integrator, h,
                           r.distance, 100.0 * (r.distance / exact - 1.0), stop, r.iterations, r.fallbacks);
                std::fflush(stdout);
            }
        }
    }
    return csv ? 0 : 1;
}
