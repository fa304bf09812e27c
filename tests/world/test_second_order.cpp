// Bodies of quadratic tets: their proxy, their masses, and what hangs in them.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/collision_mesh.hpp"
#include "stiction/world/element_quality.hpp"
#include "stiction/world/start_check.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

Mesh quadratic_box(std::array<int, 3> cells = {2, 2, 2}) {
    Mesh mesh = generate_box(Vec3(0.2, 0.2, 0.2), cells);
    add_mid_nodes(mesh);
    return mesh;
}

BodyMaterial rubber(MaterialLaw law = MaterialLaw::neo_hookean) {
    BodyMaterial material;
    material.law = law;
    material.youngs_modulus = 1e5;
    material.poissons_ratio = 0.45;
    material.density = 1000.0;
    return material;
}

Vec3 position(const EmbeddedVertex& entry, const std::vector<Vec3>& vertices) {
    Vec3 sum = Vec3::Zero();
    for (const Carrier& carrier : entry.carriers())
        sum += carrier.weight * vertices[static_cast<std::size_t>(carrier.vertex)];
    return sum;
}

}  // namespace

TEST_CASE("mid nodes: one in the middle of every edge, shared") {
    const Mesh linear = generate_box(Vec3(0.2, 0.2, 0.2), {2, 2, 2});
    const Mesh mesh = quadratic_box();
    // V - E + F - T = 1 for a ball of tets; F from 4 T = 2 F - (faces of the boundary).
    const std::size_t boundary = boundary_triangles(linear.tets).size(),
                      faces = (4 * linear.tets.size() + boundary) / 2;
    const std::size_t edges = linear.vertices.size() + faces - linear.tets.size() - 1;
    CHECK(mesh.vertices.size() == linear.vertices.size() + edges);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (std::size_t k = 0; k < 6; ++k) {
            const Vec3 middle = 0.5 * (mesh.vertices[stiction::at(mesh.tets[t][mid_node_edges[k][0]])] +
                                       mesh.vertices[stiction::at(mesh.tets[t][mid_node_edges[k][1]])]);
            CHECK((mesh.vertices[stiction::at(mesh.mid_nodes[t][k])] - middle).norm() == 0.0);
        }
    }
}

TEST_CASE("collision proxy: closed, m squared triangles a face, on the curved surface") {
    Mesh mesh = quadratic_box({1, 1, 1});
    for (std::size_t v = 8; v < mesh.vertices.size(); ++v) mesh.vertices[v] *= 1.1;
    const std::size_t faces = boundary_triangles(mesh.tets).size();
    for (const int m : {1, 2, 3, 4, 9}) {
        CAPTURE(m);
        const CollisionProxy proxy = collision_proxy(mesh, m);
        CHECK(proxy.triangles.size() == faces * static_cast<std::size_t>(m * m));
        // Every edge of a closed surface is passed once each way; Euler's formula then counts the vertices.
        std::map<Edge, int> passes;
        for (const Triangle& t : proxy.triangles)
            for (std::size_t k = 0; k < 3; ++k) ++passes[{t[k], t[(k + 1) % 3]}];
        for (const auto& [edge, count] : passes) {
            CHECK(count == 1);
            CHECK(passes.contains({edge[1], edge[0]}));
        }
        CHECK(proxy.vertices.size() == passes.size() / 2 - proxy.triangles.size() + 2);
        double largest = 0.0, smallest = 1.0;
        for (const EmbeddedVertex& entry : proxy.vertices) {
            double sum = 0.0;
            for (const Carrier& carrier : entry.carriers()) {
                sum += carrier.weight;
                largest = std::max(largest, carrier.weight);
                smallest = std::min(smallest, carrier.weight);
            }
            CHECK(sum == relative(1.0, 1e-15));
            CHECK(entry.carriers().size() <= 6);
        }
        CHECK(largest <= 1.0);
        CHECK(smallest >= -0.125);
    }
    // On an edge the map is the parabola through its three nodes.
    const CollisionProxy proxy = collision_proxy(mesh, 4);
    int quarters = 0;
    for (const EmbeddedVertex& entry : proxy.vertices) {
        if (entry.carriers().size() != 3) continue;
        double weights[3] = {};
        for (std::size_t k = 0; k < 3; ++k) weights[k] = entry.carriers()[k].weight;
        std::sort(weights, weights + 3);
        CHECK(weights[0] == relative(-0.125, 1e-15));
        CHECK(weights[1] == relative(0.375, 1e-15));
        CHECK(weights[2] == relative(0.75, 1e-15));
        ++quarters;
    }
    CHECK(quarters == 2 * 18);  // edges of the surface of a cube of six tets
}

TEST_CASE("a collision mesh hangs in quadratic tets, curved ones too") {
    constexpr unsigned seed = 71;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> inside(-0.06, 0.06), bend(-0.006, 0.006);
    Mesh mesh = quadratic_box();
    for (std::size_t v = 27; v < mesh.vertices.size(); ++v)
        mesh.vertices[v] += Vec3(bend(generator), bend(generator), bend(generator));
    std::vector<Vec3> points;
    for (int n = 0; n < 50; ++n) points.emplace_back(inside(generator), inside(generator), inside(generator));
    const auto hung = hang_in_tets("body", mesh.vertices, mesh, points);
    for (std::size_t n = 0; n < points.size(); ++n)
        CHECK((position(hung[n], mesh.vertices) - points[n]).norm() < 1e-14);
}

TEST_CASE("a body of quadratic tets: masses, gravity, surface, free fall") {
    for (const bool consistent : {false, true}) {
        CAPTURE(consistent);
        WorldBuilder builder;
        builder.set_gravity(Vec3(0, -9.81, 0));
        builder.set_consistent_mass(consistent);
        const Mesh mesh = quadratic_box();
        const Index body = builder.add_deformable("block", mesh, rubber(), Vec3(1, 2, 3));
        const auto [world, state] = builder.build();
        CHECK(world.elastic.empty());
        REQUIRE(world.quadratic.size() == 1);
        CHECK(world.quadratic[0].elements.size() == mesh.tets.size());
        CHECK(world.bodies[stiction::at(body)].first_carried == static_cast<Index>(mesh.vertices.size()));
        CHECK(world.mass.sum() == relative(8.0, 1e-12));
        for (Index v = 0; v < world.vertex_count(); ++v) CHECK((world.mass[v] > 0.0) == !world.is_carried(v));
        for (const Triangle& triangle : world.surface.triangles)
            for (const Index v : triangle) CHECK(world.is_carried(v));
        CHECK(kinetic_energy(world, state.v) == relative(0.5 * 8.0 * 14.0, 1e-12));
        const StepInput input = schedule(world, state, 0.01);
        Vec3 weight = Vec3::Zero();
        for (Index v = 0; v < world.vertex_count(); ++v) weight += input.external_force.segment<3>(3 * v);
        CHECK(weight[1] == relative(-8.0 * 9.81, 1e-12));
        // A uniform acceleration is what gravity does to the mass matrix.
        VecX fall = VecX::Zero(state.x.size());
        for (Eigen::Index i = 1; i < fall.size(); i += 3) fall[i] = -9.81;
        CHECK((mass_product(world, fall) - input.external_force).norm() < 1e-12 * input.external_force.norm());
        CHECK(worst_element(world, state.x).value == relative(1.0, 1e-12));
        CHECK(find_start_problems(world, state).empty());
    }
}
