// The folder that holds everything a run writes.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace stiction {

/// Names inside the output directory DIR of a run (docs/output.md).
class RunDirectory {
public:
    /// Only remembers the path; nothing is touched.
    explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

    /// Throws InputError when DIR is not a directory or cannot be written, or holds more than a picture of a refused
    /// start; `force` allows that. Changes nothing.
    void check_new(bool force) const;
    /// Whether DIR does not exist or holds nothing but start_picture().
    bool is_unused() const;
    /// Creates DIR and the folders above it. Throws InputError when that fails.
    void create() const;
    /// Removes what a former run wrote there: the files below, and in the folders only
    /// frames, which are told by their names. Anything else in DIR stays. A symbolic link in place of one of the
    /// folders is refused (InputError). Copies of meshes stay for now, since the new scene may refer to them: see
    /// mesh_copies. A scene.json that was written aside (write_aside) stays, too.
    void remove_former_run() const;
    /// Files below DIR/meshes that DIR/scene.json refers to; empty without a readable scene.json.
    std::set<std::filesystem::path> mesh_copies() const;
    /// Removes those of `former` that DIR/scene.json does not refer to (any more), and DIR/meshes if that leaves it
    /// empty.
    void remove_unused_meshes(const std::set<std::filesystem::path>& former) const;
    /// Throws InputError unless DIR holds a scene.json and a checkpoint.
    void check_resumable() const;
    /// Removes "<file of a run>.partial*", which a kill in the middle of writing leaves behind.
    void remove_partial_files() const;

    const std::filesystem::path& root() const { return root_; }
    std::filesystem::path scene() const { return root_ / "scene.json"; }
    std::filesystem::path meshes() const { return root_ / "meshes"; }
    std::filesystem::path frames() const { return root_ / "frames"; }
    std::filesystem::path frames_index() const { return root_ / "frames.pvd"; }
    std::filesystem::path frames_obj() const { return root_ / "frames_obj"; }
    std::filesystem::path frames_ply() const { return root_ / "frames_ply"; }
    std::filesystem::path steps() const { return root_ / "steps.csv"; }
    std::filesystem::path zones() const { return root_ / "zones.csv"; }
    std::filesystem::path complementarity() const { return root_ / "complementarity.csv"; }
    std::filesystem::path report() const { return root_ / "report.json"; }
    std::filesystem::path checkpoint() const { return root_ / "checkpoint"; }
    std::filesystem::path log() const { return root_ / "log.txt"; }
    std::filesystem::path start_picture() const { return root_ / "start_intersections.vtu"; }

private:
    /// The files that a run writes directly into DIR.
    std::vector<std::filesystem::path> own_files() const;
    bool is_own_file(const std::string& name) const;
    void remove_partial_frames() const;

    std::filesystem::path root_;
};

/// Steps of the files "<number>.<extension>" in `folder`, ascending; other files are passed over. Empty if the folder
/// does not exist.
/// @param extension  with its dot
std::vector<int> frame_numbers(const std::filesystem::path& folder, const std::string& extension);

/// File name of a frame: the step with at least six digits.
std::string frame_name(int step, const std::string& extension);

/// Removes the frames in `folder` whose step is greater than `last_step`; -1 removes all.
void remove_frames_after(const std::filesystem::path& folder, const std::string& extension, int last_step);

}  // namespace stiction
