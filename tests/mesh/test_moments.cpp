// Moments of solids against closed forms, and of a surface against those of its tets.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/mesh/moments.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

namespace {

void turn_and_shift(Mesh& mesh, const Mat3& rotation, const Vec3& shift) {
    for (Vec3& x : mesh.vertices) x = rotation * x + shift;
}

}  // namespace

TEST_CASE("moments of a box are those of the formula, turned and far from the origin, from tets and from the surface") {
    const Vec3 size(1.0, 2.0, 0.5), shift(100.0, -200.0, 50.0);
    const Mat3 rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    Mesh mesh = generate_box(size, {2, 3, 1});
    turn_and_shift(mesh, rotation, shift);
    const Mat3 exact = rotation * Mat3((size.cwiseAbs2() / 12.0 * size.prod()).asDiagonal()) * rotation.transpose();
    for (const VolumeMoments& moments : {moments_of_tets(mesh.vertices, mesh.tets),
                                         moments_of_surface(mesh.vertices, boundary_triangles(mesh.tets))}) {
        CHECK(moments.volume == relative(size.prod(), 1e-13));
        CHECK((moments.centroid - shift).norm() < 1e-12);
        CHECK((moments.second - exact).norm() < 1e-12 * exact.norm());
    }
}

TEST_CASE("moments of a surface with a cavity and without symmetry are the sums over its tets") {
    Mesh mesh = generate_hollow_ball(1.0, 0.3, 2, 1);
    for (Vec3& x : mesh.vertices) x[0] += 0.3 * x[1] * x[1];
    turn_and_shift(mesh, Mat3::Identity(), {3, 4, 5});
    double volume = 0.0;
    Vec3 first = Vec3::Zero();
    for (const Tet& tet : mesh.tets) {
        volume += signed_volume(mesh, tet);
        for (const Index v : tet) first += 0.25 * signed_volume(mesh, tet) * mesh.vertices[static_cast<std::size_t>(v)];
    }
    const VolumeMoments solid = moments_of_tets(mesh.vertices, mesh.tets),
                        surface = moments_of_surface(mesh.vertices, boundary_triangles(mesh.tets));
    CHECK(surface.volume == relative(volume, 1e-12));
    CHECK((surface.centroid - first / volume).norm() < 1e-12);
    CHECK((solid.centroid - first / volume).norm() < 1e-12);
    CHECK((surface.second - solid.second).norm() < 1e-11 * solid.second.norm());
    CHECK(moments_of_surface(mesh.vertices,
                             boundary_triangles({{mesh.tets[0][0], mesh.tets[0][2], mesh.tets[0][1], mesh.tets[0][3]}}))
              .volume < 0.0);
}
