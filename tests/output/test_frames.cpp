#include "stiction/base/error.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/write.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/frame_reader.hpp"
#include "stiction/output/frame_writer.hpp"
#include "stiction/world/world_builder.hpp"

#include "output/scratch_folder.hpp"
#include "output/vtu_reader.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <doctest/doctest.h>

#include <fstream>
#include <random>

using namespace stiction;
using namespace stiction::test;
using stiction::test::read_vtu;
using stiction::test::ScratchFolder;
using stiction::test::Vtu;
namespace fs = std::filesystem;

namespace {

Mesh two_tets(const Vec3& shift) {
    Mesh mesh;
    for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 1, 1)})
        mesh.vertices.push_back(p + shift);
    mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    return mesh;
}

Mesh mixed_obstacle() {
    Mesh mesh;
    mesh.vertices = {Vec3(0, -1, 0), Vec3(1, -1, 0), Vec3(0, -1, 1), Vec3(3, 0, 0), Vec3(4, 0, 0), Vec3(5, 5, 5)};
    mesh.triangles = {{0, 2, 1}};
    mesh.edges = {{3, 4}};
    mesh.points = {5};
    return mesh;
}

/// Body 0: tets; 1: half-space; 2: triangle, edge and point obstacle; 3: tets.
struct Scene {
    Scene() {
        WorldBuilder builder;
        BodyMaterial soft, other;
        soft.law = MaterialLaw::neo_hookean;
        other.law = MaterialLaw::fixed_corotated;
        other.youngs_modulus = 2e6;
        builder.add_deformable("a", two_tets(Vec3(0, 0, 0)), soft);
        builder.add_half_space("floor", Vec3(0, -2, 0), Vec3(0, 1, 0));
        builder.add_obstacle("bits", mixed_obstacle());
        builder.add_deformable("b", two_tets(Vec3(0, 3, 0)), other);
        std::tie(world, state) = builder.build();
    }
    World world;
    State state;
};

constexpr std::size_t scene_vertices = 5 + 1 + 6 + 5;

Vec3 vec3(const test::VtuArray& array, std::size_t i) {
    return Vec3(array.values[3 * i], array.values[3 * i + 1], array.values[3 * i + 2]);
}

VecX random_vector(Eigen::Index size, double scale, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-scale, scale);
    VecX x(size);
    for (double& value : x) value = uniform(random);
    return x;
}

std::vector<std::size_t> tets_of(const Vtu& vtu) {
    std::vector<std::size_t> tets;
    for (std::size_t c = 0; c < vtu.cells; ++c) {
        if (vtu.mesh.at("types").values[c] == 10) tets.push_back(c);
    }
    return tets;
}

}  // namespace

