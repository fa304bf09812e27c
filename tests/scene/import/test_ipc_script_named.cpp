// Every animation of IPC scripts in time: where vertices are after three numbers of steps.
#include "stiction/scene/import/ipc_script.hpp"

#include "scene/import/ipc_fixtures.hpp"
#include "scene/import/ipc_named_cases.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;
using namespace ipc_named;

namespace {

struct Walk {
    World world;
    State state;
    StepInput input;

    /// One step in which everything driven reaches its target and nothing else moves.
    void step(double step_size) {
        input = schedule(world, state, step_size);
        for (Index v = 0; v < world.vertex_count(); ++v)
            if (input.is_driven(v)) state.x.segment<3>(3 * v) = input.target.segment<3>(3 * v);
        state.anchor = input.anchor, state.anchor_time = input.anchor_time, state.active_motion = input.active_motion;
        ++state.step;
        state.t = static_cast<double>(state.step) * step_size;
    }
};

SceneSpec import_fixture(const TemporaryFolder& folder, const std::string& text) {
    const auto file = folder.write("s.txt", text);
    return scene::import_ipc_script(text, {file.string(), folder.path()});
}

/// Where vertex i of the bar is in its file.
Vec3 bar_vertex(Index i) {
    return Vec3(i % 8, i / 8 % 5, i / 40);
}

void check_places(const Walk& walk, const NamedCase& expected, int n) {
    double worst = 0.0;
    int wrongly_free = 0, wrongly_driven = 0;
    for (Index v = 0; v < walk.world.vertex_count(); ++v) {
        const Body& body = walk.world.body_at(v);
        const Vec3 start = walk.world.initial_positions.segment<3>(3 * v);
        const auto place = expected.place(body.name, start, n);
        const bool driven = walk.world.is_obstacle(v) || walk.input.is_driven(v);
        if (place && !driven) ++wrongly_free;
        if (!place && driven) ++wrongly_driven;
        if (place) worst = std::max(worst, (walk.state.x.segment<3>(3 * v) - *place).norm());
    }
    INFO("after ", n, " steps");
    CHECK(wrongly_free == 0);
    CHECK(wrongly_driven == 0);
    CHECK(worst < 1e-10);
}

}  // namespace

TEST_CASE("ipc animations: where driven vertices are after three numbers of steps") {
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    const Cases cases = all_cases();
    std::vector<IpcFixture> fixtures = ipc_animation_fixtures();
    CHECK(fixtures.size() == 65);
    for (const IpcFixture& fixture : fixtures) {
        INFO(fixture.name);
        REQUIRE(cases.count(fixture.name) == 1);
        const NamedCase& expected = cases.at(fixture.name);
        const SceneSpec spec = import_fixture(folder, fixture.text);
        auto [world, state] = compile_world(spec);
        for (const Body& body : world.bodies) {
            if (body.name != "bar") continue;
            double worst = 0.0;
            for (Index i = 0; i < body.vertex_count(); ++i)
                worst = std::max(worst, (world.initial_positions.segment<3>(3 * (body.first_vertex + i)) -
                                         expected.start(bar_vertex(i)))
                                            .norm());
            CHECK(worst < 1e-12);
        }
        Walk walk{std::move(world), std::move(state), {}};
        for (const int n : expected.steps) {
            while (walk.state.step < n) walk.step(spec.time.step);
            check_places(walk, expected, n);
        }
    }
}

TEST_CASE("ipc animations: start velocities and accelerations") {
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    const auto fixtures = ipc_animation_fixtures();
    const auto compiled = [&](const std::string& name) {
        const auto fixture =
            std::find_if(fixtures.begin(), fixtures.end(), [&](const auto& f) { return f.name == name; });
        REQUIRE(fixture != fixtures.end());
        return compile_world(import_fixture(folder, fixture->text));
    };
    const auto check = [&](const std::string& name, const std::function<Vec3(const Vec3& x)>& velocity) {
        INFO(name);
        const auto [world, state] = compiled(name);
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 x = world.initial_positions.segment<3>(3 * v);
            const Vec3 expected = world.body_at(v).name == "bar" ? velocity(x) : Vec3(0, 0, 0);
            CHECK(state.v.segment<3>(3 * v) == expected);
            CHECK(state.previous_v.segment<3>(3 * v) == expected);
        }
    };
    check("drop", [](const Vec3&) { return Vec3(0, -1, 0); });
    check("DCOBallHitWall", [](const Vec3&) { return Vec3(2.5, 0, 0); });
    check("leftHitRight", [](const Vec3& x) { return Vec3(x.x() < 3.5 ? 1 : 0, 0, 0); });
    check("XYRotate", [](const Vec3& x) { return Vec3(x.y() < 0.04 ? 1 : x.y() > 3.96 ? -1 : 0, 0, 0); });
    for (const char* name : {"fall", "scaleF", "onepoint", "random", "twist"})
        check(name, [](const Vec3&) { return Vec3(0, 0, 0); });
    const std::pair<const char*, Vec3> loads[] = {{"NMFixBottomDragLeft", Vec3(-600, 0, 0)},
                                                  {"NMFixBottomDragForward", Vec3(0, 0, 600)},
                                                  {"utopiaComparison", Vec3(0, -1.5, 0)}};
    for (const auto& [name, acceleration] : loads) {
        INFO(name);
        const World world = compiled(name).first;
        REQUIRE(world.body_forces.size() == 1);
        CHECK(world.body_forces[0].acceleration == acceleration);
        CHECK(world.body_forces[0].vertices.size() == 8 * 3);
        for (const Index v : world.body_forces[0].vertices) CHECK(world.initial_positions[3 * v + 1] == 4.0);
    }
}

