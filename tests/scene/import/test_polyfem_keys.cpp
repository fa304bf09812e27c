// Every key of PolyFEM's scenes: the page lists what the code knows, the code knows every key, and each is treated as
// the page says. After a change of the list, STICTION_UPDATE_DOCS=1 test_scene -tc="published*" writes the tables anew.
#include "stiction/scene/import/polyfem_keys.hpp"
#include "stiction/scene/resolve.hpp"

#include "scene/import/polyfem_fixtures.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

using namespace polyfem_testing;
using namespace stiction::scene;

namespace {

namespace fs = std::filesystem;

const fs::path polyfem_page = fs::path(STICTION_SOURCE_DIR) / "docs" / "import_polyfem.md";

std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string with_current_polyfem_tables(std::string page) {
    for (const auto& table : polyfem_reference()) {
        const std::string mark = "<!-- " + table.name + " of PolyFEM scenes -->\n";
        const std::size_t begin = page.find(mark);
        CHECK_MESSAGE(begin != std::string::npos, mark);
        if (begin == std::string::npos) continue;
        const std::size_t end = page.find("\n\n", begin);
        REQUIRE(end != std::string::npos);
        page.replace(begin, end + 1 - begin, mark + table.markdown);
    }
    return page;
}

/// The value that a path of the table leads to, the first entry of lists; nullptr if there is none.
Json* value_at(Json& scene, const std::string& path, bool parent) {
    Json* at = &scene;
    std::string rest = path;
    while (!rest.empty()) {
        const std::size_t dot = rest.find('.');
        std::string name = rest.substr(0, dot);
        rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
        if (parent && rest.empty()) return at;
        const bool is_list = name.ends_with("[]");
        if (is_list) name.resize(name.size() - 2);
        if (at->is_array()) at = &at->at(0);  // a list where the table has none: an interpolation, say
        if (!at->is_object() || !at->contains(name)) return nullptr;
        at = &at->at(name);
        if (is_list && at->is_array()) at = &at->at(0);
    }
    return at;
}

std::string leaf_of(const std::string& path) {
    std::string leaf = path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
    if (leaf.ends_with("[]")) leaf.resize(leaf.size() - 2);
    return leaf;
}

/// "geometry[3].mesh" and "geometry.mesh" -> "geometry[].mesh" as far as the table writes it so.
std::string without_indices(const std::string& path) {
    return std::regex_replace(path, std::regex(R"(\[\d*\])"), "");
}

struct Outcome {
    std::string error;  ///< "" when the scene imports
    Json scene;         ///< resolved, without `imported`
    std::vector<std::string> without_effect, notes;
};

Outcome outcome_of(const PolyfemFolder& folder, const Json& scene) {
    Outcome outcome;
    outcome.error = scene_testing::input_error([&] {
        const SceneSpec spec = folder.import(scene.dump());
        outcome.scene = Json::parse(resolved_json(spec));
        outcome.without_effect = spec.imported->without_effect;
        outcome.notes = spec.imported->notes;
    });
    if (outcome.error.empty()) outcome.scene.erase("imported");
    return outcome;
}

}  // namespace

TEST_CASE("published tables of PolyFEM keys are those of the code") {
    const std::string page = text_of(polyfem_page);
    REQUIRE(!page.empty());
    const std::string current = with_current_polyfem_tables(page);
    if (std::getenv("STICTION_UPDATE_DOCS") != nullptr) std::ofstream(polyfem_page, std::ios::binary) << current;
    CHECK_MESSAGE((page == current || std::getenv("STICTION_UPDATE_DOCS") != nullptr),
                  "docs/import_polyfem.md is out of date: STICTION_UPDATE_DOCS=1 test_scene -tc=\"published*\"");
}

TEST_CASE("every PolyFEM key has one row and one fixture") {
    std::set<std::string> keys, fixtures;
    for (const PolyfemKey& key : polyfem_keys()) CHECK_MESSAGE(keys.insert(key.path).second, key.path);
    for (const PolyfemFixture& fixture : polyfem_fixtures)
        CHECK_MESSAGE(fixtures.insert(fixture.path).second, fixture.path);
    for (const std::string& key : keys) CHECK_MESSAGE(fixtures.count(key) == 1, key, " has no fixture");
    for (const std::string& fixture : fixtures) CHECK_MESSAGE(keys.count(fixture) == 1, fixture, " has no row");
}

TEST_CASE("every PolyFEM key is honoured, noted, without effect or refused as the page says") {
    const PolyfemFolder folder;
    write_files_of_fixtures(folder);
    for (const PolyfemFixture& fixture : polyfem_fixtures) {
        const std::string path = fixture.path;
        CAPTURE(path);
        const auto key = std::find_if(polyfem_keys().begin(), polyfem_keys().end(),
                                      [&](const PolyfemKey& k) { return path == k.path; });
        if (key == polyfem_keys().end()) continue;
        Json scene = Json::parse(scene_of(body_of("cube.msh")));
        scene.merge_patch(Json::parse(fixture.patch));
        REQUIRE(value_at(scene, path, false) != nullptr);
        Json without = scene;
        Json* parent = value_at(without, path, true);
        REQUIRE(parent != nullptr);
        if (parent->is_array()) parent = &parent->at(0);
        parent->erase(leaf_of(path));
        const Outcome with = outcome_of(folder, scene), absent = outcome_of(folder, without);
        if (key->kind == PolyfemKind::refused) {
            CHECK_MESSAGE(with.error.find(leaf_of(path)) != std::string::npos, with.error);
            CHECK_MESSAGE(with.error.find("scene.json") != std::string::npos, with.error);
            CHECK_MESSAGE(with.error.find("unknown key") == std::string::npos, with.error);
            continue;
        }
        CHECK_MESSAGE(with.error.empty(), with.error);
        const bool has_effect = !absent.error.empty() || with.scene != absent.scene;
        const auto names_path = [&](const std::string& noted) {
            return without_indices(noted).starts_with(without_indices(path));
        };
        const bool is_listed = std::any_of(with.without_effect.begin(), with.without_effect.end(), names_path);
        CHECK(is_listed == (key->kind == PolyfemKind::without_effect));
        if (key->kind == PolyfemKind::noted)
            CHECK(!with.notes.empty());
        else
            CHECK(has_effect == (key->kind == PolyfemKind::honoured));
    }
}

TEST_CASE("every key of the sheet of PolyFEM's keys is in the table") {
    const fs::path sheet = fs::path(STICTION_SHARED_DATA) / "polyfem-keys.md";
    if (!fs::exists(sheet)) {
        MESSAGE("skipped: no data at ", sheet.string());
        return;
    }
    std::set<std::string> known{"key", "space", "time", "contact", "solver", "output", "input", "tests"};
    for (const PolyfemKey& key : polyfem_keys()) {
        std::string word;
        for (const char c : std::string(key.path) + "." + key.meaning + ".") {
            if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
                word += c;
            } else {
                known.insert(word);
                word.clear();
            }
        }
    }
    const std::string text = text_of(sheet);
    const std::regex quoted("`([A-Za-z_0-9 ]+)`");
    for (std::sregex_iterator i(text.begin(), text.end(), quoted), end; i != end; ++i) {
        std::istringstream words((*i)[1].str());
        for (std::string word; words >> word;) CHECK_MESSAGE(known.count(word) == 1, word, " is in no row");
    }
}
