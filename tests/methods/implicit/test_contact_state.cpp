// What sticks, slides and touches nothing, against sums over vertices and velocities at the end of the step.
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>
#include <memory>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double friction_velocity = 1e-3;

std::unique_ptr<Method> make(bool implicit, Integrator integrator = Integrator::backward_euler) {
    implicit::Options options;
    options.friction_velocity = friction_velocity;
    options.friction_iterations = 0;
    if (implicit) return std::make_unique<implicit::Implicit>(options, integrator);
    return std::make_unique<ipc::Ipc>(options, integrator);
}

/// Blocks on one plane: 0 rubs, 1 rubs, 2 does not, 3 hangs above. Gravity is tilted along z.
std::pair<World, State> blocks() {
    WorldBuilder builder;
    const char* names[] = {"held", "pushed", "slippery", "lifted"};
    for (const int i : {0, 1, 2, 3}) {
        const double gap = i == 3 ? 2.0 : 1.5e-4;  // it falls less than 1 m
        builder.add_deformable(names[i], translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0.4 * i, 0.05 + gap, 0}),
                               {MaterialLaw::neo_hookean, 1e8, 0.3, 1000, 0.0, 1e-3});
    }
    const Index plane = builder.add_half_space("plane", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 1.0});
    builder.set_default_friction(0.3);
    builder.set_friction(2, plane, 0.0);
    return builder.build();
}

Vec3 body_sum(const World& world, const VecX& stacked, Index body) {
    Vec3 sum = Vec3::Zero();
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (world.body_of_vertex[static_cast<std::size_t>(v)] == body) sum += stacked.segment<3>(3 * v);
    }
    return sum;
}

}  // namespace

TEST_CASE("contact states: a held block sticks, a pushed and a slippery one slide, a lifted one touches nothing") {
    for (const bool implicit : {false, true}) {
        CAPTURE(implicit);
        auto [world, state] = blocks();
        const auto method = make(implicit);
        const double dhat = method->contact_distance(world);
        state = run_steps(*method, world, state, 0.01, 40);
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (world.body_of_vertex[static_cast<std::size_t>(v)] == 1) state.v[3 * v] = 0.5;
        }
        int touching[4] = {0, 0, 0, 0};
        run_steps(*method, world, state, 0.01, 5, [&](const State& now, const StepResult& result) {
            REQUIRE(result.contact_state.size() == static_cast<std::size_t>(world.vertex_count()));
            for (Index v = 0; v < world.vertex_count(); ++v) {
                const Index body = world.body_of_vertex[static_cast<std::size_t>(v)];
                const ContactState found = result.contact_state[static_cast<std::size_t>(v)];
                if (body == 4) {
                    CHECK(found == ContactState::sliding);  // the plane's own vertex: the largest of all
                    continue;
                }
                const bool touches = now.x[3 * v + 1] < dhat;
                const double slip = Vec3(now.v[3 * v], 0, now.v[3 * v + 2]).norm();
                const bool sticks = body != 2 && slip < friction_velocity;
                CHECK(found == (!touches ? ContactState::none
                                : sticks ? ContactState::sticking
                                         : ContactState::sliding));
                CHECK((result.contact_force.segment<3>(3 * v).norm() > 0.0) == touches);
                touching[body] += touches;
                if (touches && body < 2) CHECK(sticks == (body == 0));
            }
            // All of a block slides: its friction is mu N, vertex by vertex and in sum; what is held carries its
            // weight's part along the plane.
            const double normal = body_sum(world, result.contact_force, 1).y(), mass = 0.2 * 0.1 * 0.2 * 1000;
            CHECK(normal == relative(9.81 * mass, 1e-2));
            CHECK(body_sum(world, result.friction_force, 1).norm() == relative(0.3 * normal, 1e-5));
            const Vec3 held = body_sum(world, result.friction_force, 0);
            CHECK(-held.z() == relative(mass, 1e-6));
            CHECK(held.norm() < 0.3 * body_sum(world, result.contact_force, 0).y());
            CHECK(body_sum(world, result.friction_force, 2).norm() == 0.0);
            CHECK(body_sum(world, result.contact_force, 3).norm() == 0.0);
        });
        CHECK(touching[0] == 5 * 9);
        CHECK(touching[1] > 5 * 3);
        CHECK(touching[2] == 5 * 9);
        CHECK(touching[3] == 0);
    }
}

TEST_CASE(
    "contact states: between deformable bodies, from velocities at the end of the step, whatever the integrator") {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.1, 3), {0, 0.16, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {0.3, -0.5, 0.2}, {0, 3, 0});
    builder.add_deformable("table", generate_box({0.4, 0.1, 0.4}, {4, 1, 4}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.0505, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.4);
    builder.measure_by_scene();  // one dhat and one friction velocity, which are recomputed below
    const auto [world, start] = builder.build();
    for (const bool implicit : {false, true}) {
        for (const Integrator integrator : {Integrator::trapezoidal, Integrator::sdirk2}) {
            const auto method = make(implicit, integrator);
            const double dhat = method->contact_distance(world);
            ContactDetection detection(world, 2 * dhat);
            int seen[3] = {0, 0, 0}, doubtful = 0;
            run_steps(*method, world, start, 0.01, 25, [&](const State& now, const StepResult& result) {
                detection.update(now.x);
                const ContactSet contacts = detection.contacts(now.x, dhat);
                std::vector<double> fastest(static_cast<std::size_t>(world.vertex_count()), -1.0);
                for (const Contact& contact : contacts.contacts) {
                    const Vec4 weights = contact_weights(contact, now.x);
                    Vec3 relative = Vec3::Zero();
                    for (int k = 0; k < contact.vertex_count(); ++k)
                        relative += weights[k] * now.v.segment<3>(3 * contact.vertices[static_cast<std::size_t>(k)]);
                    const double slip = (contact_frame(contact, now.x).transpose() * relative).norm();
                    for (int k = 0; k < contact.vertex_count(); ++k) {
                        double& entry =
                            fastest[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(k)])];
                        entry = std::max(entry, slip);
                    }
                }
                for (Index v = 0; v < world.vertex_count(); ++v) {
                    const double slip = fastest[static_cast<std::size_t>(v)];
                    const ContactState found = result.contact_state[static_cast<std::size_t>(v)];
                    ++seen[static_cast<int>(found)];
                    if (std::abs(slip - friction_velocity) < 1e-6 * friction_velocity)
                        ++doubtful;
                    else
                        CHECK(found == (slip < 0.0                 ? ContactState::none
                                        : slip < friction_velocity ? ContactState::sticking
                                                                   : ContactState::sliding));
                }
            });
            CHECK(seen[0] > 100);
            CHECK(seen[1] > 10);
            CHECK(seen[2] > 10);
            CHECK(doubtful < 3);
        }
    }
}
