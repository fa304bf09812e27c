#include "stiction/mesh/atomic_file.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/mesh/write.hpp"

#include "mesh/mesh_fixtures.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <csignal>
#include <map>
#include <regex>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A mesh with an element of each kind, tags, and vertices whose coordinates are random bits.
Mesh one_of_each(unsigned seed) {
    Mesh mesh;
    mesh.vertices = test::random_bit_vertices(12, seed);
    mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    mesh.tet_tags = {4, -2};
    mesh.further_tet_tags = {{0, 7}, {1, 7}, {1, 8}};
    mesh.triangles = {{0, 1, 2}, {5, 6, 7}, {0, 4, 6}};
    mesh.triangle_tags = {1, 0, 99};
    mesh.further_triangle_tags = {{0, 5}, {2, 5}};
    mesh.edges = {{7, 8}, {9, 8}};
    mesh.points = {11, 10};
    return mesh;
}

void check_same(const Mesh& a, const Mesh& b) {
    CHECK(test::same_bits(a.vertices, b.vertices));
    CHECK(a.tets == b.tets);
    CHECK(a.triangles == b.triangles);
    CHECK(a.edges == b.edges);
    CHECK(a.points == b.points);
    CHECK(a.triangle_tags == b.triangle_tags);
    CHECK(a.tet_tags == b.tet_tags);
    CHECK(a.further_triangle_tags == b.further_triangle_tags);
    CHECK(a.further_tet_tags == b.further_tet_tags);
}

std::string slurp(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The arrays of a VTU file by name, as bytes, found and unpacked by hand.
std::map<std::string, std::string> vtu_arrays(const std::string& file) {
    const std::size_t appended = file.find("<AppendedData encoding=\"raw\">");
    REQUIRE(appended != std::string::npos);
    const std::size_t start = file.find('_', appended) + 1;
    const bool packed = file.find("vtkZLibDataCompressor") < appended;
    const auto word = [&](std::size_t at) {
        std::uint64_t value;
        std::memcpy(&value, file.data() + at, 8);
        return value;
    };
    std::map<std::string, std::string> arrays;
    const std::string xml = file.substr(0, appended);
    const std::regex tag(
        "<DataArray type=\"(\\w+)\" Name=\"([^\"]+)\" NumberOfComponents=\"(\\d+)\" format=\"appended\" "
        "offset=\"(\\d+)\"/>");
    for (std::sregex_iterator match(xml.begin(), xml.end(), tag), end; match != end; ++match) {
        const std::size_t at = start + std::stoull((*match)[4]);
        std::string bytes;
        if (!packed) {
            bytes = file.substr(at + 8, word(at));
        } else {
            const std::uint64_t blocks = word(at), block_size = word(at + 8), last = word(at + 16);
            std::size_t from = at + 24 + 8 * blocks;
            for (std::uint64_t b = 0; b < blocks; ++b) {
                uLongf size = b + 1 == blocks && last > 0 ? last : block_size;
                std::string block(size, '\0');
                REQUIRE(uncompress(reinterpret_cast<Bytef*>(block.data()), &size,
                                   reinterpret_cast<const Bytef*>(file.data() + from), word(at + 24 + 8 * b)) == Z_OK);
                bytes += block;
                from += word(at + 24 + 8 * b);
            }
        }
        arrays[(*match)[2]] = bytes;
    }
    return arrays;
}

template <class T>
std::vector<T> as(const std::string& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

}  // namespace

TEST_CASE("MSH round trip is exact, ASCII and binary") {
    const test::Folder folder;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        const Mesh mesh = one_of_each(seed);
        write_msh(folder.path("a.msh"), mesh, Encoding::ascii);
        check_same(read_mesh(folder.path("a.msh")), mesh);
        write_msh(folder.path("b.msh"), mesh, Encoding::binary);
        check_same(read_mesh(folder.path("b.msh")), mesh);
    }
    const Mesh ball = generate_ball(0.1, 4);
    write_mesh(folder.path("ball.msh"), ball);
    check_same(read_mesh(folder.path("ball.msh")), ball);
    CHECK(folder.entries() == 3);  // no temporary files left
}

