// The named animations of IPC scripts: who is driven, and where to. Expected vertices are found again from the
// positions.
#include "stiction/scene/import/ipc_script.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

const double pi = std::numbers::pi;

/// A bar of nx x ny x nz unit cubes, five tets each, from the origin.
std::string bar_msh(int nx, int ny, int nz) {
    const auto id = [&](int i, int j, int k) { return 1 + i + (nx + 1) * (j + (ny + 1) * k); };
    std::string nodes, elements;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                nodes += std::to_string(id(i, j, k)) + ' ' + std::to_string(i) + ' ' + std::to_string(j) + ' ' +
                         std::to_string(k) + '\n';
    int count = 0;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                // Cubes next to each other are mirrored, so that the diagonals of their faces agree.
                const int odd = (i + j + k) % 2;
                const auto c = [&](int a, int b, int d) { return id(i + (a ^ odd), j + b, k + d); };
                const int tets[5][4] = {{c(0, 0, 0), c(1, 0, 0), c(0, 1, 0), c(0, 0, 1)},
                                        {c(1, 1, 0), c(0, 1, 0), c(1, 0, 0), c(1, 1, 1)},
                                        {c(1, 0, 1), c(0, 0, 1), c(1, 1, 1), c(1, 0, 0)},
                                        {c(0, 1, 1), c(1, 1, 1), c(0, 0, 1), c(0, 1, 0)},
                                        {c(1, 0, 0), c(0, 1, 0), c(0, 0, 1), c(1, 1, 1)}};
                for (const auto& tet : tets) {
                    elements += std::to_string(++count) + " 4 2 1 1";
                    for (const int v : tet) elements += ' ' + std::to_string(v);
                    elements += '\n';
                }
            }
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string((nx + 1) * (ny + 1) * (nz + 1)) + '\n' +
           nodes + "$EndNodes\n$Elements\n" + std::to_string(count) + '\n' + elements + "$EndElements\n";
}

struct Place {
    Place() {
        folder.write("bar.msh", bar_msh(8, 3, 2));
        folder.write("wall.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n");
        folder.write("edge.seg", "v 0 0 0\nv 1 0 0\ns 1 2\n");
    }
    std::pair<World, State> compile(const std::string& text) const {
        return compile_world(scene::import_ipc_script(text, {(folder.path() / "s.txt").string(), folder.path()}));
    }
    TemporaryFolder folder;
};

const std::string bar = "time 1 0.1\nshapes input 1\nbar.msh 0 0 0  0 0 0  1 1 1\n";

Vec3 at(const World& world, Index vertex) {
    return world.initial_positions.segment<3>(3 * vertex);
}

Vec3 carried(const World& world, const Motion& motion, Index vertex, double t) {
    return motion.trajectory->position(t, {0, at(world, vertex), at(world, vertex), 0.0});
}

/// All vertices of deformable bodies that pass a test.
std::vector<Index> where(const World& world, const std::function<bool(const Vec3&)>& test) {
    std::vector<Index> result;
    for (Index v = 0; v < world.vertex_count(); ++v)
        if (!world.is_obstacle(v) && test(at(world, v))) result.push_back(v);
    return result;
}

}  // namespace

TEST_CASE("ipc animation twist: both ends turn about the x axis through the centre") {
    const Place place;
    const World world = place.compile(bar + "script twist\n").first;
    REQUIRE(world.motions.size() == 2);
    for (int side = 0; side < 2; ++side) {
        const Motion& motion = world.motions[static_cast<std::size_t>(side)];
        CHECK(motion.vertices == where(world, [&](const Vec3& x) { return side == 0 ? x.x() < 0.08 : x.x() > 7.92; }));
        CHECK(motion.vertices.size() == 12);
        const double angle = (side == 0 ? -1 : 1) * 0.4 * pi * 0.7, c = std::cos(angle), s = std::sin(angle);
        for (const Index v : motion.vertices) {
            const double y = at(world, v).y() - 1.5, z = at(world, v).z() - 1.0;
            const Vec3 expected(at(world, v).x(), 1.5 + c * y - s * z, 1.0 + s * y + c * z);
            CHECK((carried(world, motion, v, 0.7) - expected).norm() < 1e-14);
        }
    }
}

TEST_CASE("ipc animation twist: handleRatio is the fraction of the extent that counts as an end") {
    const Place place;
    const World world = place.compile(bar + "handleRatio 0.2\nscript twist\n").first;
    CHECK(world.motions[0].vertices == where(world, [](const Vec3& x) { return x.x() < 1.6; }));
    CHECK(world.motions[1].vertices.size() == 24);
}

