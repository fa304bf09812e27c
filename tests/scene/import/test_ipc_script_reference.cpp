// docs/import_ipc_script.md lists what the code knows, and the code knows every name of the format. After a change of
// the lists, STICTION_UPDATE_DOCS=1 test_scene -tc="published*" writes the tables anew.
#include "stiction/scene/import/ipc_script.hpp"
#include "stiction/scene/import/ipc_script_keywords.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"

#include "scene/import/ipc_fixtures.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace stiction;
using namespace stiction::scene;
using namespace scene_testing;

namespace {

const std::filesystem::path ipc_page = std::filesystem::path(STICTION_SOURCE_DIR) / "docs" / "import_ipc_script.md";

std::string with_current_ipc_tables(std::string page) {
    for (const auto& table : ipc_script_reference()) {
        const std::string mark = "<!-- " + table.name + " of IPC scripts -->\n";
        const std::size_t begin = page.find(mark);
        CHECK_MESSAGE(begin != std::string::npos, mark);
        if (begin == std::string::npos) continue;
        const std::size_t end = page.find("\n\n", begin);
        REQUIRE(end != std::string::npos);
        page.replace(begin, end + 1 - begin, mark + table.markdown);
    }
    return page;
}

std::set<std::string> names_of(const std::vector<IpcKeyword>& list) {
    std::set<std::string> names;
    for (const IpcKeyword& keyword : list) CHECK_MESSAGE(names.insert(keyword.name).second, keyword.name);
    return names;
}

template <class Entry>
std::set<std::string> names_of_fixtures(const std::vector<Entry>& list) {
    std::set<std::string> names;
    for (const Entry& entry : list) names.insert(entry.name);
    return names;
}

/// Every keyword that begins a line, read from the sources of the reference code (573d2c7) and its scripts.
const std::set<std::string> format_keywords{"energy",
                                            "timeIntegration",
                                            "time",
                                            "density",
                                            "stiffness",
                                            "turnOffGravity",
                                            "dampingStiff",
                                            "dampingRatio",
                                            "size",
                                            "rotateModel",
                                            "selfCollisionOn",
                                            "selfCollisionOff",
                                            "selfFric",
                                            "ground",
                                            "halfSpace",
                                            "meshCO",
                                            "DBCTimeRange",
                                            "NBCTimeRange",
                                            "script",
                                            "handleRatio",
                                            "restart",
                                            "dHat",
                                            "epsv",
                                            "useAbsParameters",
                                            "fricIterAmt",
                                            "tuning",
                                            "tol",
                                            "kappaMinMultiplier",
                                            "minBarrierStiffnessScale",
                                            "warmStart",
                                            "linearSolver",
                                            "linSysSolver",
                                            "CCDMethod",
                                            "ccdMethod",
                                            "exactCCD",
                                            "CCDTolerance",
                                            "ccdTolerance",
                                            "constraintSolver",
                                            "constraintType",
                                            "constraintOffset",
                                            "QPSolver",
                                            "useActiveSetConvergence",
                                            "noActiveSetConvergence",
                                            "section",
                                            "view",
                                            "zoom",
                                            "cameraTracking",
                                            "playBackSpeed",
                                            "appendStr",
                                            "disableCout",
                                            "shapes",
                                            "shape",
                                            "shapeMatrix",
                                            "timeStepper",
                                            "resolution",
                                            "inexactSolve"};

const std::set<std::string> format_extras{"material", "initVel", "linearVelocity", "angularVelocity",
                                          "DBC",      "NBC",     "meshSeq"};

/// All 65 names of animations.
const std::set<std::string> format_animations{"null",
                                              "fall",
                                              "fallNoShift",
                                              "leftHitRight",
                                              "drop",
                                              "XYRotate",
                                              "scaleF",
                                              "onepoint",
                                              "random",
                                              "hang",
                                              "hang2",
                                              "hangTopLeft",
                                              "hangLeft",
                                              "stamp",
                                              "stampTopLeft",
                                              "stampBoth",
                                              "stand",
                                              "topbottomfix",
                                              "fixLowerHalf",
                                              "corner",
                                              "swing",
                                              "fixRightMost1",
                                              "stampInv",
                                              "standInv",
                                              "stretch",
                                              "squash",
                                              "stretchnsquash",
                                              "bend",
                                              "twist",
                                              "twistnstretch",
                                              "twistnsns",
                                              "twistnsns_old",
                                              "upndown",
                                              "undstamp",
                                              "stretchAndPause",
                                              "push",
                                              "tear",
                                              "rubberBandPull",
                                              "fourLegPull",
                                              "headTailPull",
                                              "dragdown",
                                              "dragright",
                                              "toggleTop",
                                              "curtain",
                                              "pushRightMost1",
                                              "NMFixBottomDragLeft",
                                              "NMFixBottomDragForward",
                                              "utopiaComparison",
                                              "ACOSquash",
                                              "ACOSquash6",
                                              "ACOSquashShear",
                                              "MCOSquash",
                                              "MCORotSquash",
                                              "MCORotCylinders",
                                              "DCORotCylinders",
                                              "DCOVerschoorRoller",
                                              "DCOSquash",
                                              "DCOSquash6",
                                              "DCOHammerWalnut",
                                              "DCOCut",
                                              "DCOFix",
                                              "DCOBallHitWall",
                                              "meshSeqFromFile",
                                              "DCOSegBedSquash",
                                              "DCOSqueezeOut"};

}  // namespace

