// One list says which files are meshes.
#include "stiction/base/error.hpp"
#include "stiction/mesh/read.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace stiction;

TEST_CASE("a file is a mesh by its extension, whatever the case") {
    CHECK(has_mesh_extension("a.pt"));
    CHECK(has_mesh_extension("folder.txt/A.PT"));
    CHECK(has_mesh_extension("a.obj"));
    CHECK_FALSE(has_mesh_extension("a.txt"));
    CHECK_FALSE(has_mesh_extension("obj"));
    CHECK(lower_extension("a.b.MSH") == ".msh");
}

TEST_CASE("every extension of the list has a reader, and the message of an unknown one lists them all") {
    const auto file = std::filesystem::temp_directory_path() / "stiction_extensions";
    for (const std::string_view extension : mesh_extensions) {
        const std::string name = file.string() + std::string(extension);
        std::ofstream(name) << "v 0 0 0\n";
        try {
            CHECK(read_mesh(name).points.size() == 1);  // of those that read OBJ
        } catch (const InputError& error) {
            CHECK(std::string(error.what()).find("one of .msh") == std::string::npos);
        }
        std::filesystem::remove(name);
    }
    CHECK_THROWS_WITH_AS(read_mesh("a.txt"), doctest::Contains(".seg, .pt, .ply"), InputError);
}
