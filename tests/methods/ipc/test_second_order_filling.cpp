// Solids of quadratic tets that are filled or under pressure, against the theory of elasticity.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/mesh/second_order.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double inner = 0.03, outer = 0.05, youngs_modulus = 1e5, poissons_ratio = 0.45, pressure = 20.0;
const BodyMaterial rubber{MaterialLaw::neo_hookean, youngs_modulus, poissons_ratio, 1000};

/// Of constant pressure, whatever the volume does.
VolumeLaw constant(double overpressure) {
    VolumeLaw law;
    law.kind = VolumeLawKind::quadratic;
    law.compressibility = 1.0;
    law.overpressure = overpressure;
    return law;
}

/// Steps so long that nothing swings.
State at_rest(const World& world, const State& start) {
    ipc::Options options;
    options.velocity_tolerance = 1e-10;
    ipc::Ipc ipc(options);
    return run_steps(ipc, world, start, 1.0, 4);
}

/// Mid nodes of edges on a sphere about the origin are moved onto it.
void curve(Mesh& mesh, std::size_t corners) {
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const Tet10 tet = tet10(mesh, t);
        constexpr std::array<std::array<std::size_t, 2>, 6> edges{{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};
        for (std::size_t k = 0; k < 6; ++k) {
            const double a = mesh.vertices[static_cast<std::size_t>(tet[edges[k][0]])].norm(),
                         b = mesh.vertices[static_cast<std::size_t>(tet[edges[k][1]])].norm();
            const auto mid = static_cast<std::size_t>(tet[4 + k]);
            REQUIRE(mid >= corners);
            if (std::abs(a - b) < 1e-9) mesh.vertices[mid] *= a / mesh.vertices[mid].norm();
        }
    }
}

/// Mean radial move of the vertices of the inner wall of a ball under pressure from within (m).
double inflated(int order, int divisions) {
    Mesh mesh = generate_hollow_ball(outer, outer - inner, divisions, 2);
    const std::size_t corners = mesh.vertices.size();
    if (order == 2) {
        add_mid_nodes(mesh);
        curve(mesh, corners);
    }
    WorldBuilder builder;
    builder.add_deformable("ball", mesh, rubber, Vec3::Zero(), Vec3::Zero(), {}, 4);
    builder.add_filling(0, FilledPart::cavity, constant(pressure));
    const auto [world, state] = builder.build();
    const State end = at_rest(world, state);
    double sum = 0.0;
    int count = 0;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (std::abs(mesh.vertices[v].norm() - inner) > 1e-9) continue;
        sum += end.x.segment<3>(3 * static_cast<Eigen::Index>(v)).norm() - inner;
        ++count;
    }
    return sum / count;
}

}  // namespace

TEST_CASE("quadratic tets: a thick ball under pressure from within widens as Lame's solution says") {
    const double a3 = std::pow(inner, 3), b3 = std::pow(outer, 3),
                 expected = pressure * inner / (youngs_modulus * (b3 - a3)) *
                            ((1.0 - 2.0 * poissons_ratio) * a3 + 0.5 * (1.0 + poissons_ratio) * b3);
    const double coarse = inflated(2, 2), fine = inflated(2, 3);
    CHECK(coarse == relative(expected, 0.01));
    CHECK(fine == relative(expected, 0.005));
    CHECK(inflated(1, 3) < 0.8 * expected);  // linear tets of the same mesh lock
}

TEST_CASE("quadratic tets: a block under pressure from all sides loses the volume that its bulk modulus says") {
    Mesh mesh = generate_box({0.1, 0.1, 0.1}, {2, 2, 2});
    add_mid_nodes(mesh);
    // Stiffer against a change of volume by 11 than against shear, the block shows how even the pressure of the
    // triangles is that stand for its faces: the excess falls with the fourth power of their number an edge.
    const auto excess = [&](FilledPart part, int subdivisions) {
        WorldBuilder builder;
        builder.add_deformable("block", mesh, rubber, Vec3::Zero(), Vec3::Zero(), {}, subdivisions);
        builder.add_filling(0, part, constant(-pressure));
        const auto [world, state] = builder.build();
        REQUIRE(world.fillings.size() == 1);
        CHECK(world.fillings[0].energy.rest_volume == relative(1e-3, 1e-12));
        const State end = at_rest(world, state);
        const double lost = 1.0 - world.fillings[0].energy.zone.volume(end.x) / 1e-3;
        return lost / (3.0 * (1.0 - 2.0 * poissons_ratio) * pressure / youngs_modulus) - 1.0;
    };
    for (const FilledPart part : {FilledPart::surface, FilledPart::tets}) {
        const double four = excess(part, 4), eight = excess(part, 8);
        CHECK(std::abs(four) < 0.06);
        CHECK(std::abs(eight) < four / 12.0);
    }
}

TEST_CASE("quadratic tets: a filled body has no collision mesh of its own beside the one made of its faces") {
    Mesh mesh = generate_hollow_ball(outer, outer - inner, 1);
    add_mid_nodes(mesh);
    WorldBuilder builder;
    const Index body = builder.add_deformable("ball", mesh, rubber, Vec3::Zero(), Vec3::Zero(), {}, 0);
    builder.set_collision_mesh(body, generate_icosphere(outer, 1));
    CHECK_THROWS_WITH_AS(
        builder.add_filling(0, FilledPart::cavity, constant(pressure)),
        doctest::Contains("ball: filled region: of a solid of second order with a collision mesh of its own"),
        InputError);
}
