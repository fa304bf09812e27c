// docs/scene.schema.json and the tables of docs/scene.md are what the reader's list of keys says. After a change of
// that list, STICTION_UPDATE_DOCS=1 test_scene -tc="published*" writes them anew.
#include "stiction/scene/reference.hpp"

#include "scene/scene_testing.hpp"
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>
#include <set>

using namespace stiction;
using namespace scene_testing;

namespace {

const std::filesystem::path docs = std::filesystem::path(STICTION_SOURCE_DIR) / "docs";

bool updating() {
    return std::getenv("STICTION_UPDATE_DOCS") != nullptr;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// The page with every table between "<!-- keys of NAME -->" and the next empty line as it should be.
std::string with_current_tables(std::string page) {
    for (const auto& table : scene_reference()) {
        const std::string mark = "<!-- keys of " + table.name + " -->\n";
        const std::size_t begin = page.find(mark);
        CHECK_MESSAGE(begin != std::string::npos, mark);
        if (begin == std::string::npos) continue;
        const std::size_t end = page.find("\n\n", begin);
        REQUIRE(end != std::string::npos);
        page.replace(begin, end + 1 - begin, mark + table.markdown);
    }
    return page;
}

}  // namespace

TEST_CASE("published schema is current") {
    if (updating()) write_text(docs / "scene.schema.json", scene_schema());
    CHECK(read_text(docs / "scene.schema.json") == scene_schema());
}

TEST_CASE("published tables are current") {
    const std::string page = read_text(docs / "scene.md");
    const std::string current = with_current_tables(page);
    if (updating()) write_text(docs / "scene.md", current);
    CHECK(read_text(docs / "scene.md") == current);
}

TEST_CASE("every example in the documentation is a valid scene") {
    const std::string page = read_text(docs / "scene.md");
    int scenes = 0;
    for (std::size_t at = page.find("```json\n"); at != std::string::npos; at = page.find("```json\n", at)) {
        at += 8;
        const std::string text = page.substr(at, page.find("```", at) - at);
        CAPTURE(text);
        // fragments are quoted without braces
        const std::string scene = text.front() == '{' ? text : "{" + text + "}";
        const auto document = nlohmann::json::parse(scene);
        nlohmann::json whole = document;
        if (!whole.contains("bodies")) whole["bodies"] = {{{"name", "ball"}, {"mesh", {{"generate", "ball"}}}}};
        CHECK(input_error([&] { parse_scene_text(whole.dump(), "docs/scene.md", docs); }) == "");
        ++scenes;
    }
    CHECK(scenes >= 10);
}

TEST_CASE("the schema knows exactly the keys of a resolved scene and the aliases") {
    const auto schema = nlohmann::json::parse(scene_schema());
    for (const auto& [name, definition] : schema["$defs"].items()) {
        CAPTURE(name);
        CHECK(definition["additionalProperties"] == false);
        CHECK_FALSE(definition["properties"].empty());
    }
    std::set<std::string> top;
    for (const auto& [key, unused] : schema["properties"].items()) top.insert(key);
    std::set<std::string> resolved;
    const auto scene = nlohmann::json::parse(resolved_json(parse_scene_text(R"({"bodies": [{"mesh": "a.msh"}]})")));
    for (const auto& [key, unused] : scene.items()) resolved.insert(key);
    resolved.insert("$schema");
    resolved.insert("imported");  // only in scenes that another program's file was converted to
    CHECK(top == resolved);
    std::set<std::string> time;
    for (const auto& [key, unused] : schema["$defs"]["time"]["properties"].items()) time.insert(key);
    CHECK(time == std::set<std::string>{"step", "steps", "end", "integrator", "max_substeps"});
}
