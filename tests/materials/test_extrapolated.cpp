#include "stiction/materials/extrapolated.hpp"
#include "stiction/materials/isotropic.hpp"
#include "stiction/math/derivative_check.hpp"

#include "materials/random_deformation.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

namespace {

const LameParameters lame = lame_parameters(2e5, 0.3);
const NeoHookean<double> plain = NeoHookean<double>::from_lame(lame);

Extrapolated<NeoHookean> continued(double volume_ratio) {
    return Extrapolated<NeoHookean>::from_lame(lame, volume_ratio);
}

/// Stretches as signed_svd() orders them, from 0 to `largest`, half of them inverted.
Vec3 random_stretches(std::mt19937_64& generator, double largest) {
    std::uniform_real_distribution<double> uniform(0.0, largest);
    Vec3 s(uniform(generator), uniform(generator), uniform(generator));
    std::sort(s.data(), s.data() + 3, std::greater<>());
    if (generator() % 2 == 0) s[2] = -s[2];
    return s;
}

bool keeps_law(const Vec3& s, double volume_ratio) {
    return s.minCoeff() > 0.0 && s.prod() >= volume_ratio;
}

}  // namespace

TEST_CASE("every ray from the undeformed state leaves the region of the law once at most") {
    constexpr unsigned seed = 41;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    int outside = 0;
    for (int n = 0; n < 3000; ++n) {
        const double volume_ratio = std::array{0.7, 0.2, 0.999, 1e-3}[static_cast<std::size_t>(n) % 4];
        const Vec3 d = 2.0 * Vec3(normal(generator), normal(generator),
                                  normal(generator));  // any signs: the ray is there for all stretches
        if (keeps_law(Vec3::Ones() + d, volume_ratio)) {
            for (int k = 0; k <= 200; ++k) CHECK(keeps_law(Vec3::Ones() + k / 200.0 * d, volume_ratio));
            continue;
        }
        ++outside;
        const double exit = ray_exit(d, volume_ratio);
        CHECK(exit > 0.0);
        CHECK(exit < 1.0);
        CHECK((Vec3::Ones() + exit * d).prod() == relative(volume_ratio, 1e-10));
        for (int k = 0; k <= 300; ++k) {
            const double t = 1.5 * k / 300.0;
            if (std::abs(t - exit) > 1e-9) CHECK(keeps_law(Vec3::Ones() + t * d, volume_ratio) == (t < exit));
        }
    }
    CHECK(outside > 1000);
}

TEST_CASE("the exit of a ray in closed form, and of rays of any length") {
    CHECK(ray_exit(Vec3(-1, -1, -1), 0.125) == relative(0.5, 1e-15));
    CHECK(ray_exit(Vec3(0, 0, -1.7), 0.7) == relative(0.3 / 1.7, 1e-15));
    CHECK(ray_exit(Vec3(0, -3, -3), 0.81) == relative(0.1 / 3, 1e-14));
    for (double size = 1.0; size < 1e12; size *= 7.0) {
        for (const Vec3& direction : {Vec3(1, 1, -1), Vec3(1, 0.5, -0.9), Vec3(1, -1e-3, -1), Vec3(0, 0, -1)}) {
            const Vec3 d = size * direction, q = Vec3::Ones() + ray_exit(d, 0.7) * d;
            CHECK(keeps_law(q, 0.7));
            CHECK(keeps_law(Vec3::Ones() + (1.0 + 1e-6) * ray_exit(d, 0.7) * d, 0.7) == false);
        }
    }
}

TEST_CASE("the law itself above the volume ratio, to the bit") {
    constexpr unsigned seed = 42;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    int count = 0;
    for (int n = 0; n < 2000; ++n) {
        const Vec3 s = random_stretches(generator, 2.0);
        if (!keeps_law(s, 0.7)) continue;
        ++count;
        const auto law = continued(0.7);
        CHECK(law.value(s) == plain.value(s));
        CHECK(law.gradient(s) == plain.gradient(s));
        CHECK(law.hessian(s) == plain.hessian(s));
        CHECK(law.flip(s, 0, 1) == plain.flip(s, 0, 1));
        CHECK(law.twist(s, 1, 2) == plain.twist(s, 1, 2));
        const Mat3 F = s.asDiagonal();
        if (F.determinant() >= 0.7) CHECK(law.stress(F) == plain.stress(F));
    }
    CHECK(count > 200);
}

