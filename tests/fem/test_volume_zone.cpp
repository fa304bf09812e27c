#include "stiction/fem/volume_edges.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/topology.hpp"

#include "fem/volume_zones.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

double tet_volumes(const std::vector<Tet>& tets, const VecX& x) {
    double sum = 0.0;
    for (const Tet& tet : tets) sum += edge_matrix(tet, x).determinant() / 6.0;
    return sum;
}

}  // namespace

TEST_CASE("volumes of simple bodies") {
    const Mesh cube = generate_box({1, 2, 4}, {2, 3, 1});
    CHECK(VolumeZone::from_tets(cube.vertices, cube.tets).rest_volume() == relative(8, 1e-15));
    const Mesh skin = generate_box({1, 2, 4}, {2, 3, 1}, Fill::surface);
    CHECK(VolumeZone::from_surface(skin.vertices, skin.triangles).rest_volume() == relative(8, 1e-15));

    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    CHECK(VolumeZone::from_tets(corners, {{0, 1, 2, 3}}).rest_volume() == 1.0);

    double last_error = 0.0;
    for (int subdivisions = 2; subdivisions <= 4; ++subdivisions) {
        const Mesh sphere = generate_icosphere(0.7, subdivisions);
        const VolumeZone zone = VolumeZone::from_surface(sphere.vertices, sphere.triangles);
        CHECK(zone.rest_volume() == relative(enclosed_volume(sphere.vertices, sphere.triangles), 1e-13));
        const double error = 1.0 - zone.rest_volume() / (4 * pi / 3 * std::pow(0.7, 3));
        CHECK(error > 0.0);
        if (subdivisions > 2) CHECK(last_error / error == relative(4.0, 0.03));
        last_error = error;
    }
    CHECK(last_error < 0.005);
}

TEST_CASE(
    "the volume of a union of tets is the sum over the tets, also of a part of a mesh and when some are inverted") {
    constexpr unsigned seed = 61;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(4, 1.0, generator);
    const VecX rest = stacked(mesh.rest);
    std::vector<Tet> part;
    for (const Tet& tet : mesh.tets) {
        if (generator() % 3 != 0) part.push_back(tet);
    }
    CHECK(first_edge_defect(boundary_triangles(part), ClosedBy::manifold).has_value());  // some touch at edges only
    for (const std::vector<Tet>& tets : {mesh.tets, part}) {
        const VolumeZone zone = VolumeZone::from_tets(mesh.rest, tets);
        CHECK(zone.rest_volume() == relative(tet_volumes(tets, rest), 1e-13));
        const VecX x = rest + random_vector(rest.size(), 0.3, generator);
        double smallest = 1.0;
        for (const Tet& tet : tets) smallest = std::min(smallest, edge_matrix(tet, x).determinant());
        CHECK(smallest < 0.0);
        CHECK(zone.volume(x) == relative(tet_volumes(tets, x), 1e-12));
    }
}

TEST_CASE("a cavity has the volume that its wall encloses, and none of the body") {
    const Mesh hollow = generate_hollow_ball(1.0, 0.25, 8, 2);
    const auto walls = cavity_walls(hollow);
    REQUIRE(walls.size() == 1);
    const VolumeZone cavity = VolumeZone::cavity(hollow.vertices, walls[0]);
    CHECK(cavity.rest_volume() == relative(-enclosed_volume(hollow.vertices, walls[0]), 1e-13));
    CHECK(cavity.vertices().size() == 642);
    for (const Index v : cavity.vertices()) CHECK(hollow.vertices[static_cast<std::size_t>(v)].norm() < 0.76);
    // pressure pushes the wall outwards, into the material: dV/dx points away from the centre
    VecX g;
    const VecX x = stacked(hollow.vertices);
    cavity.gradient(x, g);
    for (std::size_t i = 0; i < cavity.vertices().size(); ++i) {
        CHECK(g.segment<3>(3 * static_cast<Eigen::Index>(i)).dot(x.segment<3>(3 * cavity.vertices()[i])) > 0.0);
    }
    const std::vector<Triangle> triangles = boundary_triangles(hollow.tets);
    const SurfaceComponents surface = split_surface(hollow.vertices, triangles);
    const auto outer = component_triangles(triangles, surface.components[static_cast<std::size_t>(surface.outer)]);
    const VolumeZone body = VolumeZone::from_tets(hollow.vertices, hollow.tets);
    const VolumeZone filled = VolumeZone::from_surface(hollow.vertices, outer);
    CHECK(body.rest_volume() + cavity.rest_volume() == relative(filled.rest_volume(), 1e-13));
}

