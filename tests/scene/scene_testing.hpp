// What the tests of scenes share.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace scene_testing {

/// A folder that goes away with its owner.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "stiction_scene_XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    REQUIRE_MESSAGE(stream.good(), file.string());
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The message of the InputError that `run` throws, "" when it throws none.
template <class Run>
std::string input_error(const Run& run) {
    try {
        run();
    } catch (const stiction::InputError& error) {
        return error.what();
    }
    return "";
}

/// One tet with corners at the origin and 1 m along each axis, and a triangle with surface id 7 on its face z = 0.
inline const char* const one_tet_msh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
2
1 2 2 7 7 1 3 2
2 4 2 1 1 1 2 3 4
$EndElements
)";

}  // namespace scene_testing
