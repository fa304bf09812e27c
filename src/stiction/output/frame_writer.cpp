#include "stiction/output/frame_writer.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/write.hpp"

#include <algorithm>
#include <system_error>

namespace stiction {
namespace {

namespace fs = std::filesystem;

VtuField integer_field(const char* name, const std::vector<int>& values) {
    return {name, 1, std::vector<double>(values.begin(), values.end()), true};
}

VtuField vector_field(const char* name, const std::vector<Vec3>& values) {
    VtuField field{name, 3, {}, false};
    field.values.reserve(3 * values.size());
    for (const Vec3& value : values) field.values.insert(field.values.end(), value.data(), value.data() + 3);
    return field;
}

/// Row by row.
VtuField tensor_field(const char* name, const std::vector<Mat3>& values) {
    VtuField field{name, 9, {}, false};
    field.values.reserve(9 * values.size());
    for (const Mat3& value : values) {
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) field.values.push_back(value(row, column));
        }
    }
    return field;
}

std::vector<VtuField> point_fields(const FrameData& frame, const FrameFields& wanted) {
    std::vector<VtuField> fields;
    if (wanted.displacement) fields.push_back(vector_field("displacement", frame.displacement));
    if (wanted.velocity) fields.push_back(vector_field("velocity", frame.velocity));
    if (wanted.contact_force) fields.push_back(vector_field("contact_force", frame.contact_force));
    if (wanted.friction_force) fields.push_back(vector_field("friction_force", frame.friction_force));
    if (wanted.contact_state) fields.push_back(integer_field("contact_state", frame.contact_state));
    if (wanted.body) fields.push_back(integer_field("body", frame.point_body));
    if (wanted.body) fields.push_back(integer_field("obstacle", frame.point_obstacle));
    return fields;
}

std::vector<VtuField> cell_fields(const FrameData& frame, const FrameFields& wanted) {
    std::vector<VtuField> fields;
    if (wanted.body) fields.push_back(integer_field("body", frame.cell_body));
    if (wanted.body) fields.push_back(integer_field("obstacle", frame.cell_obstacle));
    if (wanted.stress) fields.push_back(tensor_field("stress", frame.stress));
    if (wanted.stress) fields.push_back({"von_mises", 1, frame.von_mises, false});
    return fields;
}

void create_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError(folder.string() + ": cannot be created: " + error.message());
}

}  // namespace

FrameWriter::FrameWriter(const World& world, const RunDirectory& directory, const FrameOptions& options, double h)
    : world_(world),
      directory_(directory),
      options_(options),
      h_(h),
      steps_(frame_numbers(directory.frames(), ".vtu")) {
    create_folder(directory_.frames());
    if (options_.obj) create_folder(directory_.frames_obj());
    if (options_.ply) create_folder(directory_.frames_ply());
}

void FrameWriter::discard_after(int last_step) {
    // The index first, so that it never names a frame that is gone.
    std::erase_if(steps_, [last_step](int step) { return step > last_step; });
    write_index();
    remove_frames_after(directory_.frames(), ".vtu", last_step);
    remove_frames_after(directory_.frames_obj(), ".obj", last_step);
    remove_frames_after(directory_.frames_ply(), ".ply", last_step);
}

void FrameWriter::write(const State& state, const StepResult* result) {
    const FrameData frame = frame_data(world_, state, result, options_.fields);
    write_vtu(directory_.frames() / frame_name(state.step, ".vtu"), frame.mesh, point_fields(frame, options_.fields),
              cell_fields(frame, options_.fields));
    write_surfaces(state);
    const auto place = std::lower_bound(steps_.begin(), steps_.end(), state.step);
    if (place == steps_.end() || *place != state.step) steps_.insert(place, state.step);
    write_index();
}

void FrameWriter::write_surfaces(const State& state) const {
    if (!options_.obj && !options_.ply) return;
    const Mesh surface = deformable_surface(world_, state);
    if (options_.obj) write_obj(directory_.frames_obj() / frame_name(state.step, ".obj"), surface);
    if (options_.ply) write_ply(directory_.frames_ply() / frame_name(state.step, ".ply"), surface);
}

void FrameWriter::write_index() const {
    std::vector<std::pair<double, std::string>> entries;
    entries.reserve(steps_.size());
    for (const int step : steps_)
        entries.emplace_back(static_cast<double>(step) * h_, "frames/" + frame_name(step, ".vtu"));
    write_pvd(directory_.frames_index(), entries);
}

}  // namespace stiction
