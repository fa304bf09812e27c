// Starts with gaps from none to a nanometre: each is refused by its gap, or its steps are made, under every method.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/world/start_check.hpp"

#include "support/run.hpp"

#include <array>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr std::array kinds{"boxes", "rigid box", "sheet", "rod", "obstacle", "half-space"};

BodyMaterial soft() {
    BodyMaterial material;
    material.youngs_modulus = 1e6;
    return material;
}

/// What is above the plane y = height by `gap`, on what `kind` says is below. A gap is a difference of coordinates, so
/// it is rounded to theirs.
std::pair<World, State> resting(const std::string& kind, double gap, const Vec3& shift) {
    WorldBuilder builder;
    builder.set_gravity({0, -9.81, 0});
    const Mesh box = generate_box({0.1, 0.1, 0.1}, {2, 2, 2});
    const Vec3 low = Vec3(0, -0.05, 0) + shift, high = Vec3(0.02, 0.05 + gap, 0.007) + shift;
    if (kind == "half-space") {
        builder.add_half_space("low", shift, {0, 1, 0});
    } else if (kind == "obstacle") {
        builder.add_obstacle("low", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}, Fill::surface), low));
    } else {
        builder.add_deformable("low", translated(box, low), soft());
    }
    if (kind == "rigid box") {
        builder.add_rigid("high", translated(box, high), 1000.0);
    } else if (kind == "sheet") {
        builder.add_shell("high", translated(generate_cloth(0.08, 0.08, 3, 3), high - Vec3(0, 0.05, 0)), {});
    } else if (kind == "rod") {
        builder.add_rod(
            "high",
            translated(generate_polyline({{-0.04, 0, 0}, {0.03, 0, 0.01}}, false, 0.02), high - Vec3(0, 0.05, 0)), {});
    } else {
        builder.add_deformable("high", translated(box, high), soft());
    }
    return builder.build();
}

std::vector<std::unique_ptr<Method>> methods_for(const std::string& kind) {
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(std::make_unique<ipc::Ipc>(ipc::Options{}));
    methods.push_back(std::make_unique<implicit::Implicit>(implicit::Options{}, Integrator::backward_euler));
    methods.push_back(std::make_unique<mlcp::Mlcp>(mlcp::Options{}));
    if (kind != "rod") methods.push_back(std::make_unique<local_global::LocalGlobal>(local_global::Options{}));
    return methods;
}

}  // namespace

TEST_CASE("touching starts: a gap is refused as rounding, or the first steps run under every method") {
    for (const std::string kind : kinds) {
        for (const double shift : {0.0, 100.0}) {
            const double smallest = shift == 0.0 ? 2e-13 : 1.1e-10;
            for (const double gap : {0.0, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9}) {
                CAPTURE(kind);
                CAPTURE(shift);
                CAPTURE(gap);
                const auto [world, state] = resting(kind, gap, Vec3::Constant(shift));
                const auto problems = find_start_problems(world, state);
                CHECK(problems.empty() == (gap >= smallest));
                for (const StartProblem& problem : problems) {
                    CHECK(problem.text.find("'high'") != std::string::npos);
                    CHECK(problem.text.find("'low'") != std::string::npos);
                    CHECK(can_be_moved_apart(world, problem));
                }
                if (!problems.empty()) continue;
                for (const auto& method : methods_for(kind)) {
                    CAPTURE(std::string(method->name()));
                    run_steps(*method, world, state, 0.01, 2);
                }
            }
        }
    }
}

TEST_CASE("touching starts: moving bodies apart cannot mend what is held or of one body") {
    const auto problems_of = [](auto change) {
        auto [world, state] = resting("obstacle", 0.0, Vec3::Zero());
        change(world);
        auto problems = find_start_problems(world, state);
        REQUIRE(!problems.empty());
        return std::pair{std::move(world), std::move(problems)};
    };
    const auto [free, problems] = problems_of([](World&) {});
    CHECK(can_be_moved_apart(free, problems.front()));
    const auto [held, same] = problems_of([](World& world) {
        Motion hold;
        hold.vertices = {world.bodies[1].first_vertex};
        world.motions.push_back(hold);
    });
    CHECK(!can_be_moved_apart(held, same.front()));
    StartProblem of_one;
    of_one.edges = {{free.bodies[1].first_vertex, free.bodies[1].first_vertex + 1}};
    of_one.triangles = {
        {free.bodies[1].first_vertex + 2, free.bodies[1].first_vertex + 3, free.bodies[1].first_vertex + 4}};
    CHECK(!can_be_moved_apart(free, of_one));
}