TEST_CASE("a frame holds every vertex with its fields bit by bit") {
    Scene scene;
    const unsigned seed = 7;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    scene.state.x += random_vector(scene.state.x.size(), 0.05, random);
    scene.state.v = random_vector(scene.state.x.size(), 1.0, random);
    scene.state.step = 12;
    StepResult result;
    result.contact_force = random_vector(scene.state.x.size(), 9.0, random);
    result.friction_force = random_vector(scene.state.x.size(), 3.0, random);
    const VecX &contact = result.contact_force, &friction = result.friction_force;
    for (std::size_t v = 0; v < scene_vertices; ++v)
        result.contact_state.push_back(static_cast<ContactState>((7 * v / 2) % 3));

    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()), FrameOptions{}, 0.01);
    writer.write(scene.state, &result);
    const Vtu vtu = read_vtu(scratch / "frames/000012.vtu");

    REQUIRE(vtu.points == scene_vertices + 4);
    CHECK(vtu.mesh.at("Points").type == "Float64");
    for (std::size_t v = 0; v < scene_vertices; ++v) {
        const auto at = 3 * static_cast<Eigen::Index>(v);
        CHECK(vec3(vtu.mesh.at("Points"), v) == Vec3(scene.state.x.segment<3>(at)));
        CHECK(vec3(vtu.point_data.at("displacement"), v) ==
              Vec3(scene.state.x.segment<3>(at) - scene.world.initial_positions.segment<3>(at)));
        CHECK(vec3(vtu.point_data.at("velocity"), v) == Vec3(scene.state.v.segment<3>(at)));
        CHECK(vec3(vtu.point_data.at("contact_force"), v) == Vec3(contact.segment<3>(at)));
        CHECK(vec3(vtu.point_data.at("friction_force"), v) == Vec3(friction.segment<3>(at)));
        CHECK(vtu.point_data.at("contact_state").values[v] == static_cast<double>((7 * v / 2) % 3));
        CHECK(vtu.point_data.at("body").values[v] == scene.world.body_of_vertex[v]);
        CHECK(vtu.point_data.at("obstacle").values[v] == (v < 5 || v >= 12 ? 0 : 1));
    }
    for (std::size_t v = scene_vertices; v < scene_vertices + 4; ++v) {
        CHECK(vtu.point_data.at("body").values[v] == 1);
        CHECK(vtu.point_data.at("obstacle").values[v] == 1);
        CHECK(vec3(vtu.point_data.at("contact_force"), v) == Vec3(Vec3::Zero()));
        CHECK(vtu.point_data.at("contact_state").values[v] == 0);
        CHECK(vec3(vtu.point_data.at("velocity"), v) ==
              Vec3(scene.state.v.segment<3>(15)));  // of the plane's own vertex
    }
}

TEST_CASE("cells come as tets, triangles, edges and points, in the order of the bodies") {
    const Scene scene;
    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()), FrameOptions{}, 0.01);
    writer.write(scene.state, nullptr);
    const Vtu vtu = read_vtu(scratch / "frames/000000.vtu");
    CHECK(vtu.mesh.at("types").values == std::vector<double>{10, 10, 10, 10, 5, 5, 5, 3, 1});
    CHECK(vtu.cell_data.at("body").values == std::vector<double>{0, 0, 3, 3, 1, 1, 2, 2, 2});
    CHECK(vtu.cell_data.at("obstacle").values == std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1, 1});
    // every cell lies on points of its own body
    std::size_t at = 0;
    for (std::size_t c = 0; c < vtu.cells; ++c) {
        for (; at < static_cast<std::size_t>(vtu.mesh.at("offsets").values[c]); ++at) {
            const auto point = static_cast<std::size_t>(vtu.mesh.at("connectivity").values[at]);
            CHECK(vtu.point_data.at("body").values[point] == vtu.cell_data.at("body").values[c]);
        }
    }
    CHECK(at == vtu.mesh.at("connectivity").values.size());
    for (const double force : vtu.point_data.at("contact_force").values) CHECK(force == 0.0);
    for (const double state : vtu.point_data.at("contact_state").values) CHECK(state == 0.0);
}

TEST_CASE("a half-space is a square of side 3 l on its plane, around the scene, that moves with it") {
    Scene scene;
    scene.state.x.segment<3>(15) += Vec3(10, 0.5, 20);  // only the offset along the normal matters
    const FrameData frame = frame_data(scene.world, scene.state, nullptr, FrameFields{});
    const auto corner = [&](std::size_t k) { return frame.mesh.vertices[scene_vertices + k]; };
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK(corner(k).y() == relative(-1.5, 1e-13));
        CHECK((corner((k + 1) % 4) - corner(k)).norm() == relative(3.0 * scene.world.diagonal, 1e-13));
    }
    const Vec3 centre = 0.5 * (corner(0) + corner(2));
    CHECK(centre.x() == relative(0.5, 1e-13));  // both bodies span 0..1 in x and z
    CHECK(centre.z() == relative(0.5, 1e-13));
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized();
    CHECK(normal.y() == relative(1.0, 1e-13));  // seen from the allowed side
}

