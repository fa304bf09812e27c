// The option barrier_weights: where it is read, and where it is refused.
#include "scene/scene_testing.hpp"

using namespace stiction;
using namespace scene_testing;

namespace {

SceneSpec weighted_block(const std::string& keys) {
    return parse_scene_text(
        R"({"bodies": {"name": "block", "mesh": {"generate": "box", "cells": [1, 1, 1]}}, )" + keys + "}", "s.json",
        {});
}

/// The message that refuses the scene.
std::string refusal(const std::string& keys) {
    return input_error([&] { compile_scene(weighted_block(keys)); });
}

}  // namespace

TEST_CASE("barrier_weights is an option of ipc, which implicit takes over") {
    CHECK(weighted_block(R"("mass": "lumped")").ipc.barrier_weights == BarrierWeights::none);
    const SceneSpec given = weighted_block(R"("ipc": {"barrier_weights": "area"})");
    CHECK(given.ipc.barrier_weights == BarrierWeights::area);
    CHECK(given.implicit.barrier_weights == BarrierWeights::area);
    CHECK(weighted_block(R"("ipc": {"barrier_weights": "area"}, "implicit": {"barrier_weights": "none"})")
              .implicit.barrier_weights == BarrierWeights::none);
    CHECK(refusal(R"("method": "implicit", "implicit": {"barrier_weights": "area"})").empty());
}

TEST_CASE("barrier_weights is refused by name where there is no such choice") {
    const auto has = [](const std::string& message, const std::vector<const char*>& words) {
        CAPTURE(message);
        for (const char* word : words) CHECK(message.find(word) != std::string::npos);
    };
    has(refusal(R"("ipc": {"barrier_weights": "areas"})"), {"s.json: ipc.barrier_weights", "areas", "none", "area"});
    has(refusal(R"("method": "mlcp", "mlcp": {"barrier_weights": "area"})"),
        {"s.json: mlcp.barrier_weights", "unknown key"});
    has(refusal(R"("method": "local_global", "local_global": {"barrier_weights": "area"})"),
        {"s.json: local_global.barrier_weights", "unknown key"});
    has(refusal(R"("method": "implicit", "implicit": {"contact": "penalty", "barrier_weights": "area"})"),
        {"s.json: implicit.barrier_weights", "area", "\"none\" beside implicit.contact: \"penalty\""});
    // Options of a method that is not used stay without effect.
    CHECK(refusal(R"("method": "mlcp", "ipc": {"barrier_weights": "area"})").empty());
}
