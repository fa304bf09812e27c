// An upside-down bowl is pinched by three soft pads and lifted: does it stick, at every step size? (Larionov et al.
// 2022, section 5.1.2.)
//
//   bowl [-o FILE.csv] [--steps H]... [--methods NAME]...
//
// The outer faces of the pads are driven inwards, then up. One line a run on standard output; FILE.csv holds the height
// of the bowl over time.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/world/world_builder.hpp"

#include <CLI/CLI.hpp>
#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>

using namespace stiction;

namespace {

// Sizes are ours: the paper gives materials only.
constexpr double radius = 0.1, wall = 0.006, rim_angle = 1.48, pad_depth = 0.03, pad_width = 0.04;
constexpr double press = 0.016, press_time = 0.15, lift = 0.08, duration = 0.75, mu = 0.65;

/// Where the pads' lower edge is (m): the wall leans there by asin(height/radius), and tan of that against mu decides
/// how near to slipping it is.
double pad_height = 0.045;
double clearance() {
    return std::sqrt(radius * radius - pad_height * pad_height) + 0.002;
}

/// Rises from 0 to 1 between two times without a jump of speed.
double ramp(double t, double begin, double end) {
    const double s = std::clamp((t - begin) / (end - begin), 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/// A disc bent onto the sphere: rim down, standing on y = 0.
Mesh bowl(double edge_length) {
    Mesh mesh = generate_cylinder(radius * rim_angle, wall, edge_length);
    double low = 1e300;
    for (Vec3& p : mesh.vertices) {
        const double r = std::hypot(p.x(), p.z()), polar = r / radius, sphere = radius - 0.5 * wall + p.y();
        const Vec3 outward = r > 0.0 ? Vec3(p.x() / r, 0.0, p.z() / r) : Vec3::UnitX();
        p = sphere * (std::sin(polar) * outward + std::cos(polar) * Vec3::UnitY());
        low = std::min(low, p.y());
    }
    for (Vec3& p : mesh.vertices) p.y() -= low - 3e-4;
    return mesh;
}

/// The pad pressed on from the direction `angle` about the y axis.
Mesh pad(double angle) {
    Mesh mesh = generate_box({pad_depth, pad_width, pad_width}, {3, 4, 4});
    const Mat3 turn = Eigen::AngleAxisd(angle, Vec3::UnitY()).toRotationMatrix();
    for (Vec3& p : mesh.vertices)
        p = turn * (p + Vec3(clearance() + 0.5 * pad_depth, pad_height + 0.5 * pad_width, 0.0));
    return mesh;
}

std::pair<World, State> scene(double edge_length) {
    WorldBuilder builder;
    builder.add_deformable("bowl", bowl(edge_length), {MaterialLaw::neo_hookean, 1.1e7, 0.1, 400});
    for (int k = 0; k < 3; ++k) {
        const double angle = 2.0 * M_PI * k / 3.0 + 0.1;
        const Vec3 inward = Eigen::AngleAxisd(angle, Vec3::UnitY()) * Vec3(-1.0, 0.0, 0.0);
        const Index body =
            builder.add_deformable(fmt::format("pad_{}", k), pad(angle), {MaterialLaw::neo_hookean, 6e5, 0.49, 1000});
        Motion motion;
        motion.name = fmt::format("pad_{}", k);
        const Body& mesh = builder.body(body);
        for (Index v = 0; v < mesh.vertex_count(); ++v) {
            if (-inward.dot(mesh.mesh.vertices[static_cast<std::size_t>(v)]) > clearance() + pad_depth - 1e-6)
                motion.vertices.push_back(builder.first_vertex(body) + v);
        }
        motion.trajectory = std::make_shared<FormulaTrajectory>([inward](const Vec3&, double t) {
            return Vec3(press * ramp(t, 0.0, press_time) * inward +
                        lift * ramp(t, press_time, duration) * Vec3::UnitY());
        });
        builder.add_motion(motion);
    }
    builder.add_half_space("ground", Vec3::Zero(), Vec3::UnitY());
    builder.set_gravity({0.0, -9.81, 0.0});
    builder.set_default_friction(mu);
    return builder.build();
}

double height(const World& world, const State& state) {
    double sum = 0.0, mass = 0.0;
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
        sum += world.mass[v] * state.x[3 * v + 1];
        mass += world.mass[v];
    }
    return sum / mass;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("A bowl lifted by three pads");
    std::string output = "bowl.csv";
    std::vector<std::string> methods{"implicit", "ipc"};
    std::vector<double> sizes{0.005, 0.0025, 0.00125};
    double edge_length = 0.011;
    app.add_option("-o,--output", output, "height over time of every run");
    app.add_option("--methods", methods)->check(CLI::IsMember({"implicit", "ipc"}));
    app.add_option("--steps", sizes, "step sizes (s)");
    app.add_option("--edge-length", edge_length, "of the bowl's mesh (m)");
    app.add_option("--pad-height", pad_height, "of the pads' lower edge (m)");
    CLI11_PARSE(app, argc, argv);
    std::ofstream csv(output);
    csv << "method,integrator,h,t,height\n";
    fmt::print(
        "| method | h (s) | bowl lifted (m) | pads lifted (m) | slip (mm) | iterations a step | ms a step | fallbacks "
        "| smallest gap (m) |\n|---|---|---|---|---|---|---|---|---|\n");
    for (const std::string& name : methods) {
        for (const double h : sizes) {
            auto [world, state] = scene(edge_length);
            std::unique_ptr<Method> method;
            implicit::Options options;
            if (name == "implicit") method = std::make_unique<implicit::Implicit>(options);
            if (name == "ipc") method = std::make_unique<ipc::Ipc>(options);
            const double start = height(world, state);
            const int steps = static_cast<int>(std::lround(duration / h));
            double iterations = 0.0, milliseconds = 0.0, gap = 1e300;
            int fallbacks = 0;
            StepResult result;
            for (int i = 1; i <= steps; ++i) {
                method->step(world, state, schedule(world, state, h), result);
                if (!is_accepted(result.report.status)) {
                    fmt::print("{} h = {}: step {}: {}: {}\n", name, h, i, to_string(result.report.status),
                               result.report.cause);
                    return 2;
                }
                state = result.state;
                iterations += result.report.iterations;
                milliseconds += result.report.milliseconds;
                fallbacks += result.report.status != Status::converged;
                gap = std::min(gap, result.report.min_gap);
                csv << fmt::format("{},backward_euler,{},{},{}\n", name, h, i * h, height(world, state));
            }
            const double lifted = height(world, state) - start;
            fmt::print("| {} | {} | {:.5f} | {} | {:.3f} | {:.1f} | {:.0f} | {} | {:.1e} |\n", name, h, lifted, lift,
                       1e3 * (lift - lifted), iterations / steps, milliseconds / steps, fallbacks, gap);
            std::fflush(stdout);
        }
    }
    return csv ? 0 : 1;
}
