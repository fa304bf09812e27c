#include "stiction/methods/local_global/method.hpp"

#include "stiction/methods/local_global/device/choose_device.hpp"
#include "stiction/methods/local_global/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace stiction::local_global {
namespace {

std::string of_body(const Body& body) {
    return fmt::format("{} '{}'", body.is_obstacle() ? "obstacle" : "body", body.name);
}

void check_bodies(const World& world) {
    for (const Body& body : world.bodies) {
        if (body.is_quadratic())
            throw InputError({}, of_body(body) + " order", "2",
                             "1 with method local_global, whose iterations take ten times as many on quadratic tets "
                             "where they would help (nu 0.45 and above)");
        if (body.is_rod())
            throw InputError({}, of_body(body), "a rod",
                             "solids, sheets, rigid bodies and obstacles with method local_global");
    }
    for (const ElasticGroup& group : world.elastic) {
        if (group.elements.law != MaterialLaw::linear && group.elements.law != MaterialLaw::sum) continue;
        throw InputError({}, of_body(world.bodies[static_cast<std::size_t>(group.body.front())]) + " material.law",
                         std::string(law_name(group.elements.law)),
                         "a law of two moduli that is objective, with method local_global");
    }
}

/// A motion that drives some axes of vertices that are free along the others; null: none.
const Motion* motion_along_some_axes(const World& world) {
    for (const Motion& motion : world.motions) {
        if (motion.axes == 7) continue;
        for (const Index vertex : motion.vertices) {
            if (!world.is_obstacle(vertex)) return &motion;
        }
    }
    return nullptr;
}

/// A coordinate that is driven while others of its vertex are free makes a dense column. Those of a system may take
/// half a gigabyte.
void check_motions(const World& world) {
    constexpr std::size_t most_columns = 3000, most_numbers = 60'000'000;
    const std::size_t most = std::min(most_columns, most_numbers / static_cast<std::size_t>(world.vertex_count()));
    std::vector<std::uint8_t> guided(static_cast<std::size_t>(world.vertex_count()), 0);
    const Motion* last = nullptr;
    for (const Motion& motion : world.motions) {
        if (motion.axes == 7) continue;
        last = &motion;
        for (const Index vertex : motion.vertices) {
            if (!world.is_obstacle(vertex)) guided[static_cast<std::size_t>(vertex)] |= motion.axes;
        }
    }
    std::size_t columns = 0;
    for (const std::uint8_t axes : guided) columns += static_cast<std::size_t>(std::popcount(axes));
    if (columns <= most) return;
    throw InputError({}, fmt::format("motion '{}'", last->name),
                     fmt::format("{} coordinates that are driven along some axes, with all such motions", columns),
                     fmt::format("at most {} with method local_global and {} vertices", most, world.vertex_count()));
}

void check_sheets(const World& world) {
    for (const SheetGroup& group : world.sheets) {
        const auto* membrane = std::get_if<TriangleElements>(&group.elements);
        if (membrane == nullptr) continue;
        for (std::size_t e = 0; e < membrane->size(); ++e) {
            if (membrane->strain_limit[e].stiffness == 0.0) continue;
            const Body& sheet = world.bodies[static_cast<std::size_t>(group.body[e])];
            throw InputError({}, of_body(sheet), "a strain limit", "none with method local_global");
        }
    }
}

/// Without its mode a stiff filling grows from step to step: the iterations are few.
void check_fillings(const World& world) {
    for (const FilledRegion& filling : world.fillings) {
        if (filling.exact_matrix) continue;
        throw InputError({}, of_body(world.bodies[static_cast<std::size_t>(filling.body)]) + " volume.exact_matrix",
                         "false", "true with method local_global");
    }
}

/// What corrects the inverse of the constant matrix (InverseModes), in words; empty: nothing.
std::string modes_in(const World& world) {
    if (!world.rigid_bodies.empty()) return "rigid bodies";
    if (!world.fillings.empty()) return "fillings";
    return motion_along_some_axes(world) == nullptr ? "" : "motions along some axes";
}

/// The corrections are those of the complete step. L-BFGS would take forces that keep a shape for curvature.
void check_modes(const World& world, const Options& options) {
    const std::string modes = modes_in(world);
    if (modes.empty()) return;
    if (options.contact.scale == ComplementarityScale::mass_inverse)
        throw InputError({}, "local_global.complementarity_scale", "mass_inverse", "'system_inverse' with " + modes);
    if (options.contact.indicators == IndicatorUse::as_printed)
        throw InputError({}, "local_global.indicators", "as_printed", "'newton' with " + modes);
    if (options.global_step == GlobalStep::complete) return;
    throw InputError({}, "local_global.global_step", global_step_names()[static_cast<std::size_t>(options.global_step)],
                     "'complete' with " + modes);
}

/// One Jacobi iteration does not answer to the forces of constraints. Whether anything touches shows in the run; what
/// is attached is known before it.
void check_global_step(const Options& options) {
    if (!is_incomplete(options.global_step) || (options.attachments.empty() && options.cables.empty())) return;
    throw InputError({}, "local_global.global_step", global_step_names()[static_cast<std::size_t>(options.global_step)],
                     "'complete' or 'lbfgs' with attachments or cables");
}

}  // namespace

LocalGlobal::LocalGlobal(const Options& options) : options_(options) {}
LocalGlobal::~LocalGlobal() = default;

/// Contacts at rest have gaps of about one thickness, those of the largest bodies the most.
double LocalGlobal::contact_distance(const World& world) const {
    return 2.0 * contact_thickness(options_, world.length);
}

double LocalGlobal::arc_sagitta(const World&, double length) const {
    return contact_thickness(options_, length);
}

void LocalGlobal::check(const World& world) const {
    check_bodies(world);
    check_motions(world);
    check_sheets(world);
    check_global_step(options_);
    BilateralConstraints{world, options_};
    check_modes(world, options_);
    check_fillings(world);
    check_device(world, options_);
}

void LocalGlobal::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || workspace_->identity != world.identity)
        workspace_ = std::make_unique<Workspace>(world, options_);
    result.report.clear();
    result.report.h = input.h;
    result.report.residual_unit = "m/s";
    Step step(world, state, input, options_, *workspace_, result);
    step.run();
    if (is_accepted(result.report.status)) measure(world, result.state, step.elastic_energy(), result.report);
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction::local_global
