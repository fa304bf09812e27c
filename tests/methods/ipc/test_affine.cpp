// Rigid bodies as affine ones in the incremental potential: derivatives on their coordinates with contacts between
// bodies of every kind.
#include "stiction/barrier/potential.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/run.hpp"

#include <random>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Two rigid boxes, one of them by its surface, between a half-space and a deformable box, all within the barrier of
/// the next.
struct Stack {
    World world;
    State state;
    double dhat = 0.05;

    Stack() {
        WorldBuilder builder;
        builder.add_rigid("lower", translated(generate_box({1, 1, 1}, {1, 1, 1}), {0, 0.52, 0}), 900.0, Vec3::Zero(),
                          Vec3::Zero(), 1e5);
        builder.add_rigid("middle",
                          surface_mesh(translated(generate_box({0.9, 0.5, 0.9}, {2, 1, 1}), {0.1, 1.29, 0.03})), 400.0,
                          Vec3::Zero(), Vec3::Zero(), 1e5);
        builder.add_deformable("upper", translated(generate_box({0.8, 0.8, 0.8}, {1, 1, 1}), {0.1, 1.96, 0.05}),
                               {MaterialLaw::fixed_corotated, 2e4, 0.4, 1100});
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.5);
        std::tie(world, state) = builder.build();
    }
    DofMap map() const { return DofMap(schedule(world, state, 0.02).driven_axes, world.embedded); }
};

}  // namespace

TEST_CASE(
    "affine bodies in contact: gradient is the derivative of the difference, the matrix that of the gradient, in the "
    "unknowns") {
    const Stack scene;
    HessianAssembly assembly(scene.world);
    assembly.begin(scene.map());
    const DofMap& map = assembly.map();
    REQUIRE(map.node_count() == 4 + 4 + 8);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> jitter(-0.01, 0.01);
    VecX nodes(3 * map.node_count()), step;
    for (double& q : nodes) q = jitter(random);
    map.expand_step(nodes, step);
    const VecX x0 = scene.state.x, x = x0 + 0.2 * step;

    const Stage stage{1.0, 0.02, x0, step};
    BarrierPotential potential(scene.world, stage, schedule(scene.world, scene.state, 0.02).external_force, x0,
                               scene.dhat, {FrictionProfile::quadratic, 0.01, 0.0});
    potential.set_stiffness(50.0);
    ContactDetection detection(scene.world, 2 * scene.dhat);
    detection.update(x0);
    potential.set_friction(potential.lag_friction(x0, detection.contacts(x0, scene.dhat), 50.0));
    REQUIRE(potential.friction().size() > 8);
    const auto contacts = [&](const VecX& y) { return detection.contacts(y, scene.dhat); };
    // Every kind of neighbours is there.
    std::set<std::pair<Index, Index>> pairs;
    for (const Contact& contact : contacts(x).contacts) {
        const Index a = scene.world.body_of_vertex[static_cast<std::size_t>(contact.vertices[0])];
        const Index b = scene.world.body_of_vertex[static_cast<std::size_t>(
            contact.vertices[static_cast<std::size_t>(contact.vertex_count() - 1)])];
        pairs.insert({std::min(a, b), std::max(a, b)});
    }
    CHECK(pairs == std::set<std::pair<Index, Index>>{{0, 1}, {0, 3}, {1, 2}});

    const auto at = [&](const VecX& q) {
        VecX move;
        map.expand_step(q, move);
        return VecX(x + move);
    };
    const BarrierPotentialValues at_x = potential.values(x, contacts(x));
    const auto value = [&](const VecX& q) {
        return potential.difference(x, at_x, at(q), potential.values(at(q), contacts(at(q))), 0.0).value;
    };
    const auto gradient = [&](const VecX& q) {
        VecX result;
        map.restrict_gradient(potential.gradient(at(q), contacts(at(q))), result);
        return result;
    };
    const VecX origin = VecX::Zero(3 * map.node_count()), g = gradient(origin);
    assembly.extend(detection.near(x, detection.reach()));
    potential.assemble(x, contacts(x), false, assembly);
    const double size = 1e-6;
    double largest = 0.0, value_error = 0.0;
    for (Eigen::Index i = 0; i < origin.size(); ++i) {
        const VecX forward = size * VecX::Unit(origin.size(), i), backward = -forward;
        value_error = std::max(value_error, std::abs((value(forward) - value(backward)) / (2 * size) - g[i]));
        VecX product;
        assembly.system().multiply(VecX::Unit(origin.size(), i), product);
        const VecX quotient = (gradient(forward) - gradient(backward)) / (2 * size);
        CHECK((quotient - product).norm() < 1e-5 * product.norm());
        largest = std::max(largest, product.norm());
    }
    CHECK(value_error < 1e-6 * g.norm());
    CHECK(largest > 0.0);
    // And the system that is solved is this one.
    potential.assemble(x, contacts(x), true, assembly);
    VecX solved, product;
    const VecX full = potential.gradient(x, contacts(x));
    REQUIRE(assembly.solve(full, solved));
    CHECK(solved.dot(full) < 0.0);
    for (const EmbeddedVertex& embedded : scene.world.embedded) {
        Vec3 carried = Vec3::Zero();
        for (const Carrier& carrier : embedded.carriers())
            carried += carrier.weight * solved.segment<3>(3 * carrier.vertex);
        CHECK((solved.segment<3>(3 * embedded.vertex) - carried).norm() < 1e-12 * solved.norm());
    }
}