TEST_CASE(
    "value, stress and second derivatives are continuous where the law is left, and the energy is C1 everywhere") {
    constexpr unsigned seed = 43;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    for (const double volume_ratio : {0.7, 0.3, 0.95}) {
        const auto law = continued(volume_ratio);
        for (int n = 0; n < 300; ++n) {
            const Vec3 s = random_stretches(generator, 1.8);
            if (keeps_law(s, volume_ratio)) continue;
            const Vec3 d = s - Vec3::Ones(), q = Vec3::Ones() + ray_exit(d, volume_ratio) * d;
            // Both sides of the limit, on a ray that is not the one through q's own preimages.
            const Vec3 across = Vec3(normal(generator), normal(generator), normal(generator)).normalized();
            const Vec3 normal_in = q.cwiseInverse();
            const Vec3 inwards = across.dot(normal_in) > 0.0 ? across : Vec3(-across);
            const double step = 1e-8 * q.minCoeff();
            const Vec3 inside = q + step * inwards, outside = q - step * inwards;
            if (!keeps_law(inside, volume_ratio) || keeps_law(outside, volume_ratio))
                continue;  // `across` lies in the limit
            const double stiffness = plain.hessian(q).norm();
            CHECK(std::abs(law.value(outside) - plain.value(inside)) <=
                  3.0 * step * plain.gradient(q).norm() + 1e-13 * plain.value(q));
            CHECK((law.gradient(outside) - plain.gradient(inside)).norm() <= 3.0 * step * stiffness);
            CHECK((law.hessian(outside) - plain.hessian(inside)).norm() <= 1e-5 * stiffness);
        }
        // A jump of the stress anywhere would be a difference that does not shrink with the distance.
        double steepest = 0.0;
        for (int n = 0; n < 2000; ++n) {
            const Vec3 s = random_stretches(generator, 2.0);
            const Vec3 change = 1e-7 * Vec3(normal(generator), normal(generator), normal(generator));
            steepest = std::max(steepest, (law.gradient(s + change) - law.gradient(s)).norm() /
                                              (change.norm() * (1.0 + law.hessian(s).norm())));
        }
        CHECK(steepest < 1.01);
    }
}

TEST_CASE("along a ray the energy goes on as its Taylor polynomial of second order") {
    const auto law = continued(0.7);
    for (const Vec3& d : {Vec3(0.4, -0.2, -0.9), Vec3(0, 0, -1.3), Vec3(-0.5, -0.6, -0.7), Vec3(2, -0.5, -1.2)}) {
        const double exit = ray_exit(d, 0.7);
        const Vec3 q = Vec3::Ones() + exit * d;
        for (const double t : {exit + 1e-3, 0.8, 1.0, 1.7}) {
            const double rest = t - exit;
            if (rest < 0.0) continue;
            CHECK(law.value(Vec3::Ones() + t * d) == relative(plain.value(q) + rest * plain.gradient(q).dot(d) +
                                                                  0.5 * rest * rest * d.dot(plain.hessian(q) * d),
                                                              1e-12));
            CHECK(law.gradient(Vec3::Ones() + t * d).dot(d) ==
                  relative(plain.gradient(q).dot(d) + rest * d.dot(plain.hessian(q) * d), 1e-12));
        }
    }
}

