// Contact forces against what may cause them, of numbers that are known.
#include "stiction/sim/contact_load.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double load_step = 0.01;

struct LoadedBlock {
    Scene scene = block_on_slope({.material = {MaterialLaw::neo_hookean, 1e5, 0.3}, .gap = 1e-3});
    StepInput input = schedule(scene.world, scene.state, load_step);
    StepResult result;
    LoadedBlock() {
        result.state = scene.state;
        result.contact_force = result.friction_force = VecX::Zero(scene.state.x.size());
    }
    double weight() const { return gravity * scene.world.mass.sum(); }
    ContactLoad load() const { return contact_load(scene.world, scene.state, input, result); }
};

}  // namespace

TEST_CASE("contact load: a force of a hundred weights on a block at rest is a hundred times what explains it") {
    LoadedBlock block;
    CHECK(block.load().share == 0.0);
    CHECK(block.load().body == -1);
    // What nobody would notice: 1e-4 of the diagonal, 0.3 m, a second in a step.
    const double unnoticed = block.scene.world.mass.sum() * 1e-4 * 0.3 / load_step;
    block.result.contact_force[1] = 100.0 * block.weight();
    const ContactLoad load = block.load();
    CHECK(load.share == relative(100.0 * block.weight() / (block.weight() + unnoticed), 1e-9));
    CHECK(load.body == 0);
}

TEST_CASE("contact load: an impact is explained by the change of speed, a squeezed block by its elasticity") {
    LoadedBlock hit;
    // From 2 m/s down to rest in one step: 2 / (9.81 * 0.01) = 20.4 weights, and the weight.
    for (Index v = 0; v < hit.scene.world.vertex_count(); ++v) {
        if (!hit.scene.world.is_obstacle(v)) hit.scene.state.v[3 * v + 1] = -2.0;
    }
    hit.result.contact_force[1] = (2.0 / (gravity * load_step) + 1.0) * hit.weight();
    CHECK(hit.load().share == relative(1.0, 1e-3));

    LoadedBlock squeezed;
    for (Index v = 0; v < squeezed.scene.world.vertex_count(); ++v) squeezed.result.state.x[3 * v] *= 0.5;
    squeezed.result.contact_force = elastic_gradient(squeezed.scene.world, squeezed.result.state.x);
    double forces = 0.0;
    for (Index v = 0; v < squeezed.scene.world.vertex_count(); ++v)
        forces += squeezed.result.contact_force.segment<3>(3 * v).norm();
    CHECK(forces > 10.0 * squeezed.weight());
    CHECK(squeezed.load().share <= 1.0);
    CHECK(squeezed.load().share >= 0.9);
}
