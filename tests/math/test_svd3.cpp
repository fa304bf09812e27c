#include "stiction/math/signed_svds.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace stiction;

namespace {

void check_svd(const Mat3& F, const SignedSvd& svd) {
    const double size = 3.0 * F.cwiseAbs().maxCoeff();  // F.norm() would under- or overflow
    CAPTURE(F);
    CHECK((svd.U.transpose() * svd.U - Mat3::Identity()).norm() < 1e-14);
    CHECK((svd.V.transpose() * svd.V - Mat3::Identity()).norm() < 1e-14);
    CHECK(svd.U.determinant() > 0.0);
    CHECK(svd.V.determinant() > 0.0);
    CHECK((svd.U * svd.s.asDiagonal() * svd.V.transpose() - F).cwiseAbs().maxCoeff() <= 1e-14 * size);
    CHECK(svd.s[0] >= svd.s[1] - 1e-15 * size);
    CHECK(svd.s[1] >= std::abs(svd.s[2]) - 1e-15 * size);
    const Vec3 reference = Eigen::JacobiSVD<Mat3>(F).singularValues();
    CHECK((svd.s.cwiseAbs() - reference).cwiseAbs().maxCoeff() <= 1e-14 * size);
}

void check_svd(const Mat3& F) {
    check_svd(F, signed_svd(F));
    SignedSvd in_registers;
    signed_svds(&F, 1, &in_registers);
    check_svd(F, in_registers);
}

Mat3 random_matrix(std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    Mat3 F;
    for (int i = 0; i < 9; ++i) F.data()[i] = normal(generator);
    return F;
}

}  // namespace

TEST_CASE("signed SVD of random matrices agrees with the library's") {
    constexpr unsigned seed = 71;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (int n = 0; n < 2000; ++n) {
        const Mat3 F = random_matrix(generator);
        check_svd(F);
        CHECK(std::signbit(signed_svd(F).s[2]) == (F.determinant() < 0.0));
    }
}

TEST_CASE("signed SVD of repeated, tiny and vanishing stretches") {
    constexpr unsigned seed = 72;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const std::vector<Vec3> stretches = {{1, 1, 1},
                                         {1, 1, -1},
                                         {2, 1, 1},
                                         {2, 2, 1},
                                         {1, 1e-8, 1e-12},
                                         {1, 1e-8, -1e-8},
                                         {1, 0.5, 0},
                                         {1, 0, 0},
                                         {0, 0, 0},
                                         {1, 1e-300, 0},
                                         {1e150, 1, 1},
                                         {1e-150, 1e-150, 1e-151},
                                         {1e200, 1e200, 1e190},
                                         {1e-200, 1e-201, 1e-202},
                                         {1e-85, 0.7e-85, 0.2e-85},
                                         {1e90, 0.7e90, 0.2e90},
                                         {1e-60, 3.7e-160, 0},
                                         {1, 1 + 1e-13, 1 - 1e-13}};
    for (const Vec3& s : stretches) {
        check_svd(s.asDiagonal().toDenseMatrix());
        for (int n = 0; n < 50; ++n) {
            const Mat3 left = polar_rotation(random_matrix(generator)),
                       right = polar_rotation(random_matrix(generator));
            check_svd(left * s.asDiagonal() * right);
        }
    }
    Mat3 rank_one = Mat3::Zero();
    rank_one.row(1) = Vec3(1, 2, 3);
    check_svd(rank_one);
}

TEST_CASE("small stretches keep relative accuracy when columns differ in size") {
    // F = rotation * diag: one-sided Jacobi resolves each stretch relative to itself.
    const Mat3 R = polar_rotation((Mat3() << 1, 2, 3, -1, 4, 1, 0, 2, -2).finished());
    const Vec3 s(3.0, 1e-9, 1e-14);
    const Vec3 found = signed_svd(R * s.asDiagonal()).s;
    for (int i = 0; i < 3; ++i) CHECK(std::abs(found[i] / s[i] - 1.0) < 1e-14);
}

TEST_CASE("polar rotation maximises the trace and undoes a stretch") {
    constexpr unsigned seed = 73;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (int n = 0; n < 100; ++n) {
        const Mat3 R = polar_rotation(random_matrix(generator));
        const Mat3 A = random_matrix(generator);
        const Mat3 stretch = A * A.transpose() + 0.1 * Mat3::Identity();
        CHECK((polar_rotation(R * stretch) - R).norm() < 1e-12);
        const Mat3 F = random_matrix(generator);
        const double best = (polar_rotation(F).transpose() * F).trace();
        CHECK(best >= (R.transpose() * F).trace() - 1e-14);
    }
}

TEST_CASE("a matrix that is not finite gives NaN stretches") {
    Mat3 F = Mat3::Identity();
    F(1, 2) = std::numeric_limits<double>::infinity();
    CHECK(std::isnan(signed_svd(F).s[0]));
    F(1, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(signed_svd(F).s[2]));
}

TEST_CASE("a decomposition among others has the bits of the one that is alone") {
    constexpr unsigned seed = 74;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::vector<Mat3> all;
    for (int n = 0; n < 300; ++n) {
        Mat3 F = random_matrix(generator);
        if (n % 5 == 1) F = Mat3::Identity() + 1e-3 * F;
        if (n % 11 == 1) F.col(2) = F.col(0);  // rank two
        if (n % 13 == 1) F *= 1e-120;
        if (n % 17 == 1) F.setZero();
        if (n % 19 == 1) F(0, 1) = std::numeric_limits<double>::quiet_NaN();
        if (n % 3 == 2) {  // entries +0, -0, 1 and -1
            for (int i = 0; i < 9; ++i) F.data()[i] = std::copysign(generator() % 3 == 0 ? 1.0 : 0.0, F.data()[i]);
        }
        all.push_back(F);
    }
    for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{18}, all.size()}) {
        std::vector<SignedSvd> found(count);
        signed_svds(all.data(), count, found.data());
        for (std::size_t k = 0; k < count; ++k) {
            CAPTURE(all[k]);
            SignedSvd alone;
            signed_svds(&all[k], 1, &alone);
            CHECK(std::memcmp(&found[k], &alone, sizeof(SignedSvd)) == 0);  // NaN is not equal to itself
            if (!all[k].allFinite()) CHECK(std::isnan(found[k].s[0]));
        }
    }
}