TEST_CASE("stress is the Cauchy stress of each tet, zero for obstacles") {
    Scene scene;
    // One deformation gradient everywhere: a turn times a stretch.
    Mat3 F = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix() * Vec3(1.1, 0.95, 1.02).asDiagonal();
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (!scene.world.is_obstacle(v))
            scene.state.x.segment<3>(3 * v) = F * scene.world.initial_positions.segment<3>(3 * v);
    }
    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()), FrameOptions{}, 0.01);
    writer.write(scene.state, nullptr);
    const Vtu vtu = read_vtu(scratch / "frames/000000.vtu");
    REQUIRE(vtu.cell_data.at("stress").components == 9);

    // log neo-Hookean: sigma = (mu (B - I) + lambda ln J I) / J
    const double E = BodyMaterial{}.youngs_modulus, nu = BodyMaterial{}.poissons_ratio;
    const double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), J = F.determinant();
    const Mat3 expected = (mu * (F * F.transpose() - Mat3::Identity()) + lambda * std::log(J) * Mat3::Identity()) / J;
    const Vec3 p = Eigen::SelfAdjointEigenSolver<Mat3>(expected).eigenvalues();
    const double von_mises =
        std::sqrt(0.5 * (std::pow(p[0] - p[1], 2) + std::pow(p[1] - p[2], 2) + std::pow(p[2] - p[0], 2)));
    for (const std::size_t cell : {0, 1}) {
        for (std::size_t k = 0; k < 9; ++k) {
            CHECK(vtu.cell_data.at("stress").values[9 * cell + k] ==
                  relative(expected(static_cast<int>(k / 3), static_cast<int>(k % 3)), 1e-9));
        }
        CHECK(vtu.cell_data.at("von_mises").values[cell] == relative(von_mises, 1e-9));
    }
    CHECK(tets_of(vtu).size() == 4);
    CHECK(vtu.cell_data.at("von_mises").values[2] > 2.0 * von_mises);  // body b is twenty times stiffer
    for (std::size_t cell = 4; cell < vtu.cells; ++cell) CHECK(vtu.cell_data.at("von_mises").values[cell] == 0.0);
}

TEST_CASE("fields can be chosen") {
    const Scene scene;
    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()),
                       FrameOptions{frame_fields({"velocity"}), false, false}, 0.01);
    writer.write(scene.state, nullptr);
    const Vtu vtu = read_vtu(scratch / "frames/000000.vtu");
    CHECK(vtu.point_data.size() == 1);
    CHECK(vtu.point_data.count("velocity") == 1);
    CHECK(vtu.cell_data.empty());
    for (const std::string& name : frame_field_names()) CHECK_NOTHROW(frame_fields({name}));
    CHECK_THROWS_WITH_AS(frame_fields({"velocty"}), doctest::Contains("velocity"), InputError);
}

TEST_CASE("frames.pvd lists every frame with its time, also after a resume that discards some") {
    Scene scene;
    const ScratchFolder scratch;
    const RunDirectory dir(scratch.path());
    const FrameOptions options{FrameFields{}, true, true};
    {
        FrameWriter writer(scene.world, dir, options, 0.1);
        CHECK(writer.last_step() == -1);
        for (const int step : {0, 3, 6, 7}) {
            scene.state.step = step;
            writer.write(scene.state, nullptr);
            writer.write(scene.state, nullptr);  // again: replaced, listed once
        }
        CHECK(writer.last_step() == 7);
    }
    const auto index = [&] {
        std::vector<std::pair<double, std::string>> entries;
        const std::string text = read_bytes(dir.frames_index());
        const std::regex tag("<DataSet timestep=\"([^\"]+)\" part=\"0\" file=\"([^\"]+)\"/>");
        for (auto i = std::sregex_iterator(text.begin(), text.end(), tag); i != std::sregex_iterator(); ++i)
            entries.emplace_back(std::stod((*i)[1]), (*i)[2]);
        return entries;
    };
    using Entries = std::vector<std::pair<double, std::string>>;
    CHECK(index() == Entries{{0.0, "frames/000000.vtu"},
                             {3 * 0.1, "frames/000003.vtu"},
                             {6 * 0.1, "frames/000006.vtu"},
                             {7 * 0.1, "frames/000007.vtu"}});
    FrameWriter writer(scene.world, dir, options, 0.1);
    writer.discard_after(5);
    CHECK(index() == Entries{{0.0, "frames/000000.vtu"}, {3 * 0.1, "frames/000003.vtu"}});
    CHECK_FALSE(fs::exists(dir.frames() / "000006.vtu"));
    CHECK_FALSE(fs::exists(dir.frames_obj() / "000006.obj"));
    CHECK_FALSE(fs::exists(dir.frames_ply() / "000007.ply"));
    CHECK(fs::exists(dir.frames_obj() / "000003.obj"));
    for (const auto& [time, file] : index()) CHECK(read_vtu(scratch / file).points == scene_vertices + 4);
}