TEST_CASE("ipc animation stretchAndPause: the ends part until x < -0.28 on the left") {
    const Place place;
    const World world =
        place.compile("time 1 0.05\nshapes input 1\nbar.msh 3 0 0  0 0 0  1 1 1\nsize 4\nscript stretchAndPause\n")
            .first;
    REQUIRE(world.motions.size() == 2);
    CHECK(world.motions[0].vertices == where(world, [](const Vec3& x) { return x.x() < 0.04; }));
    const Index v = world.motions[0].vertices[0], w = world.motions[1].vertices[0];
    double x = 0.0;
    for (int n = 0; n <= 20; ++n) {
        CHECK(carried(world, world.motions[0], v, n * 0.05).x() == within(x, 1e-15));
        CHECK(carried(world, world.motions[1], w, n * 0.05).x() == relative(4 - x, 1e-12));
        if (x >= -0.28) x -= 0.05;
    }
    CHECK(x == relative(-0.3, 1e-13));
}

TEST_CASE("ipc animation dragright: lifts, pulls the right 4%, lets go behind the mesh obstacles") {
    const Place place;
    const std::string text = "time 30 0.5\nshapes input 1\nbar.msh 0 0 0  0 0 0  1 1 1\nscript dragright\n";
    CHECK(place.compile(text).first.motions.empty());  // no obstacle to drag it past
    const auto [world, state] = place.compile(text + "meshCO wall.obj 1 -5 0  4  50 0\n");
    CHECK(at(world, 0).y() == relative(0.5 * std::sqrt(64.0 + 9 + 4), 1e-14));
    REQUIRE(world.motions.size() == 1);
    CHECK(world.motions[0].vertices == where(world, [](const Vec3& x) { return x.x() > 7.68; }));
    // The obstacle ends at x = 3; the left end starts at 0 and is at 3 after 12 steps of 0.25: it lets go after the
    // next.
    CHECK(world.motions[0].end == relative(13 * 0.5, 1e-14));
    const Index v = world.motions[0].vertices[0];
    CHECK((carried(world, world.motions[0], v, 2.0) - at(world, v) - Vec3(1, 0, 0)).norm() < 1e-14);
}

TEST_CASE("ipc animations that hold or push ends") {
    const Place place;
    struct Case {
        const char* name;
        std::function<bool(const Vec3&)> test;
        Vec3 velocity;  ///< over the first 0.4 s
    };
    const Case cases[] = {
        {"hang2", [](const Vec3& x) { return x.y() > 2.97; }, Vec3(0, 0, 0)},
        {"hangLeft", [](const Vec3& x) { return x.x() < 0.08; }, Vec3(0, 0, 0)},
        {"hangTopLeft", [](const Vec3& x) { return x.x() < 0.08 && x.y() > 2.97 && (x.z() < 0.02 || x.z() > 1.98); },
         Vec3(0, 0, 0)},
        {"stamp", [](const Vec3& x) { return x.x() < 0.08; }, Vec3(0, 0, 0)},
        {"stampTopLeft", [](const Vec3& x) { return x.x() < 0.08 && x.y() > 2.97; }, Vec3(0, 0, 0)},
        {"stand", [](const Vec3& x) { return x.y() < 0.03; }, Vec3(0, 0, 0)},
        {"fixLowerHalf", [](const Vec3& x) { return x.y() < 1.5; }, Vec3(0, 0, 0)},
        {"corner", [](const Vec3& x) { return x.minCoeff() < 0.02; }, Vec3(0, 0, 0)},
        {"dragdown", [](const Vec3& x) { return x.y() < 0.3 + 0.5 * std::sqrt(77.0) && x.x() > 3.36 && x.x() < 4.16; },
         Vec3(0, -1.5, 0)},
        {"fixRightMost1", [](const Vec3& x) { return x == Vec3(8, 0, 0); }, Vec3(0, 0, 0)},
        {"pushRightMost1", [](const Vec3& x) { return x == Vec3(8, 0, 0); }, Vec3(-0.15, 0, 0)}};
    for (const Case& c : cases) {
        INFO(c.name);
        const World world = place.compile(bar + "script " + c.name + '\n').first;
        REQUIRE(world.motions.size() == 1);
        CHECK(world.motions[0].vertices == where(world, c.test));
        for (const Index v : world.motions[0].vertices)
            CHECK((carried(world, world.motions[0], v, 0.4) - at(world, v) - 0.4 * c.velocity).norm() < 1e-14);
    }
    const auto ends = [&](const std::string& name, double speed) {
        const World world = place.compile(bar + "script " + name + '\n').first;
        REQUIRE(world.motions.size() == 2);
        for (int side = 0; side < 2; ++side) {
            const Motion& motion = world.motions[static_cast<std::size_t>(side)];
            const Index v = motion.vertices[0];
            CHECK(
                (carried(world, motion, v, 0.4) - at(world, v) - Vec3((side == 0 ? -0.4 : 0.4) * speed, 0, 0)).norm() <
                1e-14);
        }
    };
    ends("stretch", 0.1);
    ends("squash", -0.03);
    ends("stampBoth", 0.0);
    const World pushed = place.compile(bar + "script push\n").first;
    REQUIRE(pushed.motions.size() == 2);
    const Index v = pushed.motions[1].vertices[0];
    CHECK(carried(pushed, pushed.motions[1], v, 0.3).y() == relative(2.7, 1e-14));
    CHECK(carried(pushed, pushed.motions[1], v, 1.0).y() == relative(2.5, 1e-14));
    CHECK(place.compile(bar + "script topbottomfix\n").first.motions.size() == 2);
    CHECK(place.compile(bar + "script curtain\n").first.motions.size() ==
          2);  // pins at 8/7 k: only the first and the last hit vertices
    CHECK(place.compile(bar + "script drop\n").second.v.segment<3>(30) == Vec3(0, -1, 0));
    const World dragged = place.compile(bar + "script NMFixBottomDragLeft\n").first;
    REQUIRE(dragged.body_forces.size() == 1);
    CHECK(dragged.body_forces[0].acceleration == Vec3(-600, 0, 0));
    CHECK(dragged.body_forces[0].vertices == where(dragged, [](const Vec3& x) { return x.y() > 2.85; }));
}

