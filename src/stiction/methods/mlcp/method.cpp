#include "stiction/methods/mlcp/method.hpp"

#include "stiction/base/error.hpp"
#include "stiction/methods/mlcp/step.hpp"

#include <fmt/format.h>

namespace stiction::mlcp {

Mlcp::Mlcp(const Options& options) : options_(options) {}
Mlcp::~Mlcp() = default;

double Mlcp::contact_distance(const World& world) const {
    return resolve_limits(options_, world.length).distance;
}

double Mlcp::arc_sagitta(const World&, double length) const {
    return 5e-4 * length;
}

const std::vector<SolverReport>& Mlcp::solves() const {
    return solves_;
}

void Mlcp::record_residuals(bool record) {
    record_residuals_ = record;
}

void Mlcp::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || workspace_->identity != world.identity)
        workspace_ = std::make_unique<Workspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "-";
    Step step(world, state, input, options_, *workspace_, result);
    step.record_residuals(record_residuals_);
    step.run();
    solves_ = step.solves();
    if (is_accepted(result.report.status)) measure(world, result.state, result.report);
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction::mlcp