TEST_CASE("OBJ and PLY frames hold the surfaces of the deformable bodies bit by bit") {
    Scene scene;
    const unsigned seed = 11;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    scene.state.x += random_vector(scene.state.x.size(), 0.05, random);
    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()), FrameOptions{FrameFields{}, true, true}, 0.1);
    writer.write(scene.state, nullptr);
    for (const char* file : {"frames_obj/000000.obj", "frames_ply/000000.ply"}) {
        INFO(file);
        const Mesh mesh = read_mesh(scratch / file);
        REQUIRE(mesh.vertices.size() == 10);
        CHECK(mesh.triangles.size() == 12);  // two tets glued: six outer faces a body
        for (std::size_t v = 0; v < 10; ++v) {
            const auto world_vertex = static_cast<Eigen::Index>(v < 5 ? v : v + 7);
            CHECK(mesh.vertices[v] == Vec3(scene.state.x.segment<3>(3 * world_vertex)));
        }
    }
}

TEST_CASE("a frame that cannot be written is an InputError naming it") {
    const Scene scene;
    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()), FrameOptions{}, 0.1);
    fs::remove_all(scratch / "frames");
    CHECK_THROWS_WITH_AS(writer.write(scene.state, nullptr), doctest::Contains("000000.vtu"), InputError);
}

TEST_CASE("read_frame gives back positions and cells bit by bit, and refuses anything else") {
    Scene scene;
    const unsigned seed = 12;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    scene.state.x += random_vector(scene.state.x.size(), 0.05, random);
    const ScratchFolder scratch;
    FrameWriter writer(scene.world, RunDirectory(scratch.path()), FrameOptions{}, 0.1);
    writer.write(scene.state, nullptr);
    const fs::path file = scratch / "frames/000000.vtu";
    const FrameFile frame = read_frame(file);
    REQUIRE(frame.positions.size() == 3 * (scene_vertices + 4));
    for (Eigen::Index i = 0; i < scene.state.x.size(); ++i)
        CHECK(frame.positions[static_cast<std::size_t>(i)] == scene.state.x[i]);
    const Vtu reference = read_vtu(file);
    CHECK(frame.cell_types.size() == reference.cells);

    for (const bool compress : {false, true}) {
        write_vtu(scratch / "mesh.vtu", two_tets({0, 0, 0}), {}, {}, compress);
        CHECK(read_frame(scratch / "mesh.vtu").positions[12] == 1.0);
        CHECK(read_frame(scratch / "mesh.vtu").connectivity == std::vector<std::int64_t>{0, 1, 2, 3, 1, 2, 3, 4});
        const std::string whole = read_bytes(scratch / "mesh.vtu");
        for (std::size_t length = 0; length + 1 < whole.size(); length += 7) {
            std::ofstream(scratch / "cut.vtu", std::ios::binary) << whole.substr(0, length);
            CHECK_THROWS_AS(read_frame(scratch / "cut.vtu"), InputError);
        }
    }
}
