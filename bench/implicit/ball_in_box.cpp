// A ball that spins at 4800 turns a minute bounces about in an elastic box (Larionov et al. 2022, section 5.1.3): does
// the energy stay below the start?
//
//   ball_in_box [-o FILE.csv] [--rules NAME]... [--methods NAME]... [--frames N]
//
// One line a run on standard output; FILE.csv holds the energy over time.
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

// Sizes are ours: the paper gives materials and speeds only.
double turns_per_minute = 4800.0, stiffness_damping = 0.0;
double box_size = 0.25, ball_radius = 0.03;

/// Cells along an edge of the box; the outermost layer is its wall.
Mesh hollow_box(int cells) {
    Mesh mesh = generate_box(Vec3::Constant(box_size), {cells, cells, cells});
    const double inner = box_size * (0.5 - 1.0 / cells);
    std::erase_if(mesh.tets, [&](const Tet& tet) {
        Vec3 centre = Vec3::Zero();
        for (const Index v : tet) centre += 0.25 * mesh.vertices[static_cast<std::size_t>(v)];
        return centre.cwiseAbs().maxCoeff() < inner;
    });
    std::vector<Index> place(mesh.vertices.size(), -1);
    std::vector<Vec3> kept;
    for (Tet& tet : mesh.tets) {
        for (Index& v : tet) {
            Index& to = place[static_cast<std::size_t>(v)];
            if (to < 0) {
                to = static_cast<Index>(kept.size());
                kept.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
            }
            v = to;
        }
    }
    mesh.vertices = kept;
    mesh.triangles.clear();
    for (Vec3& p : mesh.vertices) p.y() += 0.5 * box_size;
    return mesh;
}

void add_box(WorldBuilder& builder, int cells, const BodyMaterial& wall) {
    const Index box = builder.add_deformable("box", hollow_box(cells), wall);
    Motion hold;
    hold.name = "floor of the box";
    for (Index v = 0; v < builder.body(box).vertex_count(); ++v) {
        if (builder.body(box).mesh.vertices[static_cast<std::size_t>(v)].y() < 1e-9)
            hold.vertices.push_back(builder.first_vertex(box) + v);
    }
    hold.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(hold);
}

/// @param alone  nothing but the ball, without gravity: what the integrator does to it where nothing touches
std::pair<World, State> scene(int cells, int shells, bool alone) {
    WorldBuilder builder;
    BodyMaterial wall{MaterialLaw::neo_hookean, 5e5, 0.1, 1e4}, rubber{MaterialLaw::neo_hookean, 5e4, 0.45, 500};
    wall.mass_damping = rubber.mass_damping = 0.1;
    wall.stiffness_damping = rubber.stiffness_damping = stiffness_damping;
    if (!alone) add_box(builder, cells, wall);
    Mesh ball = generate_ball(ball_radius, shells);
    for (Vec3& p : ball.vertices) p += Vec3(0.01, 0.5 * box_size, 0.005);
    builder.add_deformable("ball", std::move(ball), rubber, {-0.923, -0.385, 0.0},
                           {0.0, 0.0, turns_per_minute * 2.0 * M_PI / 60.0});
    builder.set_gravity({0.0, alone ? 0.0 : -9.81, 0.0});
    builder.set_default_friction(0.1);
    return builder.build();
}

struct Rule {
    Integrator integrator;
    bool coupled = true;         ///< contact and friction are carried over to the next step like every other force
    bool changes_speeds = true;  ///< contact and friction act on velocities and not on positions alone
};

Rule rule_from_name(const std::string& name) {
    if (name == "decoupled") return {Integrator::trapezoidal, false};
    if (name == "positions_only") return {Integrator::trapezoidal, false, false};
    return {integrator_from_name(name)};
}

/// Leaves contact and friction out of what the next step takes from this one: of the acceleration, and where `rule`
/// says so of the velocity.
void forget_contact(const World& world, const StepResult& result, const Rule& rule, double h, State& state) {
    for (Index v = 0; v < static_cast<Index>(world.mass.size()); ++v) {
        if (world.mass[v] == 0.0) continue;
        const Vec3 acceleration = (result.contact_force + result.friction_force).segment<3>(3 * v) / world.mass[v];
        state.acceleration.segment<3>(3 * v) -= acceleration;
        if (!rule.changes_speeds) state.v.segment<3>(3 * v) -= 0.5 * h * acceleration;
    }
}

