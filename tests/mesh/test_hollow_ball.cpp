// The hollow ball, and telling its cavity from its outside.
#include "stiction/base/error.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

const double pi = std::acos(-1.0);

/// Appends b, moved.
void append(Mesh& a, const Mesh& b, const Vec3& shift) {
    const auto offset = static_cast<Index>(a.vertices.size());
    for (const Vec3& v : b.vertices) a.vertices.push_back(v + shift);
    for (Tet tet : b.tets) {
        for (Index& v : tet) v += offset;
        a.tets.push_back(tet);
    }
}

}  // namespace

TEST_CASE("hollow ball: sound, both walls on their spheres, volume converging at second order") {
    const double outer = 0.5, thickness = 0.1, inner = outer - thickness;
    const double exact = 4 * pi / 3 * (std::pow(outer, 3) - std::pow(inner, 3));
    struct Case {
        int divisions, layers;
        double least_angle;
    };
    double last_error = 0;
    int last_divisions = 0;
    for (const Case& c : {Case{1, 1, 5}, Case{4, 1, 20}, Case{8, 2, 20}, Case{16, 3, 20}}) {
        const Mesh mesh = generate_hollow_ball(outer, thickness, c.divisions, c.layers);
        const MeshInfo info = inspect(mesh);
        MESSAGE("hollow ball " << c.divisions << " x " << c.layers << ": " << info.vertices << " vertices, "
                               << info.tets << " tets, min dihedral " << info.min_dihedral << ", volume error "
                               << 1 - info.volume / exact);
        const auto n = static_cast<std::size_t>(c.divisions), m = static_cast<std::size_t>(c.layers);
        CHECK(info.vertices == (10 * n * n + 2) * (m + 1));
        CHECK(info.tets == 60 * n * n * m);
        CHECK(info.sound());
        CHECK(info.watertight);
        CHECK(info.misoriented_edges == 0);
        CHECK(info.nonmanifold_edges == 0);
        CHECK(info.components == 1);
        CHECK(info.used_vertices == info.vertices);
        CHECK(info.duplicate_vertices == 0);
        CHECK(info.min_dihedral > c.least_angle);
        CHECK(info.surface_vertices + info.surface_triangles == info.surface_edges + 4);  // two spheres
        CHECK(folded_tets(mesh.tets) == std::pair<Index, Index>(-1, -1));
        CHECK(enclosed_volume(mesh.vertices, boundary_triangles(mesh.tets)) == relative(info.volume, 1e-12));
        for (std::size_t v = 0; v < 10 * n * n + 2; ++v) {
            CHECK(mesh.vertices[v].norm() == relative(inner, 5e-16));
            CHECK(mesh.vertices[mesh.vertices.size() - 1 - v].norm() == relative(outer, 5e-16));
        }
        const double error = 1 - info.volume / exact;
        CHECK(error > 0);
        if (last_divisions >= 4) {  // an icosahedron is too far from a ball to tell an order
            CHECK(std::log(last_error / error) / std::log(static_cast<double>(c.divisions) / last_divisions) > 1.95);
        }
        last_error = error;
        last_divisions = c.divisions;
    }
}

TEST_CASE("hollow ball is point-symmetric: vertices to the bit, and tets") {
    for (const auto& [divisions, layers] : {std::pair{1, 1}, std::pair{5, 2}, std::pair{6, 3}}) {
        const Mesh mesh = generate_hollow_ball(1.0, 0.3, divisions, layers);
        std::map<std::array<double, 3>, Index> index;
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            const Vec3& p = mesh.vertices[v];
            index[{p.x() + 0.0, p.y() + 0.0, p.z() + 0.0}] = static_cast<Index>(v);
        }
        REQUIRE(index.size() == mesh.vertices.size());
        std::vector<Index> opposite;
        for (const Vec3& p : mesh.vertices) {
            const auto found = index.find({0.0 - p.x(), 0.0 - p.y(), 0.0 - p.z()});
            REQUIRE(found != index.end());
            opposite.push_back(found->second);
        }
        std::set<Tet> tets;
        for (Tet tet : mesh.tets) {
            std::sort(tet.begin(), tet.end());
            tets.insert(tet);
        }
        CHECK(tets.size() == mesh.tets.size());
        std::size_t mirrored = 0;
        for (Tet tet : tets) {
            for (Index& v : tet) v = opposite[static_cast<std::size_t>(v)];
            std::sort(tet.begin(), tet.end());
            mirrored += tets.count(tet);
        }
        CHECK(mirrored == tets.size());
    }
}

TEST_CASE("hollow ball: number of tets, thin walls, bad arguments") {
    CHECK(generate_hollow_ball(0.0335, 0.003, 30).tets.size() == 54000);
    const Mesh thin = generate_hollow_ball(1.0, 1e-3, 3);
    CHECK(inspect(thin).sound());
    const Mesh thick = generate_hollow_ball(1.0, 0.999, 3, 6);
    CHECK(inspect(thick).sound());

    const auto error = [](double radius, double thickness, int divisions, int layers) -> std::string {
        try {
            generate_hollow_ball(radius, thickness, divisions, layers);
        } catch (const InputError& e) {
            return e.what();
        }
        return "";
    };
    CHECK(error(-1, 0.1, 3, 1).rfind("outer_radius: ", 0) == 0);
    CHECK(error(1, 0, 3, 1).rfind("thickness: ", 0) == 0);
    CHECK(error(1, 1, 3, 1).rfind("thickness: 1: expected less than the outer radius", 0) == 0);
    CHECK(error(1, std::nan(""), 3, 1).rfind("thickness: ", 0) == 0);
    CHECK(error(1, 0.1, 0, 1).rfind("divisions: ", 0) == 0);
    CHECK(error(1, 0.1, 3, 0).rfind("layers: ", 0) == 0);
    CHECK(error(1, 0.1, 2000, 1).rfind("divisions: ", 0) == 0);
}