TEST_CASE("OBJ and PLY round trips are exact without tets") {
    const test::Folder folder;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        Mesh mesh = one_of_each(seed);
        mesh.tets.clear();
        mesh.tet_tags.clear();
        mesh.triangle_tags.clear();
        mesh.further_tet_tags.clear();
        mesh.further_triangle_tags.clear();
        write_obj(folder.path("a.obj"), mesh);
        check_same(read_mesh(folder.path("a.obj")), mesh);
        mesh.points.clear();
        write_ply(folder.path("a.ply"), mesh, Encoding::ascii);
        check_same(read_mesh(folder.path("a.ply")), mesh);
        write_ply(folder.path("b.ply"), mesh, Encoding::binary);
        check_same(read_mesh(folder.path("b.ply")), mesh);
    }
}

TEST_CASE("OBJ and PLY of a tet mesh hold its surface") {
    const test::Folder folder;
    const Mesh box = generate_box({1, 2, 3}, {3, 3, 3});
    for (const char* name : {"a.obj", "a.ply"}) {
        write_mesh(folder.path(name), box);
        const Mesh read = read_mesh(folder.path(name));
        CHECK(read.vertices.size() == 56);  // 64 without the 8 inside
        CHECK(read.triangles.size() == 108);
        CHECK(enclosed_volume(read.vertices, read.triangles) == relative(6, 1e-13));
    }
}

TEST_CASE("VTU holds positions, cells in order, and fields, packed or not") {
    const test::Folder folder;
    const Mesh mesh = one_of_each(3);
    VtuField speed{"speed", 3, {}, false};
    VtuField id{"id \"&<>", 1, {}, true};
    for (int i = 0; i < 36; ++i) speed.values.push_back(std::sqrt(i) - 3);
    for (int i = 0; i < 9; ++i) id.values.push_back(i - 4);
    for (const bool compress : {false, true}) {
        write_vtu(folder.path("a.vtu"), mesh, {speed}, {id}, compress);
        const std::string file = slurp(folder.path("a.vtu"));
        CHECK(file.find("NumberOfPoints=\"12\" NumberOfCells=\"9\"") != std::string::npos);
        const auto arrays = vtu_arrays(file);
        REQUIRE(arrays.size() == 6);
        std::vector<double> positions;
        for (const Vec3& p : mesh.vertices) positions.insert(positions.end(), {p.x(), p.y(), p.z()});
        CHECK(as<double>(arrays.at("Points")) == positions);
        CHECK(as<std::int64_t>(arrays.at("connectivity")) ==
              std::vector<std::int64_t>{0, 1, 2, 3, 1, 2, 3, 4, 0, 1, 2, 5, 6, 7, 0, 4, 6, 7, 8, 9, 8, 11, 10});
        CHECK(as<std::int64_t>(arrays.at("offsets")) == std::vector<std::int64_t>{4, 8, 11, 14, 17, 19, 21, 22, 23});
        CHECK(as<std::uint8_t>(arrays.at("types")) == std::vector<std::uint8_t>{10, 10, 5, 5, 5, 3, 3, 1, 1});
        CHECK(as<double>(arrays.at("speed")) == speed.values);
        CHECK(as<std::int64_t>(arrays.at("id &quot;&amp;&lt;&gt;")) ==
              std::vector<std::int64_t>{-4, -3, -2, -1, 0, 1, 2, 3, 4});
    }
    speed.values.pop_back();
    CHECK_THROWS_AS(write_vtu(folder.path("a.vtu"), mesh, {speed}), InternalError);
}