TEST_CASE("ipc animation dragright: lets go for good when every vertex has passed the mesh obstacles") {
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    const auto fixtures = ipc_animation_fixtures();
    const auto fixture =
        std::find_if(fixtures.begin(), fixtures.end(), [](const auto& f) { return f.name == "dragright"; });
    auto [world, state] = compile_world(import_fixture(folder, fixture->text));
    Walk walk{std::move(world), std::move(state), {}};
    // Everything follows as a rigid body would: the low end is at 0.035 n, and the obstacle ends at 3.
    for (int n = 0; n < 100; ++n) {
        walk.step(h);
        walk.state.previous_h = h;
        CHECK(walk.input.is_driven(7) == (n <= 85));
        for (Index v = 0; v < walk.world.vertex_count(); ++v)
            if (!walk.input.is_driven(v)) walk.state.x[3 * v] += 0.5 * h;
        // What comes back is not caught again.
        if (n == 95) walk.state.x[0] -= 10.0;
    }
    // Without a mesh obstacle nothing is driven at all.
    const std::string alone = "time 1 0.1\n" + fixture_bar + "script dragright\n";
    CHECK(compile_world(import_fixture(folder, alone)).first.motions.empty());
}

TEST_CASE("ipc animations: what is let go or drops follows the equations of motion") {
    // The middle of a body that nothing touches moves as backward Euler says, whatever its shape does.
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    const double lift = 0.5 * std::sqrt(69.0), g = 9.80665;
    struct Case {
        const char* name;
        std::function<Vec3(const Vec3&)> start, velocity;  ///< of a vertex, from its place in the file
        double gravity;
    };
    const auto same = [](const Vec3& x) { return x; };
    const auto rest = [](const Vec3&) { return Vec3(0, 0, 0); };
    const Case cases[] = {
        {"fall", [=](const Vec3& x) { return Vec3(x + Vec3(0, lift, 0)); }, rest, g},
        {"fallNoShift", same, rest, g},
        {"drop", same, [](const Vec3&) { return Vec3(0, -1, 0); }, 0.0},
        {"leftHitRight", same, [](const Vec3& x) { return Vec3(x.x() < 3.5 ? 1 : 0, 0, 0); }, 0.0},
        {"XYRotate", same, [](const Vec3& x) { return Vec3(x.y() == 0   ? 1
                                                           : x.y() == 4 ? -1
                                                                        : 0,
                                                           0, 0); }, 0.0},
        {"DCOBallHitWall 2.5", same, [](const Vec3&) { return Vec3(2.5, 0, 0); }, g},
        {"scaleF", [](const Vec3& x) { return Vec3(1.5 * x); }, rest, 0.0},
        {"onepoint", [](const Vec3&) { return Vec3(3.5, 4, 1); }, rest, 0.0}};
    for (const Case& c : cases) {
        INFO(c.name);
        std::string text = "time 1 0.02\nenergy FCR\ntol 1\n1e-7\n" + fixture_bar + "script " + c.name + '\n';
        if (c.gravity == 0.0) text += "turnOffGravity\nselfCollisionOff\n";
        CompiledScene scene = compile_scene(import_fixture(folder, text));
        State state = scene.state;
        Vec3 middle = Vec3::Zero(), velocity = Vec3::Zero();
        for (Index v = 0; v < scene.world.vertex_count(); ++v) {
            const double share = scene.world.mass[v] / scene.world.mass.sum();
            middle += share * c.start(bar_vertex(v)), velocity += share * c.velocity(bar_vertex(v));
        }
        for (int n = 1; n <= 9; ++n) {
            StepInput input = schedule(scene.world, state, 0.02);
            StepResult result;
            scene.method->step(scene.world, state, input, result);
            REQUIRE(is_accepted(result.report.status));
            state = result.state;
            state.step = n;
            if (n % 3 != 0) continue;
            Vec3 now = Vec3::Zero();
            for (Index v = 0; v < scene.world.vertex_count(); ++v)
                now += scene.world.mass[v] * state.x.segment<3>(3 * v) / scene.world.mass.sum();
            const double t = 0.02 * n, fallen = 0.5 * c.gravity * 0.02 * 0.02 * n * (n + 1);
            CHECK((now - middle - t * velocity + Vec3(0, fallen, 0)).norm() < 1e-7);
        }
    }
}
