// Sessions: a run with files from a program, without the command: start, refusals, end as data, resume.
#include "stiction/base/error.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/step_table.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/session/session.hpp"

#include "output/scratch_folder.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <fstream>

using namespace stiction;
using namespace stiction::test;

namespace {

namespace fs = std::filesystem;

/// A cube that falls on the ground from this height (m).
SceneSpec falling_cube(double height = 0.01, int steps = 6) {
    return parse_scene_text(fmt::format(
        R"({{"bodies": [{{"name": "cube", "mesh": {{"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
                          "transform": {{"translation": [0, {}, 0]}}}}],
            "obstacles": [{{"half_space": {{}}}}], "time": {{"step": 0.01, "steps": {}}}, "output": {{"every": 2}}}})",
        0.05 + height, steps));
}

class CountedSteps final : public Observer {
public:
    int steps = 0;
    int ends_after = -1;  ///< throws then
    void step_done(const World&, const State&, const StepResult&) override {
        if (++steps == ends_after) throw std::runtime_error("enough");
    }
};

}  // namespace

TEST_CASE("session: a run leaves its files, and tells its end as data") {
    const ScratchFolder scratch;
    Session session = Session::create(falling_cube(), "cube", scratch.path() / "run");
    CHECK(session.problems().empty());
    CHECK_FALSE(fs::exists(scratch.path() / "run"));  // nothing is written before begin()
    CountedSteps counted;
    session.begin().add_observer(counted);
    const SessionEnd end = session.run();
    CHECK(counted.steps == 6);
    CHECK(end.end == RunEnd::done);
    CHECK(end.step == 6);
    CHECK(end.last_step == 6);
    CHECK(end.is_clean());
    CHECK(end.doubts.empty());
    CHECK(end.report.status == "done");
    CHECK(end.report.scene == "cube");
    CHECK(read_step_table(session.directory().steps()).size() == 6);
    CHECK(frame_numbers(session.directory().frames(), ".vtu") == std::vector<int>{0, 2, 4, 6});
    for (const fs::path& file : {session.directory().report(), session.directory().log(), session.directory().scene()})
        CHECK(fs::exists(file));
}

TEST_CASE("session: one that was resumed ends at the bits of one in one go, and may change its scene") {
    const ScratchFolder scratch;
    const auto bits = [](const Session& session) {
        std::ifstream file(session.directory().checkpoint(), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    Session whole = Session::create(falling_cube(0.01, 10), "cube", scratch.path() / "whole");
    whole.begin();
    whole.run();
    {
        Session first = Session::create(falling_cube(0.01, 4), "cube", scratch.path() / "parts");
        first.begin();
        first.run();
    }
    Session second = Session::resume(scratch.path() / "parts", {}, 10);
    CHECK(second.scene().state.step == 4);
    CHECK_FALSE(second.is_finished());
    second.begin();
    CHECK(second.run().step == 10);
    CHECK(bits(second) == bits(whole));

    const Session third = Session::resume(scratch.path() / "parts");
    CHECK(third.is_finished());
    CHECK(third.finished_end().step == 10);
    const Session changed = Session::resume(scratch.path() / "parts", {}, {}, {"contact.friction=0.7"});
    CHECK(parse_scene(changed.directory().scene()).contact.friction == 0.7);
    CHECK_THROWS_AS(Session::resume(scratch.path() / "parts", {}, {}, {"bodies.0.transform.translation=[0,1,0]"}),
                    InputError);
}

TEST_CASE("session: what cannot start is told, drawn where no run is lost, and leaves nothing else") {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "run";
    const Session session = Session::create(falling_cube(-0.02), "cube", folder);
    const auto problems = session.problems();
    REQUIRE_FALSE(problems.empty());
    const auto picture = session.draw(problems);
    REQUIRE(picture);
    CHECK(fs::exists(*picture));
    CHECK_FALSE(fs::exists(folder / "scene.json"));
    {
        Session good = Session::create(falling_cube(), "cube", folder);
        good.begin();
        good.run();
    }
    CHECK_THROWS_AS(Session::create(falling_cube(), "cube", folder), InputError);  // a run is there
    CHECK_FALSE(Session::create(falling_cube(-0.02), "cube", folder, {.force = true}).draw(problems));
}

TEST_CASE("session: an exception of an observer leaves a run that can be resumed") {
    const ScratchFolder scratch;
    {
        Session session = Session::create(falling_cube(), "cube", scratch.path() / "run");
        CountedSteps counted;
        counted.ends_after = 3;
        session.begin().add_observer(counted);
        CHECK_THROWS_AS(session.run(), std::runtime_error);
    }
    Session rest = Session::resume(scratch.path() / "run");
    CHECK(rest.scene().state.step == 3);
    rest.begin();
    CHECK(rest.run().step == 6);
}

TEST_CASE("session: an interrupt ends the run where it is, and proofs are refused where there is nothing to prove") {
    const ScratchFolder scratch;
    Session session = Session::create(falling_cube(), "cube", scratch.path() / "run", {.certify = true});
    session.begin();
    const std::atomic<bool> now{true};
    const SessionEnd end = session.run(&now);
    CHECK(end.end == RunEnd::interrupted);
    CHECK(end.step == 0);
    CHECK_FALSE(end.exploded);
    REQUIRE(end.certificate);
    SceneSpec penalty = falling_cube();
    penalty.method = "local_global";
    CHECK_THROWS_AS(Session::create(penalty, "cube", scratch.path() / "other", {.certify = true}), InputError);
}
