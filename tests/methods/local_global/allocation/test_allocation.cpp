// A frame of `local_global` takes no memory from the heap once frames like it have been made. In a program of its own,
// whose malloc counts.
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void count() {
    if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t n, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
    count();
    return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
    count();
    return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
    count();
    return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    count();
    return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    count();
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
    count();
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? 12 : 0;
}
}

using namespace stiction;
using namespace stiction::local_global;

TEST_CASE("local_global: iterations take nothing from the heap after the first step") {
    counting = true;
    const VecX probe = VecX::Zero(1000);
    CHECK(allocations > 0);  // they are counted
    counting = false;
    WorldBuilder builder;
    Mesh mesh = generate_box({0.2, 0.2, 0.2}, {4, 4, 4});
    for (Vec3& x : mesh.vertices) x.y() += 0.1 + 1e-4;
    builder.add_deformable("cube", mesh, {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    builder.add_deformable("second",
                           [&] {
                               Mesh other = mesh;
                               for (Vec3& x : other.vertices) x.x() += 0.5;
                               return other;
                           }(),
                           {MaterialLaw::arap, 1e5, 0.4, 1000});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    set_thread_count(1);
    for (const GlobalStep kind : {GlobalStep::complete, GlobalStep::lbfgs}) {
        local_global::Options options;
        options.global_step = kind;
        Workspace workspace(world, options);
        const StepInput input = schedule(world, state, 0.01);
        const GlobalSystem& system = workspace.system(world, options, input);
        for (int step = 0; step < 3; ++step) {
            workspace.objective.begin(state, input, system.unknowns());
            workspace.constraints.find(system, state, input, state.x, state.x);
            REQUIRE(workspace.constraints.any());
            allocations = 0;
            counting = step > 0;
            const bool started = workspace.solver->start(system, state.x);
            workspace.solver->constrain_with(workspace.constraints);
            for (int k = 0; k < 8; ++k) workspace.solver->iterate();
            counting = false;
            CHECK(started);
            if (step > 0) CHECK(allocations == 0);
        }
    }
    set_thread_count(0);
}

namespace {

/// Cubes on each other, one that a cable bends, one that is held, damped ones, and a cloth over an obstacle of
/// triangles.
std::pair<World, State> busy_world() {
    WorldBuilder builder;
    const auto at = [](Mesh mesh, const Vec3& place) {
        for (Vec3& x : mesh.vertices) x += place;
        return mesh;
    };
    const Mesh cube = generate_box({0.2, 0.2, 0.2}, {3, 3, 3});
    builder.add_deformable("lower", at(cube, {0, 0.1 + 1e-3, 0}), {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    builder.add_deformable("upper", at(cube, {0.03, 0.305, 0.02}), {MaterialLaw::arap, 1e5, 0.4, 1000});
    builder.add_deformable("pulled", at(cube, {0.5, 0.1 + 1e-3, 0}),
                           {MaterialLaw::fixed_corotated, 1e5, 0.4, 1000, 1.0, 1e-3});
    builder.add_deformable("held", at(cube, {-0.5, 0.5, 0}), {MaterialLaw::arap, 1e5, 0.4, 1000});
    ShellMaterial cloth;
    cloth.bending = BendingModel::isometric;
    cloth.areal_density = 0.3;
    cloth.mass_damping = 5.0;
    builder.add_shell("cloth", at(generate_cloth(0.3, 0.3, 12, 12), {1.0, 0.402, 0}), cloth);
    cloth.bending = BendingModel::hinge;
    builder.add_shell("stiff cloth", at(generate_cloth(0.3, 0.3, 12, 12), {2.0, 0.002, 0}), cloth);
    builder.add_obstacle("stool", at(generate_box({0.2, 0.4, 0.2}, {2, 2, 2}), {1.0, 0.2, 0}));
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.5);
    builder.measure_by_scene();  // the stacks come to rest within the frames that are not counted
    return builder.build();
}

}  // namespace

TEST_CASE("local_global: whole frames of the method take nothing from the heap after the first ones") {
    const auto [world, first] = busy_world();
    set_thread_count(2);
    struct Kind {
        GlobalStep global_step;
        DelassusKind delassus;
    };
    for (const Kind& kind :
         {Kind{GlobalStep::complete, DelassusKind::automatic}, Kind{GlobalStep::complete, DelassusKind::applied},
          Kind{GlobalStep::lbfgs, DelassusKind::automatic}}) {
        local_global::Options options;
        options.global_step = kind.global_step;
        options.contact.delassus = kind.delassus;
        options.cables.push_back({.body = "pulled",
                                  .points = {{0.42, 0.15, 0}, {0.5, 0.19, 0}, {0.58, 0.15, 0}},
                                  .length = {{0.0, 1.0}, {0.2, 0.9}}});
        options.attachments.push_back({.body = "held", .to = {}, .centre = {-0.5, 0.6, 0}, .radius = 0.08});
        LocalGlobal method(options);
        method.check(world);
        State state = first;
        StepInput input;
        StepResult result;
        const auto frame = [&] {
            schedule(world, state, 0.01, input);
            method.step(world, state, input, result);
            std::swap(state, result.state);
            return is_accepted(result.report.status);
        };
        for (int k = 0; k < 300; ++k) REQUIRE(frame());  // until what swings has come to rest
        allocations = 0;
        counting = true;
        bool done = true;
        for (int k = 0; k < 30; ++k) done = frame() && done;
        counting = false;
        CHECK(done);
        CHECK(result.report.contacts > 30);
        CHECK(result.report.elastic > 0.0);
        CHECK(allocations == 0);
    }
    set_thread_count(0);
}