double total(const StepReport& report) {
    return report.kinetic + report.elastic + report.gravity;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("A spinning ball in an elastic box");
    std::string output = "ball_in_box.csv";
    std::vector<std::string> methods{"implicit", "ipc"}, rules{"trapezoidal", "decoupled"};
    int frames = 800, cells = 6, shells = 3;
    double h = 0.01;
    bool alone = false;
    implicit::Options options;
    std::string contact = "barrier";
    app.add_option("-o,--output", output, "energy over time of every run");
    app.add_option("--methods", methods)->check(CLI::IsMember({"implicit", "ipc"}));
    app.add_option("--rules", rules, "integrators, `decoupled` or `positions_only`");
    app.add_option("--frames", frames);
    app.add_option("--step", h, "step size (s)");
    app.add_option("--cells", cells, "of the box along an edge");
    app.add_option("--shells", shells, "of the ball");
    app.add_option("--dhat", options.dhat, "m; 0: the default");
    app.add_option("--barrier-stiffness", options.barrier_stiffness, "J/m^4; 0 adapts it");
    app.add_option("--contact", contact, "of `implicit`")->check(CLI::IsMember(implicit::contact_model_names()));
    app.add_option("--thickness", options.penalty_thickness, "of the penalty (m); 0: the default");
    app.add_option("--penalty-stiffness", options.penalty_stiffness, "J/m^3; 0: the default");
    app.add_option("--radius-factor", options.implicit_surface_radius_factor, "of the implicit surfaces");
    app.add_flag("--alone", alone, "the ball alone, without box and gravity");
    app.add_option("--spin", turns_per_minute, "of the ball (1/min)");
    app.add_option("--stiffness-damping", stiffness_damping,
                   "Rayleigh damping in proportion to the stiffness, of ball and box (s)");
    app.add_option("--box", box_size, "edge of the box (m)");
    app.add_option("--ball", ball_radius, "radius of the ball (m)");
    CLI11_PARSE(app, argc, argv);
    options.contact = implicit::contact_model_from_name(contact);
    std::ofstream csv(output);
    csv << "method,integrator,h,t,kinetic,elastic,gravity,contacts,gap\n";
    for (const std::string& name : methods) {
        for (const std::string& rule_name : rules) {
            const Rule rule = rule_from_name(rule_name);
            auto [world, state] = scene(cells, shells, alone);
            std::unique_ptr<Method> method;
            if (name == "implicit") method = std::make_unique<implicit::Implicit>(options, rule.integrator);
            if (name == "ipc") method = std::make_unique<ipc::Ipc>(options, rule.integrator);
            StepReport at_start;
            measure(world, state, at_start);
            const double start = total(at_start);
            double highest = 0.0, last = 0.0, iterations = 0.0, gap = 1e300, milliseconds = 0.0;
            int fallbacks = 0, steps = 0;
            std::string end = "ran through";
            StepResult result;
            for (int i = 1; i <= frames; ++i) {
                method->step(world, state, schedule(world, state, h), result);
                if (!is_accepted(result.report.status)) {
                    end = fmt::format("step {}: {}: {}", i, to_string(result.report.status), result.report.cause);
                    break;
                }
                state = result.state;
                if (!rule.coupled) forget_contact(world, result, rule, h, state);
                steps = i;
                last = total(result.report);
                if (last > highest) highest = last;
                iterations += result.report.iterations;
                milliseconds += result.report.milliseconds;
                fallbacks += result.report.status != Status::converged;
                gap = std::min(gap, result.report.min_gap);
                csv << fmt::format("{},{},{},{},{},{},{},{},{}\n", name, rule_name, h, i * h, result.report.kinetic,
                                   result.report.elastic, result.report.gravity, result.report.contacts,
                                   result.report.min_gap);
                if (i % 50 == 0)
                    fmt::print(stderr, "{} {} {} energy {:.5g} of {:.5g}, {:.1f} iterations\n", name, rule_name, i,
                               last, start, iterations / i);
            }
            fmt::print("| {} | {} | {} | {} | {:.4g} | {:.4g} | {:.4g} | {:.1f} | {:.0f} | {} | {:.1e} | {} |\n", name,
                       rule_name, h, steps, start, highest, last, iterations / steps, milliseconds / steps, fallbacks,
                       gap, end);
            std::fflush(stdout);
        }
    }
    return csv ? 0 : 1;
}
