// Volumes and moments of curved tets against closed forms.
#include "stiction/mesh/curved_volume.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/moments.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

Mesh unit_tet() {
    Mesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    add_mid_nodes(mesh);
    return mesh;
}

using Polynomial = std::vector<double>;  // coefficients of 1, x, x^2, ...

Polynomial product(const Polynomial& a, const Polynomial& b) {
    Polynomial result(a.size() + b.size() - 1, 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
    return result;
}

/// Integral of p(x) q(y) r(z) over the unit tet: of x^i y^j z^k it is i! j! k! / (i + j + k + 3)!.
double integral(const Polynomial& p, const Polynomial& q, const Polynomial& r) {
    const auto factorial = [](std::size_t n) { return std::tgamma(static_cast<double>(n) + 1.0); };
    double sum = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j)
            for (std::size_t k = 0; k < r.size(); ++k)
                sum += p[i] * q[j] * r[k] * factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
    return sum;
}

/// Moves every vertex but the corners at random, by up to `most` in each direction.
void curve(Mesh& mesh, std::size_t corners, double most, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-most, most);
    for (std::size_t v = corners; v < mesh.vertices.size(); ++v)
        for (int k = 0; k < 3; ++k) mesh.vertices[v][k] += uniform(random);
}

}  // namespace

TEST_CASE("curved tet: a mid node of edge 23 moved by d gives the volume (1 + d_y + d_z) / 6") {
    // The map is X + 4 y z d, so det J = 1 + 4 (z d_y + y d_z), and y and z have the integral 1/24.
    Mesh mesh = unit_tet();
    const Vec3 d(0.3, 0.2, 0.1);
    mesh.vertices[at(mesh.mid_nodes[0][5])] += d;
    CHECK(tets_volume(mesh) == relative((1.0 + d.y() + d.z()) / 6.0, 1e-14));
    CHECK(moments_of_tets(mesh).volume == relative((1.0 + d.y() + d.z()) / 6.0, 1e-14));
    CHECK(curved_by(mesh) == relative(d.norm(), 1e-14));
    const MeshInfo info = inspect(mesh);
    CHECK(info.volume == relative((1.0 + d.y() + d.z()) / 6.0, 1e-14));
    CHECK(info.mid_nodes == 6);
    CHECK(info.sound());
    CHECK(to_text(info).find("second order          6 mid nodes, curved by up to 0.374166 m\n") != std::string::npos);
    CHECK(to_text(inspect(unit_tet())).find("second order          6 mid nodes, straight\n") != std::string::npos);
}

TEST_CASE("curved tet: volume and moments of one that is stretched along each axis by a quadratic") {
    // X_k -> X_k + s_k X_k^2 is quadratic, so the ten nodes say it exactly; det J = prod (1 + 2 s_k X_k) has all
    // degrees up to three, and every integral is a sum of those of monomials.
    Mesh mesh = unit_tet();
    const Vec3 s(0.4, -0.3, 0.25);
    for (Vec3& x : mesh.vertices) x += s.cwiseProduct(x.cwiseAbs2());
    std::array<Polynomial, 3> place, slope;
    for (std::size_t k = 0; k < 3; ++k) {
        place[k] = {0.0, 1.0, s[static_cast<int>(k)]};
        slope[k] = {1.0, 2.0 * s[static_cast<int>(k)]};
    }
    const auto moment = [&](int i, int j) {  // of X_i X_j; -1 for the factor 1
        std::array<Polynomial, 3> factors = slope;
        for (const int k : {i, j})
            if (k >= 0)
                factors[static_cast<std::size_t>(k)] =
                    product(factors[static_cast<std::size_t>(k)], place[static_cast<std::size_t>(k)]);
        return integral(factors[0], factors[1], factors[2]);
    };
    const double volume = moment(-1, -1);
    CHECK(tets_volume(mesh) == relative(volume, 1e-14));
    const VolumeMoments moments = moments_of_tets(mesh);
    CHECK(moments.volume == relative(volume, 1e-14));
    for (int i = 0; i < 3; ++i) {
        CHECK(moments.centroid[i] == relative(moment(i, -1) / volume, 1e-13));
        for (int j = 0; j < 3; ++j) {
            const double second = moment(i, j) - moment(i, -1) * moment(j, -1) / volume;
            CHECK(std::abs(moments.second(i, j) - second) < 1e-13 * moments.second.norm());
        }
    }
}

TEST_CASE("curved tets: the volume is what the curved boundary encloses, also far from the origin and turned over") {
    const unsigned seed = 5;
    INFO("seed " << seed);
    Mesh mesh = generate_box({1, 1, 1}, {3, 2, 2});
    const std::size_t corners = mesh.vertices.size();
    add_mid_nodes(mesh);
    curve(mesh, corners, 0.02, seed);
    const double volume = tets_volume(mesh);
    CHECK(enclosed_volume(mesh.vertices, curved_boundary(mesh)) == relative(volume, 1e-13));
    CHECK(std::abs(volume - 1.0) > 1e-4);  // curved enough for the test to tell
    CHECK(std::abs(volume - 1.0) < 0.2);
    CHECK(moments_of_tets(mesh).volume == relative(volume, 1e-13));
    for (Vec3& x : mesh.vertices) x += Vec3(1000, -500, 200);
    CHECK(tets_volume(mesh) == relative(volume, 1e-11));
    for (Vec3& x : mesh.vertices) x.x() = -x.x();
    CHECK(tets_volume(mesh) == relative(-volume, 1e-11));
    CHECK(inspect(mesh).inverted_tets == mesh.tets.size());
    CHECK(orient_tets(mesh) == mesh.tets.size());
    CHECK(tets_volume(mesh) == relative(volume, 1e-11));
}

TEST_CASE("straight tets of second order have the volume and moments of linear ones") {
    Mesh mesh = generate_box({1, 2, 0.5}, {2, 2, 1});
    const VolumeMoments linear = moments_of_tets(mesh);
    add_mid_nodes(mesh);
    const VolumeMoments second_order = moments_of_tets(mesh);
    CHECK(tets_volume(mesh) == relative(1.0, 1e-14));
    CHECK(second_order.volume == relative(linear.volume, 1e-14));
    CHECK((second_order.centroid - linear.centroid).norm() < 1e-14);
    CHECK((second_order.second - linear.second).norm() < 1e-13 * linear.second.norm());
}