TEST_CASE("VTU: second-order tets are cells of type 24, with the mid nodes of edges 01, 12, 20, 03, 13 and 23") {
    const test::Folder folder;
    Mesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    add_mid_nodes(mesh);
    std::swap(mesh.vertices[4], mesh.vertices[9]);  // so that not all numbers rise
    std::swap(mesh.mid_nodes[0][0], mesh.mid_nodes[0][5]);
    mesh.triangles = {{0, 2, 1}};
    write_mesh(folder.path("a.vtu"), mesh);
    const auto arrays = vtu_arrays(slurp(folder.path("a.vtu")));
    CHECK(as<std::uint8_t>(arrays.at("types")) == std::vector<std::uint8_t>{24, 5});
    CHECK(as<std::int64_t>(arrays.at("offsets")) == std::vector<std::int64_t>{10, 13});
    const auto nodes = as<std::int64_t>(arrays.at("connectivity"));
    CHECK(nodes == std::vector<std::int64_t>{0, 1, 2, 3, 9, 5, 6, 7, 8, 4, 0, 2, 1});
    const auto positions = as<double>(arrays.at("Points"));
    constexpr int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (std::size_t k = 0; k < 6; ++k) {
        const auto position = [&](int node) {
            return Vec3(positions.data() + 3 * nodes[static_cast<std::size_t>(node)]);
        };
        CHECK(position(static_cast<int>(k) + 4) == Vec3(0.5 * (position(ends[k][0]) + position(ends[k][1]))));
    }
}

TEST_CASE("compressed VTU arrays of several blocks") {
    const test::Folder folder;
    Mesh mesh;
    const unsigned seed = 11;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < 100000; ++i) mesh.vertices.emplace_back(uniform(random), uniform(random), uniform(random));
    for (Index i = 0; i < 100000; ++i) mesh.points.push_back(i);
    write_vtu(folder.path("a.vtu"), mesh, {}, {}, true);
    const auto arrays = vtu_arrays(slurp(folder.path("a.vtu")));
    CHECK(arrays.at("Points").size() == 2400000);
    CHECK(std::memcmp(arrays.at("Points").data(), mesh.vertices.data(), 2400000) == 0);
    CHECK(as<std::int64_t>(arrays.at("connectivity"))[99999] == 99999);
}

TEST_CASE("PVD lists times and files") {
    const test::Folder folder;
    write_pvd(folder.path("a.pvd"), {{0, "frames/0.vtu"}, {0.1, "frames/a&b.vtu"}});
    const std::string file = slurp(folder.path("a.pvd"));
    CHECK(file.find("<DataSet timestep=\"0\" part=\"0\" file=\"frames/0.vtu\"/>") != std::string::npos);
    CHECK(file.find("<DataSet timestep=\"0.1\" part=\"0\" file=\"frames/a&amp;b.vtu\"/>") != std::string::npos);
}

TEST_CASE("a path that cannot be written is an InputError naming it, and an old file survives") {
    const test::Folder folder;
    const Mesh box = generate_box({1, 1, 1}, {4, 4, 4});
    const auto message = [&](const std::filesystem::path& path) -> std::string {
        try {
            write_mesh(path, box);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message(folder.path("no/such/folder.msh"))
              .find("no/such/folder.msh: No such file or directory: expected a path that can be written") !=
          std::string::npos);
    std::filesystem::create_directories(folder.path("b.obj"));
    CHECK(message(folder.path("b.obj")).find("not a regular file") != std::string::npos);
    CHECK(message(folder.path("a.xyz")).find("extension .xyz: expected one of .msh, .vtu, .obj, .ply") !=
          std::string::npos);

    // a full disk, played by a limit on the size of files
    const auto old = folder.write("a.vtu", "old contents");
    rlimit limit{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlimit small{1000, limit.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const std::string full = message(old);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    std::signal(SIGXFSZ, handler);
    CHECK(full == old.string() + ": File too large: expected a path that can be written");
    CHECK(slurp(old) == "old contents");
    CHECK(folder.entries() == 2);  // a.vtu and b.obj: the temporary file is gone
}
