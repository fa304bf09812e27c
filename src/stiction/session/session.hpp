// A run with files: a scene, the folder that holds what the run writes, and everything that watches the run.
#pragma once

#include "stiction/output/run_directory.hpp"
#include "stiction/output/verdict.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/session/recorder.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/start_check.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stiction {

struct SessionOptions {
    bool force = false;    ///< a new run may replace a former one in its folder
    bool certify = false;  ///< proves that every accepted move is free of intersections
    bool strict = false;   ///< the run ends in the step where its energy explodes
};

/// What a run came to, as data; a program finds its own words and exit codes.
struct SessionEnd {
    RunEnd end = RunEnd::done;
    Index step = 0, last_step = 0;  ///< where it ended, and where the scene ends
    bool exploded = false;          ///< its energy has, under SessionOptions::strict, which ends the run there
    RunReport report;               ///< as in report.json; empty from finished_end()
    audit::RunAudit audit;
    std::optional<audit::RunCertificate> certificate;  ///< of this run or the one that was resumed
    std::vector<Doubt> doubts;                         ///< the verdict; empty: ok

    /// Whether audit and certificate found nothing.
    bool is_clean() const { return audit.ok() && (!certificate || certificate->ok()); }
};

/// One run in a folder, new or resumed. Use: create() or resume(), look at scene and problems, begin(), run(). Nothing
/// is printed.
class Session {
public:
    /// Compiles a scene for a new run. Touches no file.
    /// @param name  of the scene in the report: its file, or where it comes from
    /// Throws InputError for a folder or a scene that cannot be used.
    static Session create(const SceneSpec& spec, std::string name, const std::filesystem::path& folder,
                          const SessionOptions& options = {});
    /// Goes on with the run in a folder from its checkpoint. Writes its scene where there are overrides.
    /// @param steps      total number of steps; absent: the scene's
    /// @param overrides  "key=value": the scene of the folder has these values from its checkpoint on
    /// Throws InputError for a folder without a run, a checkpoint or tables that do not fit, and values that say
    /// something about the start alone, or that the checkpoint contradicts.
    static Session resume(const std::filesystem::path& folder, const SessionOptions& options = {},
                          std::optional<int> steps = {}, const std::vector<std::string>& overrides = {});
    Session(Session&&) noexcept;
    ~Session();

    /// The scene that begin() will take; its state is that of the checkpoint where a run is resumed.
    const CompiledScene& scene() const { return scene_; }
    const RunDirectory& directory() const { return directory_; }
    /// What keeps a new run from starting; empty: nothing.
    std::vector<StartProblem> problems() const;
    /// Draws these in the folder, where no run would be lost. @return the file, if there is one
    std::optional<std::filesystem::path> draw(const std::vector<StartProblem>& problems) const;
    /// Whether the run to be resumed has made its steps: nothing is left to do. SessionEnd says what it had found.
    bool is_finished() const { return resumed_ && scene_.state.step >= scene_.spec.time.steps; }
    SessionEnd finished_end() const;

    /// A line for the log of the run.
    void warn(std::string line) { warnings_.push_back(std::move(line)); }
    /// Whom to tell, beside the log, that the run becomes doubtful: once, in the step where it does.
    void tell_doubts(std::function<void(const std::string&)> tell) { tell_doubt_ = std::move(tell); }

    /// Makes the folder ready and takes the scene. A former run stays as it was unless there is room for the new one.
    /// @return what run() will advance: for observers, which are told of a step after all files are written, and for
    /// commands. Of a new run problems() has to be empty.
    Simulator& begin();
    /// After begin(): runs to the last step, or until `interrupt` is true. An exception of an observer leaves the run
    /// as one that can be resumed.
    SessionEnd run(const std::atomic<bool>* interrupt = nullptr);

private:
    struct Run;

    Session(RunDirectory directory, CompiledScene scene, std::string name, const SessionOptions& options);
    void check_certify() const;
    void change_scene(const std::vector<std::string>& overrides);
    void make_folder();
    RunReport report_header() const;
    std::vector<std::string> log_head() const;

    RunDirectory directory_;
    CompiledScene scene_;
    std::string name_;
    SessionOptions options_;
    bool resumed_ = false, more_steps_ = false;
    std::string resolved_scene_;  ///< JSON text
    double energy_start_ = 0.0;   ///< J
    std::vector<std::string> warnings_;
    std::function<void(const std::string&)> tell_doubt_;
    std::optional<audit::RunAudit> earlier_audit_;  ///< of the run that is resumed
    std::optional<audit::RunCertificate> earlier_certificate_;
    std::unique_ptr<Run> run_;  ///< after begin()
};

}  // namespace stiction
