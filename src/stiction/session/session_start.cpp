// How a session begins: its scene, the checkpoint it goes on from, and its folder.
#include "stiction/base/error.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/start_picture.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"
#include "stiction/session/session.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// A scene file that the new run would overwrite.
void check_scene_outside(const std::string& scene, const RunDirectory& directory) {
    std::error_code error;
    if (fs::equivalent(scene, directory.scene(), error)) {
        throw InputError("", "SCENE", scene,
                         "a scene outside the output directory (`stiction resume` goes on with the run in it)");
    }
}

/// Meshes that the new run would remove with the frames of a former one.
void check_meshes_outside(const SceneSpec& spec, const RunDirectory& directory) {
    std::error_code error;
    for (const InputFile& file : input_files(spec)) {
        for (const fs::path& folder : {directory.frames(), directory.frames_obj(), directory.frames_ply()}) {
            if (fs::equivalent(file.path.parent_path(), folder, error))
                throw InputError(spec.origin.file, file.field, file.path.string(),
                                 "a file outside the frames of the output directory, which the run replaces");
        }
    }
}

/// Damage shows before anything is written.
void check_tables(const RunDirectory& directory, const World& world) {
    if (fs::exists(directory.steps())) read_step_table(directory.steps());
    if (!world.fillings.empty() && fs::exists(directory.zones())) read_zone_table(directory.zones());
    if (fs::exists(directory.complementarity())) read_complementarity_table(directory.complementarity());
}

/// What a run creates before it has begun goes away again when it fails there: its folders, and copies of meshes.
class Undo {
public:
    explicit Undo(const RunDirectory& directory) : meshes_(directory.meshes()) {
        std::error_code error;
        for (fs::path folder = fs::absolute(directory.root(), error);
             folder.has_relative_path() && !fs::exists(folder, error); folder = folder.parent_path())
            folders_.push_back(folder);
        if (!fs::exists(meshes_, error)) folders_.insert(folders_.begin(), meshes_);
        for (const auto& entry : fs::directory_iterator(meshes_, error)) former_copies_.insert(entry.path());
    }
    ~Undo() {
        if (done_) return;
        std::error_code error;
        std::vector<fs::path> copies;
        for (const auto& entry : fs::directory_iterator(meshes_, error)) copies.push_back(entry.path());
        for (const fs::path& copy : copies) {
            if (!former_copies_.contains(copy)) fs::remove(copy, error);
        }
        for (const fs::path& folder : folders_) fs::remove(folder, error);
    }
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;
    void keep() { done_ = true; }

private:
    fs::path meshes_;
    std::set<fs::path> former_copies_;
    std::vector<fs::path> folders_;  ///< that do not exist yet, the deepest first
    bool done_ = false;
};

}  // namespace

Session Session::create(const SceneSpec& spec, std::string name, const fs::path& folder,
                        const SessionOptions& options) {
    const RunDirectory directory(folder);
    directory.check_new(options.force);
    check_scene_outside(name, directory);
    check_meshes_outside(spec, directory);
    Session session(directory, compile_scene(spec), std::move(name), options);
    session.check_certify();
    return session;
}

Session Session::resume(const fs::path& folder, const SessionOptions& options, std::optional<int> steps,
                        const std::vector<std::string>& overrides) {
    const RunDirectory directory(folder);
    directory.check_resumable();
    std::vector<std::string> all = overrides;
    if (steps) all.push_back(fmt::format("time.steps={}", *steps));
    const SceneSpec spec = parse_scene(directory.scene(), all);
    Session session(directory, compile_scene(spec), directory.scene().string(), options);
    session.resumed_ = true;
    session.more_steps_ = steps.has_value();
    session.resolved_scene_ = resolved_json(spec);
    session.check_certify();
    session.earlier_audit_ = read_audit(directory.report(), 0);
    session.earlier_certificate_ = read_certificate(directory.report(), 0);
    State& state = session.scene_.state;
    state = read_checkpoint(directory.checkpoint(), session.scene_.world);
    if (state.t != state.step * spec.time.step) {
        throw InputError(
            directory.scene().string(), "time.step", fmt::format("{}", spec.time.step),
            fmt::format("the step of the checkpoint: it is at t = {} after {} steps", state.t, state.step));
    }
    check_tables(directory, session.scene_.world);
    if (!overrides.empty()) session.change_scene(overrides);
    return session;
}

void Session::check_certify() const {
    if (!options_.certify || scene_.method->promises_separation()) return;
    const char* setting = scene_method(scene_.spec).separating_setting;
    throw InputError("", "--certify", "",
                     fmt::format("a scene whose method keeps bodies apart, or there is nothing to prove: {} does{}",
                                 scene_.spec.method, setting ? fmt::format(" with {}", setting) : " not"));
}

std::vector<StartProblem> Session::problems() const {
    return find_start_problems(scene_.world, scene_.state);
}

std::optional<fs::path> Session::draw(const std::vector<StartProblem>& problems) const {
    if (!directory_.is_unused()) return std::nullopt;
    Undo undo(directory_);
    directory_.create();
    write_start_picture(directory_.start_picture(), scene_.world, scene_.state, problems);
    undo.keep();
    return directory_.start_picture();
}

/// Gives the scene of the folder other values from the checkpoint on; where one is refused, nothing is written.
void Session::change_scene(const std::vector<std::string>& overrides) {
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError(directory_.scene().string(), "--set", found, expected);
    };
    const auto [before, start_before] = compile_world(parse_scene(directory_.scene()));
    const auto [after, start_after] = compile_world(parse_scene(directory_.scene(), overrides));
    if (before.initial_positions != after.initial_positions || start_before.v != start_after.v)
        refuse("another start", "values that matter from the checkpoint on, not placements and first velocities");
    if (scene_.method->promises_separation()) {
        const auto found = problems();
        if (!found.empty()) refuse(found.front().text, "values that the checkpoint can go on with");
    }
    write_aside(directory_.scene(), resolved_json(parse_scene(directory_.scene(), overrides)));
    put_in_place(directory_.scene());
    for (const std::string& change : overrides) warn(fmt::format("{} from step {} on", change, scene_.state.step));
}

void Session::make_folder() {
    if (resumed_) {
        if (more_steps_) {  // so that the next `resume` goes as far, should this one be interrupted
            write_aside(directory_.scene(), resolved_scene_);
            put_in_place(directory_.scene());
        }
        directory_.remove_partial_files();
        return;
    }
    // What the new run needs first: if there is no room for it, the former run stays as it was.
    const auto former_meshes = directory_.mesh_copies();
    Undo undo(directory_);
    directory_.create();
    resolved_scene_ = resolved_json(make_self_contained(scene_.spec, directory_.root()));
    write_aside(directory_.scene(), resolved_scene_);
    directory_.remove_former_run();
    put_in_place(directory_.scene());
    directory_.remove_unused_meshes(former_meshes);
    undo.keep();
}

}  // namespace stiction
