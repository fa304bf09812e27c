// Bodies that do not start as placed, motions of parts of obstacles, meshes before a sequence.
#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

std::pair<World, State> started(const TemporaryFolder& folder, const std::string& rest) {
    return compile_world(parse_scene_text("{" + rest + "}", "s.json", folder.path()));
}

std::string body_with(const std::string& keys) {
    return R"("bodies": {"name": "a", "mesh": "tet.msh")" + keys + "}";
}

}  // namespace

TEST_CASE("start: a matrix and a shift of the placed mesh, against a rest shape that stays") {
    const TemporaryFolder folder;
    folder.write("tet.msh", one_tet_msh);
    const auto [world, state] = started(folder, body_with(R"(, "transform": {"translation": [0, 2, 0]},
            "start": {"matrix": [[0, -2, 0], [2, 0, 0], [0, 0, 2]], "translation": [1, 0, 0]},
            "boundary": {"select": {"box": {"min": [0.5, 2, 0], "max": [1, 2, 0]}}, "fix": true})"));
    const Vec3 placed[] = {{0, 2, 0}, {1, 2, 0}, {0, 3, 0}, {0, 2, 1}};
    for (Index i = 0; i < 4; ++i) {
        const Vec3 x = placed[i];
        CHECK((state.x.segment<3>(3 * i) - Vec3(1 - 2 * x.y(), 2 * x.x(), 2 * x.z())).norm() < 1e-15);
        CHECK(world.initial_positions.segment<3>(3 * i) == state.x.segment<3>(3 * i));
    }
    // Selections look at the placed mesh; F is twice a turn.
    CHECK(world.motions[0].vertices == std::vector<Index>{1});
    const Mat3 F = deformation_gradient(world.elastic[0].elements, 0, state.x);
    CHECK((F.transpose() * F - 4.0 * Mat3::Identity()).norm() < 1e-14);
    CHECK(world.mass.sum() == relative(1000.0 / 6.0, 1e-14));
}

TEST_CASE("start: positions and velocities vertex by vertex, in the order of the file") {
    const TemporaryFolder folder;
    std::string msh = one_tet_msh;  // a vertex that nothing uses comes first
    msh.replace(msh.find("4\n1 0 0 0"), 9, "5\n9 7 7 7\n1 0 0 0");
    folder.write("tet.msh", msh);
    const std::string five = "[[9, 9, 9], [0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]";
    const auto [world, state] =
        started(folder, body_with(", \"start\": {\"positions\": " + five + ", \"velocities\": " + five + "}"));
    CHECK(state.x.segment<3>(3) == Vec3(3, 0, 0));
    CHECK(state.v.segment<3>(6) == Vec3(0, 3, 0));
    CHECK(state.previous_v == state.v);
    const auto message = [&](const std::string& rest) { return input_error([&] { started(folder, rest); }); };
    CHECK(message(body_with(R"(, "start": {"positions": [[0, 0, 0]]})"))
              .find("bodies[0].start.positions: 1 entries: expected 5, one a vertex of the mesh") != std::string::npos);
    CHECK(
        message(body_with(R"(, "start": {"velocities": [[0, 0, 0]]})")).find("bodies[0].start.velocities: 1 entries") !=
        std::string::npos);
    CHECK(message(body_with(R"(, "rigid": {}, "start": {})")).find("bodies[0].start: expected no such key") !=
          std::string::npos);
    CHECK(message(body_with("") + R"(, "obstacles": {"half_space": {}, "start": {}})")
              .find("obstacles[0].start: expected no such key but beside 'mesh'") != std::string::npos);
    CHECK(message(body_with("") + R"(, "obstacles": {"mesh": "tet.msh", "start": {"velocities": []}})")
              .find("obstacles[0].start.velocities: expected no such key") != std::string::npos);
    CHECK(message(body_with("") + R"(, "obstacles": {"half_space": {}, "motion": {"twist": {}}})")
              .find("obstacles[0].motion[0].twist: expected no rotation") != std::string::npos);
    CHECK(message(body_with("") +
                  R"(, "obstacles": {"half_space": {}, "motion": {"fix": true, "select": {"all": true}}})")
              .find("obstacles[0].motion[0].select: expected no selection") != std::string::npos);
}

TEST_CASE("start: inside out only for a law that bears it") {
    const TemporaryFolder folder;
    folder.write("tet.msh", one_tet_msh);
    const auto with_law = [&](const std::string& law) {
        return input_error([&] {
            started(folder, body_with(", \"material\": {\"law\": \"" + law +
                                      "\"}, \"start\": {\"matrix\": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}"));
        });
    };
    CHECK(with_law("fixed_corotated") == "");
    CHECK(with_law("neo_hookean").find("inverted") != std::string::npos);
}

TEST_CASE("obstacles: a motion of selected vertices, and a mesh that a sequence comes from") {
    const TemporaryFolder folder;
    folder.write("tet.msh", one_tet_msh);
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    for (int k = 0; k < 2; ++k)
        folder.write("frames/" + std::to_string(k) + ".obj",
                     "v 0 " + std::to_string(5 + k) + " 0\nv 1 5 0\nv 0 5 1\nf 1 2 3\n");
    const auto [world, start] = started(folder, body_with("") + R"(, "obstacles": [
        {"mesh": "a.obj", "transform": {"translation": [0, -9, 0]}, "motion": {"select": {"vertices": [1]}, "move": {"velocity": [0, 1, 0]}}},
        {"mesh": "a.obj", "transform": {"translation": [0, -3, 0]}, "sequence": {"folder": "frames", "interval": 0.2, "start": 0.4}}])");
    CHECK(world.motions[0].vertices == std::vector<Index>{5});
    CHECK(start.x.segment<3>(3 * 7) == Vec3(0, -3, 0));
    const auto height = [&](double t) {
        State state = start;
        state.t = t - 0.1;
        return schedule(world, state, 0.1).target[3 * 7 + 1];
    };
    CHECK(height(0.1) == relative(-3.0, 1e-14));
    CHECK(height(0.3) == relative(1.0, 1e-13));  // half way
    CHECK(height(0.4) == relative(5.0, 1e-13));
    CHECK(height(0.5) == relative(5.5, 1e-13));
    CHECK(height(0.9) == relative(6.0, 1e-13));
    const std::string text = resolved_json(parse_scene_text(
        "{" + body_with("") +
            R"(, "obstacles": {"mesh": "a.obj", "sequence": {"files": ["frames/0.obj"]}, "motion": []}})",
        "s.json", folder.path()));
    CHECK(parse_scene_text(text, "s.json", folder.path()).obstacles[0].sequence->files->size() == 1);
}