TEST_CASE("published tables of IPC scripts are current") {
    const std::string page = read_text(ipc_page);
    const std::string current = with_current_ipc_tables(page);
    if (std::getenv("STICTION_UPDATE_DOCS") != nullptr) std::ofstream(ipc_page, std::ios::binary) << current;
    CHECK(read_text(ipc_page) == current);
}

TEST_CASE("ipc script: every name of the format is known, and has a fixture") {
    CHECK(format_animations.size() == 65);
    CHECK(names_of(ipc_keywords()) == format_keywords);
    CHECK(names_of(ipc_shape_extras()) == format_extras);
    CHECK(names_of(ipc_animation_list()) == format_animations);
    CHECK(names_of_fixtures(ipc_animation_fixtures()) == format_animations);
    std::set<std::string> line_names = format_keywords;
    line_names.insert(format_extras.begin(), format_extras.end());
    CHECK(names_of_fixtures(ipc_keyword_fixtures()) == line_names);
}

TEST_CASE("ipc script: fixtures of keywords are what their lists say of them") {
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    for (const IpcFixture& fixture : ipc_keyword_fixtures()) {
        INFO(fixture.name, "\n", fixture.text);
        SceneSpec spec;
        CHECK(input_error([&] {
                  spec = import_ipc_script(fixture.text, {(folder.path() / "s.txt").string(), folder.path()});
              }) == "");
        if (!spec.imported) continue;
        const IpcKeyword* keyword = find_ipc_keyword(ipc_keywords(), fixture.name);
        if (keyword == nullptr) keyword = find_ipc_keyword(ipc_shape_extras(), fixture.name);
        REQUIRE(keyword != nullptr);
        const auto tells = [&](const std::vector<std::string>& list) {
            return std::any_of(list.begin(), list.end(),
                               [&](const std::string& text) { return text.find(fixture.name) != std::string::npos; });
        };
        CHECK(tells(spec.imported->without_effect) ==
              (keyword->kind == IpcKind::without_effect || fixture.name == "section" || fixture.name == "meshCO" ||
               fixture.name == "halfSpace"));
        if (keyword->kind == IpcKind::noted) CHECK(tells(spec.imported->notes));
        if (keyword->kind == IpcKind::honoured) CHECK(spec.imported->notes.empty());
    }
}

TEST_CASE("ipc script: animations that are noted say what is done otherwise") {
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    const auto fixtures = ipc_animation_fixtures();
    for (const IpcKeyword& entry : ipc_animation_list()) {
        INFO(entry.name);
        const auto fixture =
            std::find_if(fixtures.begin(), fixtures.end(), [&](const auto& f) { return f.name == entry.name; });
        REQUIRE(fixture != fixtures.end());
        const SceneSpec spec = import_ipc_script(fixture->text, {(folder.path() / "s.txt").string(), folder.path()});
        const auto& notes = spec.imported->notes;
        const auto about = [&](const std::string& note) {
            return note.find("script " + std::string(entry.name) + ": ") == 0;
        };
        CHECK(std::any_of(notes.begin(), notes.end(), about) == (entry.kind == IpcKind::noted));
    }
}

TEST_CASE("ipc script: what a fixture becomes is the same scene when it was written and read again") {
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    for (const auto& list : {ipc_animation_fixtures(), ipc_keyword_fixtures()}) {
        for (const IpcFixture& fixture : list) {
            INFO(fixture.name);
            const SceneSpec spec = import_ipc_script(fixture.text, {(folder.path() / "s.txt").string(), folder.path()});
            CHECK(parse_scene_text(resolved_json(spec), spec.origin.file, spec.origin.directory) == spec);
        }
    }
}

TEST_CASE("ipc script fixtures are written where a run of the command wants them") {
    const char* target = std::getenv("STICTION_IPC_FIXTURES");
    if (target == nullptr) return;
    const TemporaryFolder folder;
    write_ipc_meshes(folder);
    std::filesystem::copy(folder.path(), target, std::filesystem::copy_options::recursive);
    for (const auto& list : {ipc_animation_fixtures(), ipc_keyword_fixtures()})
        for (const IpcFixture& fixture : list)
            std::ofstream(std::filesystem::path(target) / (fixture.name + ".txt"), std::ios::binary) << fixture.text;
}
