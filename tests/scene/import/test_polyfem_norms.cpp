// The given PolyFEM scenes carry norms of PolyFEM's own solutions (key `tests`): imported and stepped here, they must
// come out the same. Skipped where the data are not.
#include "stiction/mesh/topology.hpp"

#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"
#include <nlohmann/json.hpp>

#include <cmath>

using namespace polyfem_testing;
using namespace stiction::test;

namespace {

namespace fs = std::filesystem;

const fs::path examples = fs::path(STICTION_SHARED_DATA) / "polyfem/contact/examples";

bool have_data() {
    if (fs::is_directory(examples)) return true;
    MESSAGE("skipped: no data at ", examples.string());
    return false;
}

struct Norms {
    double l2 = 0.0, largest = 0.0;
    double volume = 0.0;
};

/// Norms of the displacement as PolyFEM takes them: by one point an element, its barycentre.
Norms norms(const World& world, const VecX& x) {
    Norms result;
    for (const Body& body : world.bodies) {
        if (body.kind != BodyKind::deformable) continue;
        for (const Tet& tet : body.mesh.tets) {
            Vec3 displacement = Vec3::Zero();
            for (const Index v : tet)
                displacement += 0.25 * (x.segment<3>(3 * (body.first_vertex + v)) -
                                        body.mesh.vertices[static_cast<std::size_t>(v)]);
            const double volume = signed_volume(body.mesh, tet);
            result.l2 += volume * displacement.squaredNorm();
            result.volume += volume;
            result.largest = std::max(result.largest, displacement.norm());
        }
    }
    result.l2 = std::sqrt(result.l2);
    return result;
}

Norms given(const fs::path& file) {
    const auto json = nlohmann::json::parse(scene_testing::read_text(file));
    return {json["tests"]["err_l2"].get<double>(), json["tests"]["err_linf"].get<double>()};
}

struct Run {
    Norms ours, theirs;
    double dhat;
};

/// Imports a scene and makes `steps` steps of it, solved to rounding.
Run run(const std::string& name, int steps) {
    const fs::path file = examples / name;
    // PolyFEM balances the barrier stiffness; another one moves what is in contact by parts of dhat.
    const SceneSpec spec = parse_scene(file, {"ipc.velocity_tolerance_relative=1e-9",
                                              "ipc.friction_tolerance_factor=1e-5", "ipc.stiffness_rule=balance"});
    CompiledScene scene = compile_scene(spec);
    StepResult result;
    for (int step = 0; step < (steps > 0 ? steps : spec.time.steps); ++step) {
        scene.method->step(scene.world, scene.state, schedule(scene.world, scene.state, spec.time.step), result);
        REQUIRE_MESSAGE(is_accepted(result.report.status), name, ": step ", step, ": ", result.report.cause);
        scene.state = result.state;
    }
    return {norms(scene.world, scene.state.x), given(file), spec.ipc.dhat};
}

}  // namespace

TEST_CASE("the first step of given PolyFEM scenes is PolyFEM's") {
    if (!have_data()) return;
    // elasticity and driven ends alone: to rounding and the stopping test; free fall; friction on the slope
    for (const std::string name :
         {"3D/stress-tests/mat-twist.json", "3D/stress-tests/rod-twist.json", "3D/codimensional/mat-knives.json",
          "3D/friction/arch.json", "3D/pile/cubes.json", "3D/unit-tests/5-cubes.json"}) {
        CAPTURE(name);
        const Run result = run(name, 1);
        CHECK(result.ours.l2 == relative(result.theirs.l2, 1e-7));
        CHECK(result.ours.largest == relative(result.theirs.largest, 1e-7));
    }
    const Run slope = run("3D/friction/high-school-physics-slopetest-mu=0.49.json", 1);
    CHECK(slope.ours.l2 == relative(slope.theirs.l2, 1e-6));
    CHECK(slope.ours.largest == relative(slope.theirs.largest, 1e-6));
}

TEST_CASE("bodies of given PolyFEM scenes come to rest where PolyFEM's do") {
    if (!have_data()) return;
    // Barrier stiffness is chosen differently, so resting gaps differ, by less than dhat.
    for (const std::string name : {"3D/unit-tests/face-vertex.json", "3D/unit-tests/vertex-face.json"}) {
        CAPTURE(name);
        const Run result = run(name, 0);
        CHECK(std::abs(result.ours.l2 - result.theirs.l2) < result.dhat * std::sqrt(result.ours.volume));
        CHECK(std::abs(result.ours.largest - result.theirs.largest) < result.dhat);
    }
}