TEST_CASE("extrapolated: derivatives of compressed and inverted deformations, unprojected") {
    constexpr unsigned seed = 44;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    int checked = 0;
    for (const double volume_ratio : {0.7, 0.3, 0.95}) {
        const auto law = continued(volume_ratio);
        for (int n = 0; n < 150; ++n) {
            const Vec3 s = random_stretches(generator, 1.5);
            if (keeps_law(s, 1.2 * volume_ratio) || s[1] + s[2] < 0.1) continue;  // the stress jumps where the sum is 0
            ++checked;
            const Mat3 F = testing::random_rotation(generator) * s.asDiagonal() * testing::random_rotation(generator);
            const auto matrix = [](const VecX& f) -> Mat3 { return Eigen::Map<const Mat3>(f.data()); };
            const DerivativeCheck check = check_derivatives(
                [&](const VecX& f) { return energy_density(law, matrix(f)); },
                [&](const VecX& f) -> VecX {
                    const Mat3 P = first_piola(law, matrix(f));
                    return Eigen::Map<const Vec9>(P.data());
                },
                [&](const VecX& f) -> Eigen::MatrixXd { return expand(principal_hessian(law, matrix(f))); },
                Eigen::Map<const Vec9>(F.data()), 0.03);
            CHECK(check.gradient_error < 5e-8);
            CHECK(check.hessian_error < 5e-8);
            CHECK(check.hessian_asymmetry < 1e-14);
        }
        // Coincident stretches: the flip is the limit of the quotient.
        for (const Vec3& s : {Vec3(0.6, 0.6, 0.4), Vec3(0.5, 0.5, 0.5), Vec3(1.2, 0.2, 0.2), Vec3(0.9, 0.9, -0.3)}) {
            for (int i = 0; i < 2; ++i) {
                if (s[i] == s[i + 1])
                    CHECK(law.flip(s, i, i + 1) == relative(law.hessian(s)(i, i) - law.hessian(s)(i, i + 1), 1e-11));
            }
        }
    }
    CHECK(checked > 150);
}

TEST_CASE("extrapolated: finite for every deformation, and the energy grows along every ray") {
    constexpr unsigned seed = 45;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    const auto law = continued(0.7);
    for (int n = 0; n < 1000; ++n) {
        const double size = std::pow(10.0, 3.0 * normal(generator));
        const Mat3 F = size * testing::random_matrix(generator);
        CHECK(std::isfinite(energy_density(law, F)));
        CHECK(first_piola(law, F).allFinite());
        CHECK(expand(principal_hessian(law, F)).allFinite());
    }
    for (const Mat3& F : {Mat3(Mat3::Zero()), Mat3(-Mat3::Identity()), Mat3(Vec3(1, 0, 0).asDiagonal()),
                          Mat3(Vec3(1, 1, -1).asDiagonal()), Mat3(Vec3(2, 0.5, -0.5).asDiagonal())}) {
        CHECK(std::isfinite(energy_density(law, F)));
        CHECK(first_piola(law, F).allFinite());
        CHECK(expand(principal_hessian(law, F)).allFinite());
    }
    for (int n = 0; n < 200; ++n) {
        const Vec3 d = random_stretches(generator, 2.0) - Vec3::Ones();
        double last = 0.0;
        for (double t = 0.01; t < 3.0; t *= 1.2) {
            const double energy = law.value(Vec3::Ones() + t * d);
            CHECK(energy > last);
            last = energy;
        }
    }
}

TEST_CASE("which laws and volume ratios can be extrapolated") {
    CHECK_FALSE(check_extrapolation(MaterialLaw::neo_hookean, 0.7).has_value());
    CHECK_FALSE(check_extrapolation(MaterialLaw::neo_hookean, smallest_extrapolation).has_value());
    for (const double ratio : {1.0, 1.5, -0.1, 1e-4, std::numeric_limits<double>::quiet_NaN()})
        CHECK(check_extrapolation(MaterialLaw::neo_hookean, ratio).has_value());
    for (const MaterialLaw law : objective_laws) CHECK(check_extrapolation(law, 0.7).has_value() == is_invertible(law));
    CHECK_THROWS_AS(visit_law(MaterialLaw::arap, 0.7, [](const auto&) {}), InternalError);
}
