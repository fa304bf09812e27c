// The list of contacts of a step, for every method: it sums up to the forces of vertices, agrees with their states,
// and changes nothing.
#include "stiction/barrier/solve.hpp"
#include "stiction/barrier/workspace.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include "support/contact_list.hpp"
#include <Eigen/Geometry>

#include <cstring>
#include <memory>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A method of the tests, and what its lists promise.
struct Tested {
    const char* name;
    std::unique_ptr<Method> (*make)();
    bool barrier = false, penalty = false;
    double pull = 0.0;  ///< see check_entries(): mlcp opens a contact that pulls where that moves it by eps_2 / 4
};

template <Integrator integrator>
std::unique_ptr<Method> make_ipc() {
    return std::make_unique<ipc::Ipc>(ipc::Options{}, integrator);
}

template <Integrator integrator>
std::unique_ptr<Method> make_implicit() {
    return std::make_unique<implicit::Implicit>(implicit::Options{}, integrator);
}

/// Newton on the balance gives up at once, and the lagged solution stands.
std::unique_ptr<Method> make_lagged() {
    implicit::Options options;
    options.max_implicit_iterations = 1;
    options.lagged_restarts = 0;
    return std::make_unique<implicit::Implicit>(options, Integrator::backward_euler);
}

std::unique_ptr<Method> make_penalty() {
    implicit::Options options;
    options.contact = implicit::ContactModel::penalty;
    options.implicit_surface_radius_factor = 1.5;  // the boxes are few elements thick
    return std::make_unique<implicit::Implicit>(options, Integrator::backward_euler);
}

std::unique_ptr<Method> make_mlcp() {
    mlcp::Options options;
    options.tolerance = 1e-7;
    return std::make_unique<mlcp::Mlcp>(options);
}

std::unique_ptr<Method> make_local_global() {
    return std::make_unique<local_global::LocalGlobal>(local_global::Options{});
}

const Tested all_methods[] = {
    {"ipc", make_ipc<Integrator::backward_euler>, true},
    {"ipc, two stages", make_ipc<Integrator::sdirk2>, true},
    {"implicit", make_implicit<Integrator::backward_euler>, true},
    {"implicit, two stages", make_implicit<Integrator::sdirk2>, true},
    {"implicit, lagged", make_lagged, true},
    {"implicit, penalty", make_penalty, false, true},
    {"mlcp", make_mlcp, false, false, 1e-3},
    {"local_global", make_local_global},
};

