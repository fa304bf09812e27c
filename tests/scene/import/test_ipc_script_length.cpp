// IPC scripts: motions that were worked out for the length of the script, and runs that are longer.
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"

#include "scene/import/ipc_script_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <numbers>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

/// Both ends go to and fro.
const std::string to_and_fro = one_cube + "script stretchnsquash\n";

SceneSpec parsed(const IpcPlace& place, const std::string& text, const std::vector<std::string>& overrides) {
    return parse_scene(place.folder.write("input/scripts/s.txt", text), overrides);
}

}  // namespace

TEST_CASE("ipc script: a run may not go beyond the steps for which a motion to and fro is known") {
    const IpcPlace place;
    const std::string text = "time 3 0.1\n" + to_and_fro;
    const SceneSpec spec = parsed(place, text, {});
    REQUIRE(spec.imported.has_value());
    CHECK(spec.imported->known_until == relative(3.0, 1e-14));
    // It turns round after 9, 14, 28 steps: keys there, at 0 and at the end.
    CHECK(spec.bodies[0].boundary[0].motion.move->keyframes->size() == 4);
    CHECK(parsed(place, text, {"time.steps=30"}).time.steps == 30);
    CHECK(parsed(place, text, {"time.steps=60", "time.step=0.05"}).time.steps == 60);
    const auto message = [&](const std::vector<std::string>& overrides) {
        return input_error([&] { parsed(place, text, overrides); });
    };
    CHECK(message({"time.steps=31"}).find("time.steps: 31: expected at most 30 steps of 0.1 s") != std::string::npos);
    CHECK(message({"time.step=0.2"}).find("time.steps: 30: expected at most 15 steps of 0.2 s") != std::string::npos);
    // A run folder holds the resolved scene, from which `resume` goes on.
    const std::string again = input_error(
        [&] { parse_scene_text(resolved_json(spec), "scene.json", spec.origin.directory, {"time.steps=31"}); });
    CHECK(again.find("scene.json with time.steps=31: time.steps: 31: expected at most 30 steps") == 0);
}

TEST_CASE("ipc script: a motion stops where it should even when the script ends before") {
    const IpcPlace place;
    // The top goes down at 1 m/s until it has gone 0.5 m: 8 steps of 0.07 m.
    for (const char* duration : {"0.2", "5"}) {
        INFO(duration);
        const SceneSpec spec = parsed(place, std::string("time ") + duration + " 0.07\n" + one_cube + "script push\n",
                                      {"time.steps=1000"});
        CHECK(spec.imported->known_until == 0.0);
        const World world = compile_world(spec).first;
        REQUIRE(world.motions.size() == 2);
        const Vec3 top(0, 1, 0);
        for (const double t : {0.1, 0.2, 0.4, 0.5, 0.6, 50.0}) {
            const Vec3 x = world.motions[1].trajectory->position(t, {0, top, top, 0.0});
            CHECK((x - top - Vec3(0, -std::min(t, 0.56), 0)).norm() < 1e-14);
        }
    }
}

TEST_CASE("ipc script: very long scripts turn without a list of their steps") {
    const IpcPlace place;
    const SceneSpec spec =
        place.import("time 1000 1e-6\n" + one_cube +
                     "shapes input 1\ninput/triMeshes/line.obj 0 5 0  0 0 0  1 1 1  linearVelocity 1 "
                     "0 0 angularVelocity 0 90 0\n");
    CHECK(spec.time.steps == 1'000'000'000);
    CHECK(spec.imported->known_until == 0.0);
    const MotionSpec& motion = spec.obstacles[0].motion[0];
    REQUIRE(motion.twist.has_value());
    CHECK(motion.twist->velocity == Vec3(1, 0, 0));
    CHECK((motion.twist->angular_velocity - Vec3(0, std::numbers::pi / 2, 0)).norm() < 1e-15);
}

TEST_CASE("ipc script: known by .txt or .ipc in any case, with or without a byte-order mark") {
    const IpcPlace place;
    const std::string text = "density 500\n" + one_cube;
    for (const char* name :
         {"input/scripts/s.txt", "input/scripts/t.TXT", "input/scripts/u.Txt", "input/scripts/v.ipc"}) {
        INFO(name);
        CHECK(parse_scene(place.folder.write(name, text)).bodies[0].material.density == 500.0);
        CHECK(parse_scene(place.folder.write(name, "\xef\xbb\xbf" + text)).bodies[0].material.density == 500.0);
    }
}

TEST_CASE("imported scenes: their format is required") {
    const IpcPlace place;
    const SceneSpec spec = parsed(place, one_cube, {});
    const std::string message = input_error(
        [&] { parse_scene_text(resolved_json(spec), "scene.json", spec.origin.directory, {"imported={}"}); });
    CHECK(message.find("scene.json with imported={}: imported") == 0);
    CHECK(message.find("format") != std::string::npos);
}
