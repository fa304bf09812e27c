// What a method leaves out of a scene, and choices that are there for comparison, are warned of.
#include "stiction/scene/scales.hpp"

#include "scene/scene_testing.hpp"

using namespace stiction;
using namespace scene_testing;

namespace {

std::vector<std::string> warnings(const std::string& method, const std::string& options) {
    return method_warnings(parse_scene_text(R"({"bodies": {"name": "cube", "mesh": {"generate": "box"}}, "method": ")" +
                                                method + R"(", "local_global": )" + options + "}",
                                            "s.json", {}));
}

}  // namespace

TEST_CASE("cables and attachments that another method leaves out are warned of") {
    const std::string cable = R"({"cables": [{"body": "cube", "points": [[0, 0, 0], [0, 0.2, 0]]}]})",
                      attachment = R"({"attachments": [{"body": "cube", "centre": [0, 0, 0], "radius": 1}]})";
    for (const std::string method : {"ipc", "implicit", "mlcp"}) {
        REQUIRE(warnings(method, cable).size() == 1);
        CHECK(warnings(method, cable)[0] ==
              "local_global.cables: 1 of them: of no effect with method '" + method + "'");
        REQUIRE(warnings(method, attachment).size() == 1);
        CHECK(warnings(method, attachment)[0].find("local_global.attachments: 1") == 0);
        CHECK(warnings(method, R"({"iterations": 7})").empty());
    }
    CHECK(warnings("local_global", cable).empty());
    CHECK(warnings("local_global", attachment).empty());
}

TEST_CASE("one Jacobi iteration in place of a global step is warned of") {
    for (const std::string kind : {"jacobi", "chebyshev"}) {
        REQUIRE(warnings("local_global", R"({"global_step": ")" + kind + "\"}").size() == 1);
        CHECK(warnings("local_global", R"({"global_step": ")" + kind + "\"}")[0].find("local_global.global_step: '" +
                                                                                      kind + "'") == 0);
        CHECK(warnings("ipc", R"({"global_step": ")" + kind + "\"}").empty());
    }
    CHECK(warnings("local_global", R"({"global_step": "lbfgs"})").empty());
}