TEST_CASE("the surface of a hollow ball is an outer wall and one cavity") {
    const Mesh mesh = generate_hollow_ball(1.0, 0.25, 6, 2);
    const std::vector<Triangle> triangles = boundary_triangles(mesh.tets);
    const SurfaceComponents surface = split_surface(mesh.vertices, triangles);
    REQUIRE(surface.components.size() == 2);
    REQUIRE(surface.cavities.size() == 1);
    const SurfaceComponent& outer = surface.components[static_cast<std::size_t>(surface.outer)];
    const SurfaceComponent& inner = surface.components[static_cast<std::size_t>(surface.cavities[0])];
    CHECK(outer.closed);
    CHECK(inner.closed);
    CHECK(outer.triangles.size() == 720);
    CHECK(inner.triangles.size() == 720);
    CHECK(inner.volume == relative(-0.75 * 0.75 * 0.75 * outer.volume, 1e-13));
    CHECK(outer.volume + inner.volume == relative(inspect(mesh).volume, 1e-13));
    for (const Triangle& t : component_triangles(triangles, inner)) {
        for (const Index v : t) CHECK(mesh.vertices[static_cast<std::size_t>(v)].norm() < 0.76);
    }
    const auto walls = cavity_walls(mesh);
    REQUIRE(walls.size() == 1);
    CHECK(walls[0] == component_triangles(triangles, inner));
    CHECK(enclosed_volume(mesh.vertices, turned_over(walls[0])) == relative(-inner.volume, 1e-14));
    CHECK(cavity_walls(generate_ball(1.0, 3)).empty());

    // seen inside out, the walls keep their roles
    const SurfaceComponents inside_out = split_surface(mesh.vertices, turned_over(triangles));
    CHECK(inside_out.outer == surface.outer);
    CHECK(inside_out.cavities == surface.cavities);
}

TEST_CASE("two hollow balls and a solid one: one outer wall, two cavities, two further pieces") {
    Mesh mesh = generate_hollow_ball(1.0, 0.25, 3);
    append(mesh, generate_ball(0.3, 2), {0, 0, 0});  // inside the cavity of the first
    append(mesh, generate_hollow_ball(1.5, 0.5, 3), {5, 0, 0});
    const SurfaceComponents surface = split_surface(mesh.vertices, boundary_triangles(mesh.tets));
    REQUIRE(surface.components.size() == 5);
    CHECK(surface.components[static_cast<std::size_t>(surface.outer)].volume > 10);
    CHECK(surface.cavities.size() == 2);
    CHECK(cavity_walls(mesh).size() == 2);
    std::size_t triangles = 0, positive = 0;
    for (const SurfaceComponent& component : surface.components) {
        CHECK(component.closed);
        CHECK(std::is_sorted(component.triangles.begin(), component.triangles.end()));
        triangles += component.triangles.size();
        positive += component.volume > 0;
    }
    CHECK(triangles == boundary_triangles(mesh.tets).size());
    CHECK(positive == 3);
}

TEST_CASE("open, misoriented and non-manifold surfaces are told from closed ones") {
    const Mesh ball = generate_ball(1.0, 2, Fill::surface);
    CHECK_FALSE(first_edge_defect(ball.triangles, ClosedBy::manifold).has_value());
    CHECK_FALSE(first_edge_defect({}, ClosedBy::manifold).has_value());

    std::vector<Triangle> open = ball.triangles;
    const Triangle removed = open.back();
    open.pop_back();
    Edge first{1 << 30, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        first = std::min(first,
                         Edge{std::min(removed[i], removed[(i + 1) % 3]), std::max(removed[i], removed[(i + 1) % 3])});
    }
    for (const ClosedBy by : {ClosedBy::manifold, ClosedBy::balance}) {
        const auto defect = first_edge_defect(open, by);
        REQUIRE(defect.has_value());
        CHECK(defect->edge == first);
        CHECK(defect->forward + defect->backward == 1);
    }
    const SurfaceComponents split = split_surface(ball.vertices, open);
    REQUIRE(split.components.size() == 1);
    CHECK_FALSE(split.components[0].closed);
    CHECK(split.components[0].volume == 0.0);
    CHECK(split.outer == -1);
    CHECK(split.cavities.empty());

    std::vector<Triangle> misoriented = ball.triangles;
    std::swap(misoriented[5][0], misoriented[5][1]);
    const auto defect = first_edge_defect(misoriented, ClosedBy::balance);
    REQUIRE(defect.has_value());
    CHECK((defect->forward == 2 || defect->backward == 2));

    // two tets that touch at an edge: balanced, not manifold
    const std::vector<Triangle> touching = boundary_triangles({{0, 1, 2, 3}, {0, 1, 4, 5}});
    CHECK_FALSE(first_edge_defect(touching, ClosedBy::balance).has_value());
    const auto shared = first_edge_defect(touching, ClosedBy::manifold);
    REQUIRE(shared.has_value());
    CHECK(shared->edge == Edge{0, 1});
    CHECK(shared->forward == 2);
    CHECK(shared->backward == 2);
}