TEST_CASE("ipc animation DCORotCylinders: the first four shapes turn about their centres") {
    const Place place;
    std::string text = "time 1 0.1\nshapes input 5\n";
    for (int i = 0; i < 4; ++i) text += "wall.obj " + std::to_string(10 * i) + " -5 0  0 0 0  1 1 2\n";
    const World world = place.compile(text + "bar.msh 0 0 0  0 0 0  1 1 1\nscript DCORotCylinders\n").first;
    REQUIRE(world.motions.size() == 4);
    const Vec3 axes[] = {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 0, -1), Vec3(0, 0, 1)};
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 center(10.0 * static_cast<double>(i) + 0.5, -5, 1);
        for (const Index v : world.motions[i].vertices) {
            const Vec3 arm = at(world, v) - center, n = axes[i];
            const double angle = 0.5 * pi * 0.3;
            const Vec3 expected = center + std::cos(angle) * arm + std::sin(angle) * n.cross(arm) +
                                  (1 - std::cos(angle)) * n.dot(arm) * n;
            CHECK((carried(world, world.motions[i], v, 0.3) - expected).norm() < 1e-13);
        }
    }
}

TEST_CASE("ipc animation DCOSegBedSquash: the upper bed comes down to 0.1 above the lower") {
    const Place place;
    const World world = place
                            .compile(R"(time 8 0.04
shapes input 1
bar.msh 0 1 0  0 0 0  1 1 1
shapeMatrix input 2 1 2
edge.seg 3 0 3  0 0 0  1 1 1
shapeMatrix input 2 1 2  0 5 0
edge.seg 3 0 3  0 0 0  1 1 1
script DCOSegBedSquash
)")
                            .first;
    REQUIRE(world.motions.size() == 4);
    double y = 5.0;
    for (int n = 0; n <= 200; ++n) {
        for (const Motion& motion : world.motions)
            CHECK(carried(world, motion, motion.vertices[0], n * 0.04).y() == relative(y, 1e-12));
        if (y - 0.0 > 0.1) y -= 0.04;
    }
    CHECK(y < 0.1);
    CHECK(y > 0.05);
}

TEST_CASE("ipc animations of single kinematic shapes") {
    const Place place;
    const std::string two = "time 5 0.1\nshapes input 2\nbar.msh 0 0 0  0 0 0  1 1 1\nwall.obj 0 4 0  0 0 0  1 1 1\n";
    const World world = place.compile(two + "script DCOCut\n").first;
    REQUIRE(world.motions.size() == 1);
    const Index v = world.motions[0].vertices[0];
    CHECK((carried(world, world.motions[0], v, 2.0) - at(world, v) - Vec3(0, -2, -2)).norm() < 1e-14);
    // Steps go on while the lowest point is above 0.001; rounding may add one at y = 0.
    CHECK((carried(world, world.motions[0], v, 5.0) - at(world, v)).y() == relative(-4.0, 1e-12));
    const auto [hit, start] = place.compile(two + "script DCOBallHitWall 1 12.5\n");
    CHECK(start.v.segment<3>(0) == Vec3(12.5, 0, 0));
    CHECK(hit.motions.empty());
    CHECK(place.compile(two + "script DCOBallHitWall\n").second.v[0] == 1000.0);
    CHECK(place.compile(two + "script DCOBallHitWall 50\n").second.v[0] == 50.0);
    CHECK(place.compile(two + "script DCOBallHitWall 1\n").second.v[0] == 1.0);
    CHECK(place.compile(two + "script DCOBallHitWall 0\n").second.v[0] == 1000.0);  // the number of values
}