TEST_CASE("volume: gradient and Hessian agree with finite differences") {
    constexpr unsigned seed = 62;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedZone& named : zones(generator)) {
        CAPTURE(named.name);
        const VecX x = named.rest + random_vector(named.rest.size(), 0.05, generator);
        const VolumeZone& zone = named.zone;
        const DerivativeCheck check = check_derivatives(
            [&](const VecX& y) { return zone.volume(y); }, [&](const VecX& y) { return zone_gradient(zone, y); },
            [&](const VecX& y) { return sparse_hessian(zone, y, 1.0); }, x, 0.1);
        CHECK(check.gradient_error < 1e-9);
        CHECK(check.hessian_error < 1e-9);
        CHECK(check.hessian_asymmetry < 1e-15);
        // V is homogeneous of degree 3 in x: Euler's identities, exact but for rounding
        const VecX g = zone_gradient(zone, x);
        const Eigen::MatrixXd H = sparse_hessian(zone, x, 1.0);
        CHECK(g.dot(x) == relative(3.0 * zone.volume(x), 1e-12));
        CHECK((H * x - 2.0 * g).norm() < 1e-12 * g.norm());
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
        CHECK(eigen.eigenvalues().minCoeff() < -0.1 * eigen.eigenvalues().maxCoeff());  // indefinite
    }
}

TEST_CASE("volume: projected triangles are positive semidefinite, leave translations alone, and differ by d2V") {
    constexpr unsigned seed = 66;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedZone& named : zones(generator)) {
        CAPTURE(named.name);
        const VecX x = named.rest + random_vector(named.rest.size(), 0.05, generator);
        const std::vector<Triangle>& triangles = named.zone.triangles();
        const auto assembled = [&](double scale) {
            std::vector<Mat12> blocks;
            volume_triangle_hessians(named.zone, x, scale, blocks);
            Eigen::MatrixXd H = Eigen::MatrixXd::Zero(x.size(), x.size());
            for (std::size_t t = 0; t < blocks.size(); ++t) {
                const Eigen::SelfAdjointEigenSolver<Mat12> eigen(blocks[t]);
                CHECK(eigen.eigenvalues().minCoeff() > -1e-14 * eigen.eigenvalues().maxCoeff());
                Mat3 sum = Mat3::Zero();
                for (int a = 0; a < 3; ++a) {
                    sum += blocks[t].block<3, 3>(0, 3 * a);
                    for (int b = 0; b < 3; ++b)
                        H.block<3, 3>(3 * triangles[t][static_cast<std::size_t>(a)],
                                      3 * triangles[t][static_cast<std::size_t>(b)]) +=
                            blocks[t].block<3, 3>(3 * a, 3 * b);
                }
                CHECK(sum.norm() < 1e-14 * blocks[t].norm());
            }
            return H;
        };
        // The positive parts of H and of -H.
        const Eigen::MatrixXd difference = assembled(2.5) - assembled(-2.5), H = sparse_hessian(named.zone, x, 2.5);
        CHECK((difference - H).norm() < 1e-13 * H.norm());
    }
}

TEST_CASE("the blocks added up by ElementScatter are the sparse part") {
    constexpr unsigned seed = 64;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const VolumeZone zone = VolumeZone::from_tets(mesh.rest, mesh.tets);
    const VecX x = stacked(mesh.rest) + random_vector(81, 0.1, generator);
    std::vector<Mat9> small;
    std::vector<Mat12> large;
    zone.hessian_blocks(x, 3.0, small);
    zone.hessian_blocks(x, 3.0, large);
    const auto stencils = zone.stencils();
    REQUIRE(large.size() == zone.triangles().size());
    REQUIRE(stencils.size() == zone.triangles().size());
    for (std::size_t t = 0; t < large.size(); ++t) {
        CHECK(Mat9(large[t].topLeftCorner<9, 9>()) == small[t]);
        CHECK(large[t].rightCols<3>().cwiseAbs().maxCoeff() == 0.0);
        CHECK(large[t].bottomRows<3>().cwiseAbs().maxCoeff() == 0.0);
    }
    BlockSystem system;
    system.set_pattern(27, element_pairs(stencils));
    CHECK(system.slots() == 27 + static_cast<Index>(unique_edges(zone.triangles()).size()));
    system.set_zero();
    ElementScatter(system.pattern(), stencils).add(large, 1.0, system);
    const VecX p = random_vector(x.size(), 1.0, generator);
    const VecX expected = sparse_hessian(zone, x, 3.0) * p;
    VecX product;
    system.multiply(p, product);
    CHECK((product - expected).norm() < 1e-14 * expected.norm());
}