/// Body 0 falls, turned a little against the edges of body 1, which slides on the floor, body 2. Under a penalty the
/// thickness is that of the scene: with that of the smaller box, a third of it, Newton's method fails in the impact.
Scene two_boxes(const Tested& method) {
    WorldBuilder builder;
    if (method.penalty) builder.measure_by_scene();
    const Mat3 turn = Eigen::AngleAxisd(0.01, Vec3::UnitY()).toRotationMatrix();
    builder.add_deformable("upper",
                           translated(rotated(generate_box({0.15, 0.1, 0.15}, {3, 2, 3}), turn), {0.02, 0.1515, 0.01}),
                           {MaterialLaw::neo_hookean, 2e5, 0.3, 1000}, {0.3, -0.2, 0.1});
    builder.add_deformable("lower", translated(generate_box({0.3, 0.1, 0.3}, {6, 2, 6}), {0, 0.0505, 0}),
                           {MaterialLaw::neo_hookean, 2e5, 0.3, 1000});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    for (const Index body : {0, 1, 2}) builder.set_contact(body, body, false);
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

Simulator simulator_of(Scene scene, const Tested& method, bool listed) {
    Simulator simulator(std::move(scene.world), std::move(scene.state), method.make(), {.h = 0.01, .max_halvings = 4});
    simulator.list_contacts(listed);
    return simulator;
}

/// What lists leave out: the couples of the mollifier on nearly parallel edges (N, stacked).
VecX mollifier_couples(const World& world, const State& state, double dhat) {
    double stiffness = 0.0;  // per s^2
    std::memcpy(&stiffness, state.warm_start.at(AdaptiveStiffness::warm_start_key).data(), sizeof(stiffness));
    BarrierWorkspace workspace(world, BarrierOptions{});  // with the lengths of each pair of bodies
    ContactDetection& detection = workspace.detection;
    detection.update(state.x);
    VecX couples = VecX::Zero(state.x.size());
    for (const Contact& contact : detection.contacts(state.x, dhat).contacts) {
        if (contact.kind != ContactKind::mollified_pair) continue;
        Vec3 edges[4];
        gather_stencil(contact.vertices, state.x, edges);
        const double slope = edge_edge_mollifier(edge_cross_squared(edges), contact.mollifier_threshold).first;
        const Vec12 forces = -stiffness * contact.multiplicity * contact_barrier(contact, dhat * dhat).value * slope *
                             edge_cross_squared_gradient(edges);
        for (int k = 0; k < 4; ++k)
            couples.segment<3>(3 * contact.vertices[static_cast<std::size_t>(k)]) += forces.segment<3>(3 * k);
    }
    return couples;
}

/// What the entries say of gaps, against positions.
void check_gaps(const Tested& method, const State& state, const std::vector<ContactForce>& list) {
    for (const ContactForce& entry : list) {
        if (method.barrier) CHECK(entry.gap >= 0.0);
        // Of an implicit surface the gap is the function's value, and friction alone has points of an earlier time.
        if (entry.state == ContactState::none || (method.penalty && entry.bodies[1] != 2)) continue;
        Vec3 apart = Vec3::Zero();
        for (std::size_t k = 0; k < 4 && entry.vertices[k] >= 0; ++k)
            apart += entry.weights[k] * state.x.segment<3>(3 * entry.vertices[k]);
        // Rounding of positions, which are below 1 m.
        CHECK(entry.gap == within(entry.normal.dot(apart), 1e-14));
        if (entry.bodies[1] != 2) continue;
        CHECK(entry.normal == Vec3(0, 1, 0));
        CHECK(entry.gap == within(state.x[3 * entry.vertices[0] + 1], 1e-14));
    }
}

/// The list's sums against the forces on bodies and, where lists keep them, on vertices. All differences are rounding:
/// the sums have other orders.
void check_sums(const Tested& method, const World& world, const StepResult& result, const VecX& left_out) {
    const ListedForces listed(world, result.contacts);
    CHECK(difference(body_sums(world, listed.contact), body_sums(world, result.contact_force), result.contact_force) ==
          within(0.0, 1e-12));
    CHECK(difference(body_sums(world, listed.friction), body_sums(world, result.friction_force),
                     result.friction_force) == within(0.0, 1e-12));
    if (method.penalty) return;
    CHECK(difference(listed.contact + left_out, result.contact_force, result.contact_force) == within(0.0, 1e-12));
    CHECK(difference(listed.friction, result.friction_force, result.friction_force) == within(0.0, 1e-12));
}

void check_states(const Tested& method, const World& world, const StepResult& result) {
    const std::vector<ContactState> states = listed_states(world, result.contacts);
    REQUIRE(states.size() == result.contact_state.size());
    for (std::size_t v = 0; v < states.size(); ++v) {
        // Implicit surfaces have more vertices than their entries name.
        CHECK(states[v] <= result.contact_state[v]);
        if (!method.penalty) CHECK(states[v] == result.contact_state[v]);
    }
}

}  // namespace

TEST_CASE("contact lists sum up to the forces of vertices and agree with their states, for every method") {
    for (const Tested& method : all_methods) {
        CAPTURE(std::string(method.name));
        Simulator simulator = simulator_of(two_boxes(method), method, true);
        const World& world = simulator.world();
        const double dhat = simulator.method().contact_distance(world);
        int on_floor = 0, between_boxes = 0, rubbing = 0, count[3] = {0, 0, 0};
        double couples = 0.0;
        for (int step = 0; step < 25; ++step) {
            if (!simulator.advance()) FAIL(simulator.failure()->cause);
            const StepResult& result = *simulator.last_result();
            VecX left_out = VecX::Zero(3 * world.vertex_count());
            if (method.barrier) left_out = mollifier_couples(world, result.state, dhat);
            couples = std::max(couples, left_out.lpNorm<Eigen::Infinity>());
            check_entries(world, result.contacts, method.pull);
            check_gaps(method, result.state, result.contacts);
            check_sums(method, world, result, left_out);
            check_states(method, world, result);
            for (const ContactForce& entry : result.contacts) {
                ++(entry.bodies[1] == 2 ? on_floor : between_boxes);
                ++count[static_cast<int>(entry.state)];
                rubbing += entry.friction_force.norm() > 0.0;
            }
        }
        CHECK(on_floor > 100);
        CHECK(between_boxes > 100);
        CHECK(rubbing > 100);
        CHECK(count[static_cast<int>(ContactState::sticking)] > 100);
        CHECK(count[static_cast<int>(ContactState::sliding)] > 100);
        if (method.barrier) CHECK(couples > 1e-3);
    }
}

