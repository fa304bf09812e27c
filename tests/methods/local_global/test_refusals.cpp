// Options of `local_global` that do not go together: refused before the run, or a status of the step.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/method.hpp"

#include "support/block_on_slope.hpp"

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

Scene lying_cube() {
    WorldBuilder builder;
    builder.add_deformable("cube", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.0502, 0}),
                           {MaterialLaw::fixed_corotated, 1e5, 0.3, 1000});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

}  // namespace

TEST_CASE("local_global: one Jacobi iteration ends where something touches, with a status and its cause") {
    const Scene scene = lying_cube();
    const StepInput input = schedule(scene.world, scene.state, 0.01);
    for (const GlobalStep kind : {GlobalStep::jacobi, GlobalStep::chebyshev}) {
        local_global::Options options;
        options.global_step = kind;
        LocalGlobal method(options);
        method.check(scene.world);
        StepResult result;
        method.step(scene.world, scene.state, input, result);
        CHECK(result.report.status == Status::not_supported);
        CHECK(result.report.cause.find("'" + global_step_names()[static_cast<std::size_t>(kind)] + "'") !=
              std::string::npos);
        // Above the floor the same method takes its step.
        State above = scene.state;
        for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v) above.x[3 * v + 1] += 0.1;
        method.step(scene.world, above, schedule(scene.world, above, 0.01), result);
        CHECK(result.report.status == Status::converged);
    }
}

TEST_CASE("local_global: a step that throws vertices out of the scene is not taken") {
    const Scene scene = lying_cube();
    StepInput input = schedule(scene.world, scene.state, 0.01);
    local_global::Options options;
    LocalGlobal method(options);
    method.check(scene.world);
    StepResult result;
    // 1e9 N on a cube of 1 kg: h^2 f / m is 1e5 m.
    input.external_force.setConstant(1e9 / static_cast<double>(scene.world.vertex_count()));
    method.step(scene.world, scene.state, input, result);
    CHECK(result.report.status == Status::diverged);
    CHECK(result.report.cause.find("100 times the size") != std::string::npos);
    CHECK_FALSE(is_accepted(result.report.status));
    method.step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), result);
    CHECK(result.report.status == Status::converged);
}

TEST_CASE("local_global: attachments and cables are refused with one Jacobi iteration, before the run") {
    const Scene scene = lying_cube();
    local_global::Options attached, pulled;
    attached.attachments = {{.body = "cube", .to = "", .centre = {0, 0.05, 0}, .radius = 1.0}};
    pulled.cables = {{.body = "cube", .points = {{-0.04, 0.05, 0}, {0.04, 0.05, 0}}, .length = {}}};
    for (local_global::Options options : {attached, pulled}) {
        for (const GlobalStep kind :
             {GlobalStep::complete, GlobalStep::lbfgs, GlobalStep::jacobi, GlobalStep::chebyshev}) {
            options.global_step = kind;
            std::string complaint;
            try {
                LocalGlobal(options).check(scene.world);
            } catch (const InputError& error) {
                complaint = error.what();
            }
            const bool refused = complaint.find("local_global.global_step") != std::string::npos;
            CHECK(refused == is_incomplete(kind));
        }
    }
}

TEST_CASE("local_global: attachments and cables that make no sense are refused") {
    const Scene scene = lying_cube();
    const auto complaint = [&](const local_global::Options& options) -> std::string {
        try {
            LocalGlobal(options).check(scene.world);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    local_global::Options options;
    options.attachments = {{.body = "cube", .to = "cube", .centre = {0, 0.05, 0}, .radius = 1.0}};
    CHECK(complaint(options).find("another body") != std::string::npos);
    options.attachments.clear();
    options.cables = {{.body = "cube", .points = {{0, 0.05, 0}}, .length = {}}};
    CHECK(complaint(options).find("two or more points") != std::string::npos);
    options.cables[0].points.push_back({10, 0.05, 0});
    CHECK(complaint(options).find("points[1]") != std::string::npos);
    options.cables[0].points[1] = {0.04, 0.05, 0};
    CHECK(complaint(options).empty());
}

TEST_CASE("local_global: the laws `linear` and `sum` are refused by name, before the run") {
    for (const MaterialLaw law : {MaterialLaw::linear, MaterialLaw::sum}) {
        BodyMaterial material{law, 1e5, 0.3, 1000};
        if (law == MaterialLaw::sum) material.terms = {{TermKind::neo_hookean, 0.0, 2.0, lame_parameters(1e5, 0.3)}};
        WorldBuilder builder;
        builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), material);
        const auto [world, state] = builder.build();
        std::string complaint;
        try {
            LocalGlobal(local_global::Options{}).check(world);
        } catch (const InputError& error) {
            complaint = error.what();
        }
        CAPTURE(complaint);
        CHECK(complaint.find("body 'cube' material.law") != std::string::npos);
        CHECK(complaint.find(law_name(law)) != std::string::npos);
    }
}
