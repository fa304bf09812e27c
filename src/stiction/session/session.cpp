#include "stiction/session/session.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/scene/start_warnings.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiction {

/// What watches a run that has begun. Observers are told in this order: the audit, the certificate, the files.
struct Session::Run {
    explicit Run(Session& session)
        : log(session.directory_.log(), session.resumed_),
          simulator(
              std::move(session.scene_.world), std::move(session.scene_.state), std::move(session.scene_.method),
              SimulatorOptions{session.scene_.spec.time.step, halvings_within(session.scene_.spec.time.max_substeps)}),
          auditor(audit_rate_from_name(session.scene_.spec.audit), session.scene_.spec.output.every,
                  simulator.method().contact_distance(simulator.world()),
                  integrator_from_name(session.scene_.spec.time.integrator),
                  session.earlier_audit_.value_or(audit::RunAudit{}), simulator.method().promises_separation(),
                  simulator.method().exactly_rigid(),
                  simulator.method().balances_forces() && !simulator.method().has_joints()),
          certificate(session.earlier_certificate_),
          certifier(simulator.world(), certificate) {}

    RunLog log;
    Simulator simulator;
    Auditor auditor;
    std::optional<audit::RunCertificate> certificate;
    Certifier certifier;
    std::optional<Recorder> recorder;
};

Session::Session(RunDirectory directory, CompiledScene scene, std::string name, const SessionOptions& options)
    : directory_(std::move(directory)), scene_(std::move(scene)), name_(std::move(name)), options_(options) {
    StepReport start;
    measure(scene_.world, scene_.state, start);
    energy_start_ = start.kinetic + start.elastic + start.gravity;
}

Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

RunReport Session::report_header() const {
    RunReport report;
    report.scene = name_;
    report.method = scene_.spec.method;
    report.version = STICTION_VERSION;
    report.threads = thread_count();
    report.resolved_scene = resolved_scene_;
    report.energy_start = energy_start_;
    report.limits = scene_.spec.verdict;
    report.certificate = earlier_certificate_;
    report.separation_promised = scene_.method->promises_separation();
    return report;
}

std::vector<std::string> Session::log_head() const {
    std::vector<std::string> lines{
        fmt::format("stiction {}: {} {} with method {}, {} threads, {} vertices, step {} of {}", STICTION_VERSION,
                    resumed_ ? "resume" : "run", name_, scene_.spec.method, thread_count(), scene_.world.vertex_count(),
                    scene_.state.step, scene_.spec.time.steps)};
    const std::string turns = turn_note(scene_.spec, scene_.world, scene_.state, *scene_.method);
    if (!turns.empty()) lines.push_back(turns);
    return lines;
}

Simulator& Session::begin() {
    STICTION_CHECK(run_ == nullptr, "a session begins once");
    make_folder();
    RunReport header = report_header();
    const std::vector<std::string> head = log_head();
    run_ = std::make_unique<Run>(*this);  // takes world, state and method
    for (const std::string& line : head) run_->log.info(line);
    for (const std::string& line : warnings_) run_->log.warn(line);

    run_->simulator.add_observer(run_->auditor);
    if (options_.certify) {
        run_->simulator.add_observer(run_->certifier);
        run_->simulator.set_move_sink(&run_->certifier);
    }
    Recorder& recorder = run_->recorder.emplace(run_->simulator.world(), directory_, scene_.spec.output,
                                                scene_.spec.time.step, resumed_, std::move(header), run_->log);
    recorder.report_on(&run_->auditor, options_.certify ? &run_->certifier : nullptr);
    if (tell_doubt_) recorder.tell_doubts(tell_doubt_);
    if (options_.strict) recorder.end_explosions();
    run_->simulator.add_observer(recorder);
    return run_->simulator;
}

SessionEnd Session::run(const std::atomic<bool>* interrupt) {
    STICTION_CHECK(run_ != nullptr, "begin() comes before run()");
    SessionEnd end;
    end.last_step = scene_.spec.time.steps;
    try {
        end.end = run_->simulator.run(end.last_step, interrupt);
    } catch (const std::exception& error) {
        run_->recorder->abandoned(run_->simulator.state(), error.what());
        throw;
    }
    end.step = run_->simulator.state().step;
    end.exploded = !run_->recorder->goes_on();
    end.report = run_->recorder->report();
    end.audit = run_->auditor.audit();
    end.certificate = options_.certify ? run_->certifier.certificate() : run_->certificate;
    end.doubts = verdict(end.report);
    return end;
}

SessionEnd Session::finished_end() const {
    SessionEnd end;
    end.step = scene_.state.step;
    end.last_step = scene_.spec.time.steps;
    end.audit = earlier_audit_.value_or(audit::RunAudit{});
    end.certificate = earlier_certificate_;
    return end;
}

}  // namespace stiction
