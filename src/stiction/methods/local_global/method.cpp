#include "stiction/methods/local_global/method.hpp"

#include "stiction/methods/local_global/device/choose_device.hpp"
#include "stiction/methods/local_global/step.hpp"

#include <fmt/format.h>

namespace stiction::local_global {
namespace {

std::string of_body(const Body& body) {
    return fmt::format("{} '{}'", body.is_obstacle() ? "obstacle" : "body", body.name);
}

void check_bodies(const World& world) {
    for (const Body& body : world.bodies) {
        if (body.kind == BodyKind::rigid)
            throw InputError({}, of_body(body), "a rigid body",
                             "deformable bodies and obstacles with method local_global");
        if (body.has_collision_mesh())
            throw InputError({}, of_body(body), "a collision mesh", "none with method local_global");
        if (body.is_rod())
            throw InputError({}, of_body(body), "a rod", "solids, sheets and obstacles with method local_global");
    }
    for (const ElasticGroup& group : world.elastic) {
        if (group.elements.law != MaterialLaw::linear && group.elements.law != MaterialLaw::sum) continue;
        throw InputError({}, of_body(world.bodies[static_cast<std::size_t>(group.body.front())]) + " material.law",
                         std::string(law_name(group.elements.law)),
                         "a law of two moduli that is objective, with method local_global");
    }
    if (!world.fillings.empty()) {
        throw InputError({}, of_body(world.bodies[static_cast<std::size_t>(world.fillings.front().body)]), "a filling",
                         "none with method local_global");
    }
}

void check_motions(const World& world) {
    for (const Motion& motion : world.motions) {
        if (motion.axes == 7) continue;
        for (const Index vertex : motion.vertices) {
            if (world.is_obstacle(vertex)) continue;
            throw InputError({}, fmt::format("motion '{}'", motion.name), "a motion along some axes",
                             "all three axes with method local_global");
        }
    }
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

void check_friction(const World& world) {
    const auto bodies = static_cast<Index>(world.bodies.size());
    for (Index a = 0; a < bodies; ++a) {
        for (Index b = 0; b <= a; ++b) {
            if (world.friction(a, b) == 0.0 || world.friction.kinetic_ratio(a, b) == 1.0) continue;
            throw InputError({}, of_body(world.bodies[static_cast<std::size_t>(a)]),
                             "a kinetic coefficient of friction of its own", "the static one with method local_global");
        }
    }
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

/// Contacts at rest have gaps of about one thickness.
double LocalGlobal::contact_distance(const World& world) const {
    return 2.0 * contact_thickness(options_, world.diagonal);
}

void LocalGlobal::check(const World& world) const {
    check_bodies(world);
    check_motions(world);
    check_sheets(world);
    check_global_step(options_);
    BilateralConstraints{world, options_};
    check_friction(world);
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
