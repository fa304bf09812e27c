#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/run_directory.hpp"

#include "output/scratch_folder.hpp"
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using stiction::test::ScratchFolder;
using stiction::test::write_text;
namespace fs = std::filesystem;

namespace {

/// What `stiction run` does with its folder.
void prepare_new(const RunDirectory& directory, bool force) {
    directory.check_new(force);
    directory.create();
    directory.remove_former_run();
}

std::vector<std::string> everything_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        names.push_back(fs::relative(entry.path(), folder).string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

TEST_CASE("a new or empty directory is taken, a non-empty one or a file is refused") {
    const ScratchFolder scratch;
    prepare_new(RunDirectory(scratch / "a" / "b"), false);
    CHECK(fs::is_directory(scratch / "a" / "b"));
    prepare_new(RunDirectory(scratch / "a" / "b"), false);
    CHECK_THROWS_AS(prepare_new(RunDirectory(scratch / "a"), false), InputError);
    write_text(scratch / "file", "x");
    CHECK_THROWS_AS(prepare_new(RunDirectory(scratch / "file"), true), InputError);
}

TEST_CASE("a directory that holds the picture of a refused start only is as good as new") {
    const ScratchFolder scratch;
    const RunDirectory directory(scratch / "run");
    CHECK(directory.is_unused());
    directory.create();
    write_text(directory.start_picture(), "picture");
    CHECK(directory.is_unused());
    directory.check_new(false);
    CHECK(everything_in(scratch / "run") == std::vector<std::string>{"start_intersections.vtu"});
    write_text(scratch / "run" / "other", "x");
    CHECK_FALSE(directory.is_unused());
    CHECK_THROWS_AS(directory.check_new(false), InputError);
    fs::remove(scratch / "run" / "other");
    prepare_new(directory, false);
    CHECK(everything_in(scratch / "run").empty());
}

TEST_CASE("a scene that was written aside survives the removal of the former run") {
    const ScratchFolder scratch;
    const RunDirectory directory(scratch / "run");
    directory.create();
    write_text(directory.scene(), "old");
    write_text(directory.checkpoint(), "old");
    write_text(directory.report().string() + ".partial", "left over");
    write_aside(directory.scene(), "new");
    CHECK(read_bytes(directory.scene()) == "old");
    directory.remove_former_run();
    CHECK(everything_in(scratch / "run") == std::vector<std::string>{"scene.json.partial"});
    put_in_place(directory.scene());
    CHECK(read_bytes(directory.scene()) == "new");
}

TEST_CASE("--force removes what a run wrote and nothing else") {
    const ScratchFolder scratch;
    const fs::path dir = scratch / "run";
    for (const char* own :
         {"frames/000000.vtu", "frames/000012.vtu", "frames/1234567.vtu", "frames/000013.vtu.partial-42", "frames.pvd",
          "steps.csv", "report.json", "report.json.partial", "checkpoint", "log.txt", "scene.json",
          "frames_obj/000001.obj", "frames_ply/000001.ply"}) {
        write_text(dir / own, "old");
    }
    const std::vector<std::string> foreign{"frames",
                                           "frames/00012.vtu",
                                           "frames/movie.mp4",
                                           "frames/x000012.vtu",
                                           "frames/000012.vtu.bak",
                                           "frames/000002.obj",
                                           "notes.md",
                                           "picture.png",
                                           "report.json.bak",
                                           "sub",
                                           "sub/000001.vtu",
                                           "sub/steps.csv"};
    for (const std::string& name : foreign) {
        if (name != "frames" && name != "sub") write_text(dir / name, "mine");
    }
    CHECK_THROWS_AS(prepare_new(RunDirectory(dir), false), InputError);
    CHECK(everything_in(dir).size() == 13 + 2 + foreign.size());  // a refusal removes nothing
    prepare_new(RunDirectory(dir), true);
    std::vector<std::string> expected = foreign;
    std::sort(expected.begin(), expected.end());
    CHECK(everything_in(dir) == expected);
}

TEST_CASE("copies of meshes are told by the scene that names them, and removed when the next scene does not") {
    const ScratchFolder scratch;
    const RunDirectory dir(scratch.path());
    CHECK(dir.mesh_copies().empty());
    for (const char* name : {"a.msh", "b.msh", "mine.msh"}) write_text(dir.meshes() / name, "mesh");
    write_text(scratch / "other.txt", "mine");
    write_text(
        dir.scene(),
        R"({"bodies": [{"mesh": {"file": "meshes/a.msh"}}, {"mesh": {"file": "meshes/b.msh"}}, {"name": "meshes/../other.txt"}]})");
    const auto former = dir.mesh_copies();
    CHECK(former == std::set<fs::path>{dir.meshes() / "a.msh", dir.meshes() / "b.msh"});
    prepare_new(dir, true);
    CHECK(fs::exists(dir.meshes() / "a.msh"));  // the new scene may still need it
    write_text(dir.scene(), R"({"bodies": [{"mesh": {"file": "meshes/b.msh"}}]})");
    dir.remove_unused_meshes(former);
    CHECK(everything_in(scratch.path()) ==
          std::vector<std::string>{"meshes", "meshes/b.msh", "meshes/mine.msh", "other.txt", "scene.json"});
    write_text(dir.scene(), "not json");
    CHECK(dir.mesh_copies().empty());
}

TEST_CASE("--force does not reach through symbolic links") {
    const ScratchFolder scratch;
    write_text(scratch / "elsewhere" / "000001.vtu", "precious");
    fs::create_directories(scratch / "run");
    fs::create_directory_symlink(scratch / "elsewhere", scratch / "run" / "frames");
    CHECK_THROWS_AS(prepare_new(RunDirectory(scratch / "run"), true), InputError);
    CHECK(fs::exists(scratch / "elsewhere" / "000001.vtu"));
}

TEST_CASE("only a directory with scene and checkpoint can be resumed") {
    const ScratchFolder scratch;
    CHECK_THROWS_AS(RunDirectory(scratch / "none").check_resumable(), InputError);
    write_text(scratch / "scene.json", "{}");
    CHECK_THROWS_WITH_AS(RunDirectory(scratch.path()).check_resumable(), doctest::Contains("checkpoint"), InputError);
    write_text(scratch / "checkpoint", "x");
    CHECK_NOTHROW(RunDirectory(scratch.path()).check_resumable());
}

TEST_CASE("frames are found, named and removed by their step") {
    const ScratchFolder scratch;
    for (const int step : {0, 5, 12, 1000000}) write_text(scratch / frame_name(step, ".vtu"), "x");
    write_text(scratch / "123.vtu", "too few digits");
    write_text(scratch / "99999999999999.vtu", "no int");
    CHECK(frame_name(7, ".vtu") == "000007.vtu");
    CHECK(frame_name(1000000, ".vtu") == "1000000.vtu");
    CHECK(frame_numbers(scratch.path(), ".vtu") == std::vector<int>{0, 5, 12, 1000000});
    remove_frames_after(scratch.path(), ".vtu", 5);
    CHECK(frame_numbers(scratch.path(), ".vtu") == std::vector<int>{0, 5});
    CHECK(fs::exists(scratch / "123.vtu"));
    CHECK(frame_numbers(scratch / "none", ".vtu").empty());
}

TEST_CASE("a durable write replaces the whole file or nothing") {
    const ScratchFolder scratch;
    const fs::path file = scratch / "file";
    write_durably(file, std::string(100000, 'a'));
    CHECK(read_bytes(file) == std::string(100000, 'a'));
    const std::string other("b\0c", 3);
    write_durably(file, other);
    CHECK(read_bytes(file) == other);
    CHECK(everything_in(scratch.path()) == std::vector<std::string>{"file"});
    CHECK_THROWS_WITH_AS(write_durably(scratch / "no" / "file", "x"), doctest::Contains("no/file"), InputError);
    CHECK_THROWS_AS(read_bytes(scratch / "none"), InputError);
}
