#include "stiction/output/run_directory.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// The step in "000123.vtu", or -1 for any other name.
int frame_step(const std::string& name, const std::string& extension) {
    if (!name.ends_with(extension)) return -1;
    const std::string digits = name.substr(0, name.size() - extension.size());
    if (digits.size() < 6 ||
        !std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
        return -1;
    int step = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    return error == std::errc() && end == digits.data() + digits.size() ? step : -1;
}

/// A folder this program may empty: not a link to somewhere else.
bool is_own_folder(const fs::path& folder) {
    const fs::file_status status = fs::symlink_status(folder);
    if (status.type() == fs::file_type::symlink) {
        throw InputError(folder.string() +
                         ": is a symbolic link: --force removes nothing behind links; remove it yourself");
    }
    return fs::is_directory(status);
}

void remove_if_empty(const fs::path& folder) {
    if (fs::is_directory(folder) && fs::is_empty(folder)) fs::remove(folder);
}

/// Removes "<name>.partial*" from a folder for every name that `is_own` accepts.
template <class Predicate>
void remove_partial(const fs::path& folder, const Predicate& is_own) {
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const std::size_t end = name.rfind(".partial");
        if (end != std::string::npos && is_own(name.substr(0, end))) leftovers.push_back(entry.path());
    }
    for (const fs::path& path : leftovers) fs::remove(path);
}

/// All texts of a document that look like the path of a copied mesh.
void collect_mesh_names(const nlohmann::json& json, std::vector<std::string>& names) {
    if (json.is_structured()) {
        for (const auto& item : json) collect_mesh_names(item, names);
    } else if (json.is_string() && json.get_ref<const std::string&>().starts_with("meshes/")) {
        names.push_back(json.get<std::string>());
    }
}

}  // namespace

std::string frame_name(int step, const std::string& extension) {
    return fmt::format("{:06d}{}", step, extension);
}

std::vector<int> frame_numbers(const fs::path& folder, const std::string& extension) {
    std::vector<int> numbers;
    if (!fs::is_directory(folder)) return numbers;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const int step = frame_step(entry.path().filename().string(), extension);
        if (step >= 0) numbers.push_back(step);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

void remove_frames_after(const fs::path& folder, const std::string& extension, int last_step) {
    if (!is_own_folder(folder)) return;
    for (const int step : frame_numbers(folder, extension)) {
        if (step > last_step) fs::remove(folder / frame_name(step, extension));
    }
}

bool RunDirectory::is_unused() const {
    std::error_code error;
    const fs::file_status status = fs::status(root_, error);
    if (!fs::exists(status)) return true;
    if (!fs::is_directory(status)) return false;
    for (const auto& entry : fs::directory_iterator(root_)) {
        if (entry.path().filename() != start_picture().filename()) return false;
    }
    return true;
}

void RunDirectory::create() const {
    std::error_code error;
    fs::create_directories(root_, error);
    if (error) throw InputError(root_.string() + ": cannot be created: " + error.message());
}

void RunDirectory::check_new(bool force) const {
    std::error_code error;
    const fs::file_status status = fs::status(root_, error);
    if (status.type() == fs::file_type::none)
        throw InputError("", "-o", root_.string(), "a path that can be looked at: " + error.message());
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) throw InputError("", "-o", root_.string(), "a directory (this is a file)");
    if (!force && !is_unused()) {
        throw InputError(
            "", "-o", root_.string(),
            "an empty or new directory (--force replaces a former run's files, `stiction resume` goes on with it)");
    }
    for (const fs::path& folder : {root_, frames(), frames_obj(), frames_ply(), meshes()}) {
        if (fs::is_directory(folder) && ::access(folder.c_str(), W_OK | X_OK) != 0)
            throw InputError("", "-o", folder.string(),
                             fmt::format("a directory that can be written: {}", std::strerror(errno)));
    }
    for (const fs::path& folder : {frames(), frames_obj(), frames_ply()}) is_own_folder(folder);
    for (const fs::path& file : own_files()) {
        if (fs::is_directory(fs::symlink_status(file)))
            throw InputError(file.string() + ": is a directory where the run writes a file");
    }
}

std::vector<fs::path> RunDirectory::own_files() const {
    return {frames_index(), steps(), zones(), complementarity(), report(),
            checkpoint(),   log(),   scene(), start_picture()};
}

void RunDirectory::remove_former_run() const {
    remove_partial_frames();
    remove_partial(root_, [&](const std::string& name) { return is_own_file(name) && name != scene().filename(); });
    const std::pair<fs::path, const char*> series[] = {
        {frames(), ".vtu"}, {frames_obj(), ".obj"}, {frames_ply(), ".ply"}};
    for (const auto& [folder, extension] : series) {
        remove_frames_after(folder, extension, -1);
        remove_if_empty(folder);
    }
    for (const fs::path& file : own_files()) fs::remove(file);
}

std::set<fs::path> RunDirectory::mesh_copies() const {
    std::set<fs::path> copies;
    if (!fs::is_regular_file(scene())) return copies;
    std::vector<std::string> names;
    collect_mesh_names(nlohmann::json::parse(read_bytes(scene()), nullptr, false), names);
    for (const std::string& name : names) {
        const fs::path path = root_ / fs::path(name);
        // Copies lie directly in the folder; anything else was put there by somebody else.
        if (path.parent_path() == meshes() && fs::is_regular_file(fs::symlink_status(path))) copies.insert(path);
    }
    return copies;
}

void RunDirectory::remove_unused_meshes(const std::set<fs::path>& former) const {
    const std::set<fs::path> used = mesh_copies();
    for (const fs::path& path : former) {
        if (!used.contains(path)) fs::remove(path);
    }
    remove_if_empty(meshes());
}

bool RunDirectory::is_own_file(const std::string& name) const {
    const auto files = own_files();
    return std::any_of(files.begin(), files.end(), [&](const fs::path& file) { return file.filename() == name; });
}

void RunDirectory::remove_partial_frames() const {
    const std::pair<fs::path, const char*> series[] = {
        {frames(), ".vtu"}, {frames_obj(), ".obj"}, {frames_ply(), ".ply"}};
    for (const auto& [folder, extension] : series) {
        if (!is_own_folder(folder)) continue;
        remove_partial(folder, [&](const std::string& name) { return frame_step(name, extension) >= 0; });
    }
}

void RunDirectory::remove_partial_files() const {
    remove_partial_frames();
    remove_partial(root_, [&](const std::string& name) { return is_own_file(name); });
}

void RunDirectory::check_resumable() const {
    if (!fs::is_directory(root_))
        throw InputError("", "DIR", root_.string(), "a folder that exists: the output directory of a run");
    for (const fs::path& file : own_files()) {
        if (fs::exists(file) && !fs::is_regular_file(file))
            throw InputError(file.string(), "", "not a regular file", "a file of a run");
    }
    for (const fs::path& file : {scene(), checkpoint()}) {
        if (!fs::is_regular_file(file)) {
            throw InputError(fmt::format("{}: no {} here: only a run that reached its first checkpoint can be resumed",
                                         root_.string(), file.filename().string()));
        }
    }
}

}  // namespace stiction
