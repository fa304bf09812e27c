#include "stiction/base/error.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/world/world_builder.hpp"

#include "output/scratch_folder.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using stiction::test::ScratchFolder;
using stiction::test::write_text;

namespace {

std::pair<World, State> tets(int count) {
    WorldBuilder builder;
    for (int i = 0; i < count; ++i) {
        Mesh mesh;
        mesh.vertices = {Vec3(3.0 * i, 0, 0), Vec3(3.0 * i + 1, 0, 0), Vec3(3.0 * i, 1, 0), Vec3(3.0 * i, 0, 1)};
        mesh.tets = {{0, 1, 2, 3}};
        builder.add_deformable("tet", mesh, BodyMaterial{});
    }
    return builder.build();
}

}  // namespace

TEST_CASE("a checkpoint gives back the state it was made of") {
    const ScratchFolder scratch;
    auto [world, state] = tets(2);
    state.t = 0.1 * 3;
    state.step = 3;
    state.x[4] = 1.0 / 3.0;
    state.v[5] = -0.0;
    state.previous_h = 0.1;
    state.warm_start["ipc"] = std::string("\0\1\2", 3);
    write_checkpoint(scratch / "checkpoint", state);
    CHECK(read_checkpoint(scratch / "checkpoint", world) == state);
    CHECK(to_bytes(read_checkpoint(scratch / "checkpoint", world)) == read_bytes(scratch / "checkpoint"));
    state.step = 4;
    write_checkpoint(scratch / "checkpoint", state);
    CHECK(read_checkpoint(scratch / "checkpoint", world).step == 4);
}

TEST_CASE("a checkpoint that is cut off or altered anywhere, or missing, is an InputError naming the file") {
    const ScratchFolder scratch;
    auto [world, state] = tets(1);
    write_checkpoint(scratch / "checkpoint", state);
    const std::string good = read_bytes(scratch / "checkpoint");
    for (std::size_t size = 0; size < good.size(); ++size) {
        write_text(scratch / "bad", good.substr(0, size));
        CHECK_THROWS_WITH_AS(read_checkpoint(scratch / "bad", world), doctest::Contains("bad"), InputError);
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string altered = good;
        altered[i] = static_cast<char>(altered[i] ^ 0x10);
        write_text(scratch / "bad", altered);
        CHECK_THROWS_WITH_AS(read_checkpoint(scratch / "bad", world), doctest::Contains("bad"), InputError);
    }
    write_text(scratch / "bad", good + "x");
    CHECK_THROWS_AS(read_checkpoint(scratch / "bad", world), InputError);
    CHECK_THROWS_WITH_AS(read_checkpoint(scratch / "none", world), doctest::Contains("none"), InputError);
}

TEST_CASE("a checkpoint of another scene is refused") {
    const ScratchFolder scratch;
    auto [world, state] = tets(1);
    auto [other_world, other_state] = tets(2);
    write_checkpoint(scratch / "checkpoint", other_state);
    CHECK_THROWS_WITH_AS(read_checkpoint(scratch / "checkpoint", world), doctest::Contains("4"), InputError);
    state.active_motion[0] = 0;  // the world has no motion
    write_checkpoint(scratch / "checkpoint", state);
    CHECK_THROWS_AS(read_checkpoint(scratch / "checkpoint", world), InputError);
}
