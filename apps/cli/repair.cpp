#include "commands.hpp"
#include "output_file.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/repair/repair_scene.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/scene_text.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace stiction::cli {
namespace {

void print_report(const repair::RepairReport& report) {
    if (report.overlapping.empty()) {
        fmt::print("nothing overlaps: no body was moved\n");
        return;
    }
    fmt::print("{} pair{} of bodies overlapped:\n", report.overlapping.size(),
               report.overlapping.size() == 1 ? "" : "s");
    for (const repair::BodyOverlap& overlap : report.overlapping) fmt::print("  {}\n", overlap.text);
    fmt::print("moved, to a gap of {:.6g} m{}:\n", report.gap,
               report.any_smaller_gap ? ", less for smaller bodies" : "");
    fmt::print("  {:<24} {:>13} {:>13} {:>13} {:>13}\n", "body", "x (m)", "y (m)", "z (m)", "length (m)");
    for (const repair::BodyMove& move : report.moves)
        fmt::print("  {:<24} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}\n", move.body, move.shift[0], move.shift[1],
                   move.shift[2], move.shift.norm());
}

}  // namespace

ExitCode repair(const RepairArguments& arguments) {
    const std::filesystem::path output(arguments.output), scene(arguments.scene);
    check_output_file(output, arguments.scene, arguments.force);
    const std::string text = read_scene_text(scene);
    const SceneSpec spec = parse_scene_text(text, scene.string(), scene.parent_path());
    const repair::RepairReport report = repair::repair_scene(spec, text, arguments.gap);
    write_durably(output, relocated_scene_text(shifted_scene_text(text, spec, report.shifts), scene.parent_path(),
                                               output.parent_path()));
    print_report(report);
    fmt::print("{}\n", output.string());
    return exit_done;
}

}  // namespace stiction::cli