TEST_CASE("contact lists change no bit of a step, do not depend on threads, and are empty where they are not wanted") {
    for (const Tested& method : all_methods) {
        CAPTURE(std::string(method.name));
        set_thread_count(1);
        Simulator silent = simulator_of(two_boxes(method), method, false),
                  listed = simulator_of(two_boxes(method), method, true),
                  threaded = simulator_of(two_boxes(method), method, true);
        for (int step = 0; step < 12; ++step) {
            set_thread_count(1);
            REQUIRE(silent.advance());
            REQUIRE(listed.advance());
            set_thread_count(2);
            REQUIRE(threaded.advance());
            CHECK(to_bytes(silent.state()) == to_bytes(listed.state()));
            CHECK(silent.last_result()->contact_force == listed.last_result()->contact_force);
            CHECK(silent.last_result()->contacts.empty());
            CHECK(same_list(listed.last_result()->contacts, threaded.last_result()->contacts));
        }
        CHECK(listed.last_result()->contacts.size() > 10);
        for (const bool wanted : {false, false, true}) {
            listed.list_contacts(wanted);
            REQUIRE(listed.advance());
            CHECK(listed.last_result()->contacts.empty() == !wanted);
        }
        set_thread_count(0);
    }
}

TEST_CASE("contact lists of a block at rest: the floor carries its weight, friction its part along the slope") {
    for (const Tested& method : all_methods) {
        CAPTURE(std::string(method.name));
        Scene scene = block_on_slope({.tangent = 0.1,
                                      .mu = 0.5,
                                      .material = {MaterialLaw::neo_hookean, 1e6, 0.3, 1000, 0.0, 1e-3},
                                      .gap = 3e-4});
        const Vec3 weight = scene.world.mass.sum() * scene.world.gravity;
        Simulator simulator = simulator_of(std::move(scene), method, true);
        for (int step = 0; step < 150; ++step) REQUIRE(simulator.advance());
        const std::vector<ContactForce>& list = simulator.last_result()->contacts;
        Vec3 friction = Vec3::Zero();
        for (const ContactForce& entry : list) {
            CHECK(entry.bodies == std::array<Index, 2>{0, 1});
            CHECK(entry.state == ContactState::sticking);
            CHECK(entry.friction_force.norm() <= 0.5 * (1 + 1e-9) * entry.contact_force.norm());
            friction += entry.friction_force;
        }
        CHECK(list.size() == 9);
        CHECK(force_between(list, 0, 1).y() == relative(-weight.y(), 1e-6));
        CHECK(friction.x() == relative(-weight.x(), 1e-5));
    }
}

TEST_CASE("contact lists measure gaps from contact thickness") {
    for (const Tested& method : {all_methods[0], all_methods[2]}) {
        CAPTURE(std::string(method.name));
        Scene scene = block_on_slope({.material = {MaterialLaw::neo_hookean, 1e6, 0.3, 1000}, .gap = 4e-3 + 1e-4},
                                     [](WorldBuilder& builder) { builder.set_contact_thickness(0, 8e-3); });
        Simulator simulator = simulator_of(std::move(scene), method, true);
        for (int step = 0; step < 5; ++step) REQUIRE(simulator.advance());
        const StepResult& result = *simulator.last_result();
        CHECK(result.contacts.size() == 9);
        for (const ContactForce& entry : result.contacts) {
            CHECK(entry.gap > 0.0);
            CHECK(entry.gap == within(result.state.x[3 * entry.vertices[0] + 1] - 4e-3, 1e-15));
        }
    }
}
