// Solids of quadratic tets in the time step: pressure through contact, derivatives, momentum, the same bits.
#include "stiction/audit/inversion.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/tet10_elasticity.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"

#include "support/run.hpp"

#include <algorithm>

using namespace stiction;
using namespace stiction::test;

namespace {

Mesh quadratic(Mesh mesh) {
    add_mid_nodes(mesh);
    return mesh;
}

/// How far the stress along y at the points of the elements is from its mean, at most, as a share of it: of elements
/// with a corner on the ground.
double unevenness(const World& world, const VecX& x, double height) {
    const Tet10Elements& elements = world.quadratic[0].elements;
    double sum = 0.0, weight = 0.0;
    const auto stress = [&](std::size_t e, std::size_t q) { return cauchy_stress(elements, e, q, x)(1, 1); };
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t q = 0; q < 4; ++q) {
            sum += elements.weight[e][q] * stress(e, q);
            weight += elements.weight[e][q];
        }
    }
    const double mean = sum / weight;
    CHECK(mean < 0.0);
    double worst = 0.0;
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const NodePositions nodes = node_positions(elements.vertices[e], world.initial_positions);
        if (nodes.row(1).minCoeff() > height) continue;
        for (std::size_t q = 0; q < 4; ++q) worst = std::max(worst, std::abs(stress(e, q) / mean - 1.0));
    }
    return worst;
}

/// A block of four cells, pressed together by two per cent between planes without friction.
double pressed_block(int subdivisions, double nu) {
    WorldBuilder builder;
    const double dhat = 1e-4;
    const BodyMaterial material{MaterialLaw::neo_hookean, 1e5, nu, 1000};
    builder.add_deformable("block",
                           quadratic(translated(generate_box({0.1, 0.1, 0.1}, {4, 4, 4}), {0, 0.05 + dhat, 0})),
                           material, Vec3::Zero(), Vec3::Zero(), {}, subdivisions);
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    const Index lid = builder.add_half_space("lid", {0, 0.1 + 2.0 * dhat, 0}, {0, -1, 0});
    Motion motion;
    motion.name = "lid";
    motion.vertices = {builder.first_vertex(lid)};
    auto path = std::make_shared<RigidTrajectory>();
    path->velocity = {0, -0.002, 0};
    motion.trajectory = path;
    builder.add_motion(motion);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.dhat = dhat;
    options.velocity_tolerance = 1e-8;
    options.barrier_weights = BarrierWeights::area;
    ipc::Ipc ipc(options, Integrator::quasi_static);
    state = run_steps(ipc, world, state, 0.25, 4);
    return unevenness(world, state.x, 1e-3 + dhat);
}

}  // namespace

TEST_CASE("quadratic tets: even pressure through contact, the better the finer the proxy") {
    // An even pressure on a quadratic face is nothing at the corners and a third at each mid node; a proxy of m parts
    // an edge comes near that. Of the first layer of cells the unevenness was 0.082 with two parts, 0.070 with four.
    const double two = pressed_block(2, 0.45), four = pressed_block(4, 0.45);
    CHECK(four < 0.1);
    CHECK(four < two);
}

TEST_CASE("quadratic tets: flight with spin keeps momentum, whatever the material does") {
    for (const bool consistent : {false, true}) {
        CAPTURE(consistent);
        WorldBuilder builder;
        builder.set_consistent_mass(consistent);
        const BodyMaterial material{MaterialLaw::stable_neo_hookean, 1e5, 0.45, 1000};
        builder.add_deformable("block", quadratic(generate_box({0.1, 0.2, 0.1}, {1, 2, 1})), material, {1, 2, 3},
                               {5, 0, 2});
        auto [world, state] = builder.build();
        const auto momentum = [&, &w = world](const State& at) {
            const VecX p = mass_product(w, at.v);
            Vec3 sum = Vec3::Zero();
            for (Index v = 0; v < w.vertex_count(); ++v) sum += p.segment<3>(3 * v);
            return sum;
        };
        const Vec3 before = momentum(state);
        ipc::Options options;
        options.velocity_tolerance = 1e-10;
        ipc::Ipc ipc(options);
        state = run_steps(ipc, world, state, 0.005, 20);
        CHECK((momentum(state) - before).norm() < 1e-10 * before.norm());
        CHECK(before.isApprox(4.0 * Vec3(0.5, 1.0, 1.5), 1e-12));
    }
}

TEST_CASE("quadratic tets: a step on the ground is the same for any number of threads, and upright") {
    const auto run = [](int threads) {
        set_thread_count(threads);
        WorldBuilder builder;
        const BodyMaterial material{MaterialLaw::neo_hookean, 2e4, 0.49, 1000, 0.1, 1e-3};
        builder.add_deformable("block", quadratic(translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.055, 0})),
                               material, {0.5, -2.0, 0.0}, {0, 0, 5});
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.add_obstacle("post", translated(generate_icosphere(0.04, 1), {0.11, 0.05, 0}));
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.4);
        auto [world, state] = builder.build();
        ipc::Ipc ipc{ipc::Options{}};
        long contacts = 0;
        state = run_steps(ipc, world, state, 0.01, 12, [&, &w = world](const State& at, const StepResult& result) {
            contacts += result.report.contacts;
            CHECK(audit::find_inversions(w, at.x).forbidden.empty());
        });
        CHECK(contacts > 100);
        return state;
    };
    const int usual = thread_count();
    const State one = run(1), two = run(2);
    set_thread_count(usual);
    CHECK(one.x == two.x);
    CHECK(one.v == two.v);
}
