// What the registry of methods says agrees with the methods themselves.
#include "stiction/scene/compile.hpp"
#include "stiction/scene/method_factory.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace scene_testing;

namespace {

CompiledScene cube(const std::string& method, const std::string& keys) {
    return compile_scene(parse_scene_text(
        R"({"bodies": {"mesh": {"generate": "box", "edge_length": 0.5}}, "method": ")" + method + "\"" + keys + "}",
        "s.json", {}));
}

}  // namespace

TEST_CASE("each method of the registry is named as it is called, with its own keys") {
    for (const SceneMethod& entry : scene_methods()) {
        const CompiledScene scene = cube(entry.name, "");
        CHECK(scene.method->name() == entry.name);
        CHECK(&scene_method(scene.spec) == &entry);
        const ContactDistanceKey key = entry.contact_distance(scene.spec, scene.world);
        CHECK(key.key.find(std::string(entry.name) + ".") == 0);
        CHECK(key.key.ends_with("_relative"));
        // local_global looks for pairs up to twice the distance that they are kept at.
        const double reach = scene.method->name() == std::string("local_global") ? 2.0 : 1.0;
        CHECK(scene.method->contact_distance(scene.world) == test::relative(reach * key.distance, 1e-15));
    }
}

TEST_CASE("the setting that makes a method keep bodies apart does so") {
    CHECK_FALSE(cube("implicit", R"(, "implicit": {"contact": "penalty"})").method->promises_separation());
    CHECK(cube("implicit", R"(, "implicit": {"contact": "barrier"})").method->promises_separation());
    CHECK_FALSE(cube("local_global", "").method->promises_separation());
    CHECK(cube("local_global", R"(, "local_global": {"certify": true})").method->promises_separation());
    for (const SceneMethod& entry : scene_methods()) {
        if (entry.separating_setting == nullptr) CHECK(cube(entry.name, "").method->promises_separation());
    }
}