TEST_CASE("moved as a whole, the volume stays and the gradient turns along; no resultant, no torque") {
    constexpr unsigned seed = 65;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Mat3 Q = Eigen::AngleAxisd(2.4, Vec3(1, -2, 0.7).normalized()).toRotationMatrix();
    for (const NamedZone& named : zones(generator)) {
        CAPTURE(named.name);
        const VolumeZone& zone = named.zone;
        const VecX x = named.rest + random_vector(named.rest.size(), 0.05, generator);
        const VecX g = zone_gradient(zone, x);
        const VecX moved = mapped(x, Q, Vec3(10, -4, 7));
        CHECK(zone.volume(moved) == relative(zone.volume(x), 1e-12));
        CHECK((zone_gradient(zone, moved) - mapped(g, Q)).norm() < 1e-12 * g.norm());
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        for (Eigen::Index v = 0; v < g.size() / 3; ++v) {
            const Vec3 g_v = g.segment<3>(3 * v), x_v = x.segment<3>(3 * v);
            force += g_v;
            torque += x_v.cross(g_v);
        }
        CHECK(force.norm() < 1e-14 * g.norm());
        CHECK(torque.norm() < 1e-14 * g.norm());
        // a rigid motion changes nothing to first order, and changes the gradient by turning it
        const Vec3 spin(0.3, -0.2, 0.5);
        VecX velocity(x.size()), turned(x.size()), change;
        for (Eigen::Index v = 0; v < x.size() / 3; ++v) {
            velocity.segment<3>(3 * v) = Vec3(1, 2, 3) + spin.cross(Vec3(x.segment<3>(3 * v)));
            turned.segment<3>(3 * v) = spin.cross(Vec3(g.segment<3>(3 * v)));
        }
        CHECK(std::abs(zone.directional_derivative(x, velocity)) < 1e-14 * g.norm());
        zone.hessian_product(x, velocity, change);
        VecX scattered = VecX::Zero(x.size());
        zone.add(change, 1.0, scattered);
        CHECK((scattered - turned).norm() < 1e-14 * g.norm() * 10.0);
    }
}

TEST_CASE("a million metres away nothing is lost but what the coordinates have lost") {
    constexpr unsigned seed = 66;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedZone& named : zones(generator)) {
        CAPTURE(named.name);
        const VolumeZone& zone = named.zone;
        // coordinates that are multiples of 2^-20 can be moved by a million metres without rounding: not a bit may
        // change
        VecX x = named.rest + random_vector(named.rest.size(), 0.05, generator);
        for (double& coordinate : x) coordinate = std::ldexp(std::round(std::ldexp(coordinate, 20)), -20);
        const VecX far = mapped(x, Mat3::Identity(), Vec3(1e6, -1e6, 1e6));
        CHECK(zone.volume(far) == zone.volume(x));
        CHECK(zone_gradient(zone, far) == zone_gradient(zone, x));
        CHECK(sparse_hessian(zone, far, 1.0) == sparse_hessian(zone, x, 1.0));
        // the same formula about the origin is useless there: the test can tell
        double naive = 0.0;
        for (const Triangle& t : zone.triangles()) {
            const Vec3 a = far.segment<3>(3 * t[0]), b = far.segment<3>(3 * t[1]), c = far.segment<3>(3 * t[2]);
            naive += a.dot(b.cross(c)) / 6.0;
        }
        CHECK(std::abs(naive - zone.volume(x)) > 1e-6 * zone.volume(x));
    }
}

TEST_CASE("two parts of a zone a million metres apart are measured each from itself") {
    Mesh two = generate_box({0.5, 0.25, 0.125}, {2, 2, 2}, Fill::surface);
    const std::size_t n = two.vertices.size();
    const std::vector<Triangle> one = two.triangles;
    for (std::size_t v = 0; v < n; ++v) two.vertices.push_back(two.vertices[v] + Vec3(1e6, 2e6, -1e6));  // exact
    for (const auto& [a, b, c] : one) {
        const auto offset = static_cast<Index>(n);
        two.triangles.push_back({a + offset, b + offset, c + offset});
    }
    const VolumeZone zone = VolumeZone::from_surface(two.vertices, two.triangles);
    CHECK(zone.rest_volume() == 2 * 0.5 * 0.25 * 0.125);
    const Eigen::MatrixXd H = sparse_hessian(zone, stacked(two.vertices), 1.0);
    const auto size = static_cast<Eigen::Index>(3 * n);
    CHECK(H.topLeftCorner(size, size) == H.bottomRightCorner(size, size));
}
