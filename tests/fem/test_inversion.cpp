#include "stiction/base/parallel.hpp"
#include "stiction/fem/inversion.hpp"

#include "fem/small_mesh.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

/// Smallest det(Ds + t Dp) / det(Ds) over elements, in extended precision.
double smallest_volume_ratio(const TetElements& elements, const VecX& x, const VecX& p, double t) {
    using Long3 = Eigen::Matrix<long double, 3, 3>;
    double ratio = std::numeric_limits<double>::infinity();
    for (const Tet& tet : elements.vertices) {
        const Long3 Ds = edge_matrix(tet, x).cast<long double>(), Dp = edge_matrix(tet, p).cast<long double>();
        ratio = std::min(ratio,
                         static_cast<double>((Ds + static_cast<long double>(t) * Dp).determinant() / Ds.determinant()));
    }
    return ratio;
}

}  // namespace

TEST_CASE("inversion bound: dense sampling and tightness") {
    constexpr unsigned seed = 51;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX rest = stacked(mesh.rest);
    int limited = 0, free_steps = 0;
    for (int n = 0; n < 60; ++n) {
        const VecX x = rest + random_vector(rest.size(), 0.05, generator);
        const double amplitude = std::pow(10.0, -2.0 + 6.0 * n / 60.0);
        const VecX p = random_vector(rest.size(), amplitude, generator);
        const double bound = inversion_step_bound(elements, x, p);
        CAPTURE(n);
        CAPTURE(bound);
        CHECK(bound > 0.0);
        CHECK(bound <= 1.0);
        for (int k = 1; k <= 200; ++k)
            CHECK(smallest_volume_ratio(elements, x, p, bound * k / 200.0) >= 0.2 * (1.0 - 1e-12));
        if (bound < 1.0) {
            ++limited;
            CHECK(smallest_volume_ratio(elements, x, p, bound) < 0.2 * (1.0 + 1e-9));
        } else {
            ++free_steps;
        }
        CHECK(smallest_volume_ratio(elements, x, p, inversion_step_bound(elements, x, p, 0.9)) >= 0.9 * (1.0 - 1e-12));
    }
    CHECK(limited > 20);
    CHECK(free_steps > 5);
}

TEST_CASE("inversion bound: known answers") {
    std::mt19937_64 generator(52);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX rest = stacked(mesh.rest);
    // Collapse toward the origin: ratio (1 - t)^3 = 0.2.
    CHECK(inversion_step_bound(elements, rest, -rest) == relative(1.0 - std::cbrt(0.2), 1e-13));
    // Flattening in y at twice the speed: 1 - 2 t = 0.2.
    CHECK(inversion_step_bound(elements, rest, mapped(rest, Vec3(0, -2, 0).asDiagonal().toDenseMatrix())) ==
          relative(0.4, 1e-13));
    // Translations, growth and shear do not invert.
    CHECK(inversion_step_bound(elements, rest, VecX::Constant(rest.size(), 1e8)) == 1.0);
    CHECK(inversion_step_bound(elements, rest, 100.0 * rest) == 1.0);
    Mat3 shear = Mat3::Zero();
    shear(0, 1) = 50.0;
    CHECK(inversion_step_bound(elements, rest, mapped(rest, shear)) == 1.0);
    CHECK(inversion_step_bound(elements, rest, VecX::Zero(rest.size())) == 1.0);
    // Half a turn along straight lines passes through a flat state: (1 - 2 t)^2 = 0.2.
    const Mat3 half_turn = Vec3(-2, -2, 0).asDiagonal();
    CHECK(inversion_step_bound(elements, rest, mapped(rest, half_turn)) ==
          relative(0.5 * (1.0 - std::sqrt(0.2)), 1e-13));
    // Infeasible starts.
    CHECK(inversion_step_bound(elements, mapped(rest, Vec3(1, 1, -1).asDiagonal().toDenseMatrix()), rest) == 0.0);
    VecX broken = rest;
    broken[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK(inversion_step_bound(elements, rest, broken) == 0.0);
}

TEST_CASE("inversion bound: double root") {
    // (1 - t)^2 type contact with the level: det ratio touches 0.2 and turns. diag(1 - a t, 1 + b t, 1) chosen so that
    // (1 - a t)(1 + b t) has its minimum elsewhere; use opposite stretches whose product touches from above.
    TetElements one;
    append_tets(one, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, lame_parameters(1.0, 0.3));
    const VecX x = stacked({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    // Rotation-like step in a plane: Dp = w [[-c, -1], [1, -c]] gives (1 - w c t)^2 + w^2 t^2, minimum 1 / (1 + c^2).
    for (const double excess : {-1e-6, -1e-12, 0.0, 1e-12, 1e-6}) {
        const double c = std::sqrt(1.0 / (0.2 * (1.0 + excess)) - 1.0), w = 1.5;
        Mat3 A = Mat3::Zero();
        A << -w * c, -w, 0, w, -w * c, 0, 0, 0, 0;
        const double minimum_at = c / (w * (1.0 + c * c));
        const double bound = inversion_step_bound(one, x, mapped(x, A));
        CAPTURE(excess);
        REQUIRE(minimum_at < 1.0);
        if (excess >= 1e-12) {
            CHECK(bound == 1.0);
        } else if (excess < 0.0) {
            CHECK(bound < minimum_at);
            CHECK(bound > 0.99 * minimum_at);
        } else {
            CHECK((bound == 1.0 || bound > 0.99 * minimum_at));
        }
        for (int k = 1; k <= 1000; ++k)
            CHECK(smallest_volume_ratio(one, x, mapped(x, A), bound * k / 1000.0) >= 0.2 * (1.0 - 1e-11));
    }
}

TEST_CASE("inversion bound does not depend on units, and near-flat starts still move") {
    constexpr unsigned seed = 53;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX rest = stacked(mesh.rest);
    for (int n = 0; n < 20; ++n) {
        const VecX x = rest + random_vector(rest.size(), 0.05, generator),
                   p = random_vector(rest.size(), 2.0, generator);
        const double bound = inversion_step_bound(elements, x, p);
        CHECK(bound < 1.0);
        for (const double scale : {1e-6, 1e6}) {
            CHECK(inversion_step_bound(elements, scale * x, scale * p) == relative(bound, 1e-11));
        }
        for (const double scale : {0x1p-20, 0x1p20})
            CHECK(inversion_step_bound(elements, scale * x, scale * p) == bound);  // exact
    }
    for (const double flatness : {1e-3, 1e-6, 1e-9}) {
        const VecX x = mapped(rest, Vec3(1, flatness, 1).asDiagonal().toDenseMatrix());
        const VecX p = random_vector(rest.size(), 1.0, generator);
        const double bound = inversion_step_bound(elements, x, p);
        CHECK(bound > 0.01 * flatness);
        CHECK(smallest_volume_ratio(elements, x, p, bound) > 0.2 * (1.0 - 1e-4));
    }
}

TEST_CASE("inversion bound: same bits for any number of threads") {
    std::mt19937_64 generator(54);
    const SmallMesh mesh = irregular_block(5, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX x = stacked(mesh.rest), p = random_vector(x.size(), 0.3, generator);
    set_thread_count(1);
    const double serial = inversion_step_bound(elements, x, p);
    set_thread_count(3);
    CHECK(inversion_step_bound(elements, x, p) == serial);
    set_thread_count(0);
}
