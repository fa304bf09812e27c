#include "commands.hpp"
#include "prepare.hpp"

#include "stiction/audit/audit.hpp"
#include "stiction/audit/penetration.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/output/frame_data.hpp"
#include "stiction/output/frame_reader.hpp"
#include "stiction/output/run_directory.hpp"
#include "stiction/output/run_report.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::int64_t> connectivity(const Mesh& mesh) {
    std::vector<std::int64_t> list;
    const auto add = [&list](const auto& cells) {
        for (const auto& cell : cells) list.insert(list.end(), cell.begin(), cell.end());
    };
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        list.insert(list.end(), mesh.tets[t].begin(), mesh.tets[t].end());
        if (!mesh.mid_nodes.empty() && mesh.mid_nodes[t][0] >= 0)
            list.insert(list.end(), mesh.mid_nodes[t].begin(), mesh.mid_nodes[t].end());
    }
    add(mesh.triangles);
    add(mesh.edges);
    list.insert(list.end(), mesh.points.begin(), mesh.points.end());
    return list;
}

/// Positions of the world's vertices in a frame, which has to show the same points and cells as the scene's own first
/// frame.
VecX positions(const fs::path& file, const FrameData& reference, const World& world) {
    const FrameFile frame = read_frame(file);
    if (frame.positions.size() != 3 * reference.mesh.vertices.size() ||
        frame.connectivity != connectivity(reference.mesh)) {
        throw InputError(file.string(), "", "other points or cells", "a frame of the scene in the same folder");
    }
    return Eigen::Map<const VecX>(frame.positions.data(), 3 * static_cast<Eigen::Index>(world.vertex_count()));
}

/// Steps of frames that the run must have written to get as far as its report says, and that are not there.
std::vector<int> missing_frames(const std::vector<int>& frames, int every, const std::optional<RunOutline>& outline) {
    std::vector<int> missing;
    const auto expect = [&](int step) {
        if (!std::binary_search(frames.begin(), frames.end(), step)) missing.push_back(step);
    };
    const int last = std::max(frames.back(), outline ? outline->steps : 0);
    for (long step = 0; step <= last; step += every) expect(static_cast<int>(step));
    // A run that was killed has not written a last frame.
    if (outline && outline->status != "running" && outline->steps % every != 0) expect(outline->steps);
    return missing;
}

/// Says what the run's own certificate covers, if it has one; false when it says that something was not proved.
bool print_certificate(const RunDirectory& directory, int last_frame) {
    const auto certificate = read_certificate(directory.report(), 0);
    if (!certificate) {
        fmt::print("  between frames: nothing is certified (`stiction run --certify` does that)\n");
        return true;
    }
    fmt::print(
        "  between frames: the run certified {}{}\n", in_words(*certificate),
        certificate->last_step < last_frame ? fmt::format("; nothing after step {}", certificate->last_step) : "");
    return certificate->ok();
}

/// What frames of a method come to that does not promise to keep bodies apart.
struct Overlaps {
    std::size_t frames = 0, intersections = 0;
    double deepest = 0.0;  ///< m

    void add(const World& world, const audit::AuditReport& report, const VecX& x) {
        if (!report.overlaps()) return;
        ++frames;
        intersections += report.intersections.size() + report.half_spaces.size();
        deepest = std::max(deepest, audit::penetration_depth(world, report, x));
    }
    void print() const {
        fmt::print(
            "  a method that does not keep bodies apart: {} frames overlap, {} intersections, {:.3g} m deep at most\n",
            frames, intersections, deepest);
    }
};

}  // namespace

ExitCode verify(const VerifyArguments& arguments) {
    const RunDirectory directory{fs::path(arguments.directory)};
    if (!fs::is_regular_file(directory.scene()))
        throw InputError("", "DIR", arguments.directory, "the output directory of a run (it has a scene.json)");
    set_thread_count(arguments.threads);
    const CompiledScene scene = compile_scene(parse_scene(directory.scene()));
    const FrameData reference =
        frame_data(scene.world, scene.state, nullptr, FrameFields{false, false, false, false, false, false, false});
    const std::vector<int> frames = frame_numbers(directory.frames(), ".vtu");
    if (frames.empty()) throw InputError("", "DIR", arguments.directory, "a run with frames (frames/NNNNNN.vtu)");
    constexpr std::size_t shown = 10;
    const std::vector<int> missing = missing_frames(frames, scene.spec.output.every, read_outline(directory.report()));
    for (std::size_t i = 0; i < std::min(shown, missing.size()); ++i) fmt::print("frame {} is missing\n", missing[i]);
    std::size_t faulty = missing.size(), faults = missing.size();
    const bool promised = scene.method->promises_separation();
    Overlaps overlaps;
    for (const int step : frames) {
        const VecX x = positions(directory.frames() / frame_name(step, ".vtu"), reference, scene.world);
        audit::AuditReport report = audit::audit_state(scene.world, x);
        if (!promised) {
            overlaps.add(scene.world, report, x);
            report = audit::without_overlaps(std::move(report));
        }
        if (report.ok()) continue;
        ++faulty;
        faults += report.fault_count();
        fmt::print("frame {}: {} faults\n", step, report.fault_count());
        for (const std::string& line : messages(scene.world, report, x, shown)) fmt::print("  {}\n", line);
    }
    fmt::print("{}: {} frames, steps {} to {}: {}\n", arguments.directory, frames.size(), frames.front(), frames.back(),
               faults == 0 ? (promised ? "no intersection, no inverted element" : "no inverted element")
                           : fmt::format("{} frames with faults, {} faults", faulty, faults));
    if (!promised) {
        overlaps.print();
        return faults == 0 ? exit_done : exit_found;
    }
    const bool certified = print_certificate(directory, frames.back());
    return faults == 0 && certified ? exit_done : exit_found;
}

}  // namespace stiction::cli
