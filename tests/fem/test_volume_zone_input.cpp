// What VolumeZone refuses, and what it says then.
#include "stiction/base/error.hpp"
#include "stiction/fem/volume_zone.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

std::string error_of(const auto& make) {
    try {
        make();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("surfaces that bound nothing are refused, with the place and what to do") {
    const Mesh box = generate_box({1, 1, 1}, {1, 1, 1}, Fill::surface);
    const auto surface = [&](const std::vector<Triangle>& triangles) {
        return error_of([&] { VolumeZone::from_surface(box.vertices, triangles, 0, "ball"); });
    };
    CHECK(surface(box.triangles) == "");
    CHECK(surface({}) == "ball: volume zone: nothing: expected at least one triangle");

    std::vector<Triangle> triangles = box.triangles;
    const auto [a, b, c] = triangles.back();
    triangles.pop_back();
    const Edge first = std::min({Edge{std::min(a, b), std::max(a, b)}, Edge{std::min(b, c), std::max(b, c)},
                                 Edge{std::min(a, c), std::max(a, c)}});
    CHECK(surface(triangles) == "ball: volume zone: edge between vertices " + std::to_string(first[0]) + " and " +
                                    std::to_string(first[1]) +
                                    " is open (one triangle): expected a watertight surface: every edge " +
                                    "in exactly two triangles that run along it in opposite directions");

    const std::string inside_out = surface(turned_over(box.triangles));
    CHECK(inside_out.find("ball: volume zone: inside out, volume -1 m^3: expected ") == 0);
    CHECK(inside_out.find("turn them over") != std::string::npos);
    const auto cavity = [&](const std::vector<Triangle>& wall) {
        return error_of([&] { VolumeZone::cavity(box.vertices, wall, 0, "ball"); });
    };
    CHECK(cavity(turned_over(box.triangles)) == "");
    CHECK(cavity(box.triangles).find("ball: volume zone: inside out, volume -1 m^3: expected the wall of a cavity") ==
          0);

    triangles = box.triangles;
    std::swap(triangles[3][0], triangles[3][1]);
    CHECK(surface(triangles).find("has two triangles that run along it in the same direction") != std::string::npos);
    triangles = box.triangles;
    triangles.push_back(triangles[2]);
    CHECK(surface(triangles).find("is non-manifold (3 triangles)") != std::string::npos);
    triangles = box.triangles;
    triangles[4] = {1, 2, 1};
    CHECK(surface(triangles).find("ball: volume zone: triangle 4 has a vertex twice") == 0);
    triangles[4] = {1, 2, 8};
    CHECK(surface(triangles).find("ball: volume zone: triangle 4 has vertex 8: expected vertex indices in [0, 8)") ==
          0);

    const std::vector<Vec3> points = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    const std::vector<Tet> touching = {{0, 2, 3, 1}, {0, 4, 5, 1}};
    CHECK(VolumeZone::from_tets(points, touching).rest_volume() == relative(1.0 / 3.0, 1e-15));
    CHECK(error_of([&] {
              VolumeZone::from_surface(points, boundary_triangles(touching), 0, "two tets");
          }).find("two tets: volume zone: edge between vertices 0 and 1 is non-manifold (4 triangles)") == 0);

    // two triangles back to back are closed and hold nothing
    CHECK(surface({{0, 1, 2}, {0, 2, 1}}).find("ball: volume zone: volume 0 m^3: expected a surface that encloses") ==
          0);
    std::vector<Vec3> broken = box.vertices;
    broken[0].x() = std::numeric_limits<double>::quiet_NaN();
    CHECK(error_of([&] { VolumeZone::from_surface(broken, box.triangles); }).find("volume nan") != std::string::npos);
}

TEST_CASE("tets that bound nothing are refused") {
    const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {-1, -1, -1}};
    const auto tets = [&](const std::vector<Tet>& list) {
        return error_of([&] { VolumeZone::from_tets(points, list, 0, "gel"); });
    };
    CHECK(tets({{0, 1, 2, 3}}) == "");
    CHECK(tets({}) == "gel: volume zone: nothing: expected at least one tet");
    CHECK(tets({{0, 1, 2, 6}}).find("gel: volume zone: tet 0 has vertex 6") == 0);
    CHECK(tets({{0, 1, 2, 2}}).find("gel: volume zone: tet 0 has a vertex twice") == 0);
    CHECK(tets({{0, 1, 2, 3}, {0, 1, 2, 3}}).find("gel: volume zone: tets without outer faces") == 0);
    CHECK(tets({{0, 2, 1, 3}})
              .find("gel: volume zone: inside out, volume -0.166667 m^3: expected positively oriented tets") == 0);
    CHECK(tets({{0, 1, 2, 3}, {4, 1, 2, 3}, {1, 2, 3, 5}}).find("gel: volume zone: edge between vertices ") ==
          0);  // three at a face
    // one of two neighbours inverted
    CHECK(tets({{0, 1, 2, 3}, {1, 2, 3, 4}}) == "");
    CHECK(tets({{0, 1, 2, 3}, {2, 1, 3, 4}}).find("gel: volume zone: edge between vertices ") == 0);
}
