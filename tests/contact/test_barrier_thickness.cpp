// Barriers of contacts with a thickness, of mollified pairs whose closest points are at their ends, and the weights and
// frames of all kinds of contacts.
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/math/derivative_check.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace stiction;

namespace {

constexpr double dhat = 0.4, s_hat = dhat * dhat;

struct Case {
    const char* name;
    ContactKind kind;
    PairKind pair;
    std::array<int, 4> local;  ///< places of the reduced pair in the stencil
    std::array<Vec3, 4> points;
};

/// Closest points well inside their features; the mollified ones are all pairs that two edges reduce to.
const std::array<Vec3, 4> along{Vec3(-1, 0.2, 0.0), Vec3(1, 0.2, 0.01), Vec3(-1, 0, 0.009), Vec3(1, 0.02, -0.009)};
const std::array cases{
    Case{"point-point",
         ContactKind::pair,
         PairKind::point_point,
         {0, 1, -1, -1},
         {Vec3(0, 0.2, 0), Vec3(0.1, 0, 0.05), Vec3::Zero(), Vec3::Zero()}},
    Case{"point-edge",
         ContactKind::pair,
         PairKind::point_edge,
         {0, 1, 2, -1},
         {Vec3(0.1, 0.2, 0.03), Vec3(-1, 0, 0.1), Vec3(1, 0.05, 0), Vec3::Zero()}},
    Case{"point-triangle",
         ContactKind::pair,
         PairKind::point_triangle,
         {0, 1, 2, 3},
         {Vec3(0.1, 0.2, 0.1), Vec3(-1, 0, -1), Vec3(1, 0.1, -1), Vec3(0, 0, 1.5)}},
    Case{"edge-edge",
         ContactKind::pair,
         PairKind::edge_edge,
         {0, 1, 2, 3},
         {Vec3(-1, 0.2, 0.1), Vec3(1, 0.25, 0), Vec3(0.1, 0, -1), Vec3(0, 0.05, 1)}},
    Case{"mollified edge-edge", ContactKind::mollified_pair, PairKind::edge_edge, {0, 1, 2, 3}, along},
    Case{"mollified, end and end", ContactKind::mollified_pair, PairKind::point_point, {1, 3, -1, -1}, along},
    Case{"mollified, first edge's end", ContactKind::mollified_pair, PairKind::point_edge, {0, 2, 3, -1}, along},
    Case{"mollified, second edge's end", ContactKind::mollified_pair, PairKind::point_edge, {3, 0, 1, -1}, along},
    Case{"half-space",
         ContactKind::half_space,
         PairKind::point_point,
         {0, 1, 2, 3},
         {Vec3(0.3, 0.2, -0.2), Vec3(0, 0, 0), Vec3::Zero(), Vec3::Zero()}}};

/// The reduced pair's points.
std::array<Vec3, 4> reduced_points(const Case& c, const VecX& x) {
    std::array<Vec3, 4> points{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    for (std::size_t k = 0; k < 4 && c.local[k] >= 0; ++k) points[k] = x.segment<3>(3 * c.local[k]);
    return points;
}

Contact contact_of(const Case& c, const VecX& x, double offset) {
    Contact contact;
    contact.kind = c.kind;
    contact.pair = c.pair;
    if (c.kind == ContactKind::mollified_pair) contact.local = c.local;
    contact.multiplicity = 2.0;
    contact.offset = offset;
    contact.normal = Vec3(0.1, 1, -0.2).normalized();
    contact.mollifier_threshold = 1e-3 * 16.0;
    for (int k = 0; k < contact.vertex_count(); ++k) contact.vertices[static_cast<std::size_t>(k)] = k;
    contact.squared_distance = c.kind == ContactKind::half_space
                                   ? std::pow(contact.normal.dot(x.segment<3>(0) - x.segment<3>(3)), 2)
                                   : squared_distance(c.pair, reduced_points(c, x).data());
    return contact;
}

VecX stacked(const Case& c) {
    VecX x(12);
    for (int k = 0; k < 4; ++k) x.segment<3>(3 * k) = c.points[static_cast<std::size_t>(k)];
    return x;
}

/// m e(c) b((d - offset)^2), from the definitions of barrier and mollifier.
double energy(const Case& c, const VecX& x, double offset) {
    const Contact contact = contact_of(c, x, offset);
    const double gap = std::sqrt(contact.squared_distance) - offset, s = gap * gap;
    double result = gap < dhat ? -contact.multiplicity * (s - s_hat) * (s - s_hat) * std::log(s / s_hat) : 0.0;
    if (c.kind == ContactKind::mollified_pair) {
        const Vec3 u = x.segment<3>(3) - x.segment<3>(0), v = x.segment<3>(9) - x.segment<3>(6);
        const double ratio = u.cross(v).squaredNorm() / contact.mollifier_threshold;
        REQUIRE(ratio < 1.0);
        result *= 2.0 * ratio - ratio * ratio;
    }
    return result;
}

}  // namespace

TEST_CASE("barrier with and without a thickness: its value is the definition's, its derivatives are the value's") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> jitter(-0.003, 0.003);
    for (const Case& c : cases) {
        for (const double part : {0.0, 0.3, 0.8}) {
            for (int trial = 0; trial < 5; ++trial) {
                CAPTURE(c.name);
                CAPTURE(part);
                VecX x = stacked(c);
                for (double& entry : x) entry += jitter(random);
                const double offset = part * std::sqrt(contact_of(c, x, 0.0).squared_distance);
                const double expected = energy(c, x, offset);
                CHECK(std::abs(barrier_value(contact_of(c, x, offset), x, s_hat) - expected) <= 1e-9 * expected);
                const DerivativeCheck check = check_derivatives(
                    [&](const VecX& y) { return barrier_value(contact_of(c, y, offset), y, s_hat); },
                    [&](const VecX& y) { return VecX(barrier_gradient(contact_of(c, y, offset), y, s_hat)); },
                    [&](const VecX& y) {
                        return Eigen::MatrixXd(barrier_hessian(contact_of(c, y, offset), y, s_hat, false));
                    },
                    x, 1e-3);
                CHECK(check.gradient_error < 1e-6);
                CHECK(check.hessian_error < 1e-5);
                CHECK(check.hessian_asymmetry < 1e-12);
                // Positive semi-definite where asked for, and the same as before where it was.
                const Mat12 whole = barrier_hessian(contact_of(c, x, offset), x, s_hat, false),
                            clamped = barrier_hessian(contact_of(c, x, offset), x, s_hat, true);
                const Eigen::SelfAdjointEigenSolver<Mat12> solver(whole);
                const Mat12 reference = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() *
                                        solver.eigenvectors().transpose();
                CHECK((clamped - reference).norm() <= 1e-9 * whole.norm());
            }
        }
    }
}

TEST_CASE("barrier: nothing from dhat on, infinite where the thickness has used up the distance") {
    const Case& c = cases[0];
    const VecX x = stacked(c);
    const double d = std::sqrt(contact_of(c, x, 0.0).squared_distance);
    Contact contact = contact_of(c, x, d);
    CHECK(contact.squared_gap() == 0.0);
    CHECK(barrier_value(contact, x, s_hat) == std::numeric_limits<double>::infinity());
    for (const double offset : {d, 2.0 * d}) {
        contact.offset = offset;
        CHECK(contact.squared_gap() == 0.0);
        const ScalarJet jet = contact_barrier(contact, s_hat);
        CHECK(jet.value == std::numeric_limits<double>::infinity());
        CHECK(jet.first == -std::numeric_limits<double>::infinity());
        CHECK(jet.second == std::numeric_limits<double>::infinity());
    }
    contact.offset = 0.0;
    CHECK(contact.squared_gap() == contact.squared_distance);
    contact.squared_distance = 1.01 * s_hat;
    CHECK(barrier_value(contact, x, s_hat) == 0.0);
    CHECK(barrier_gradient(contact, x, s_hat).norm() == 0.0);
    contact.offset = 0.01 * dhat;  // now the gap is below dhat again
    CHECK(barrier_value(contact, x, s_hat) > 0.0);
}

TEST_CASE("weights and frame of a contact: the closest points' difference, and two unit vectors across it") {
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const VecX x = stacked(c);
        const Contact contact = contact_of(c, x, 0.0);
        const Vec4 weights = contact_weights(contact, x);
        const Mat32 frame = contact_frame(contact, x);
        Vec3 difference = Vec3::Zero();
        for (int k = 0; k < 4; ++k) difference += weights[k] * x.segment<3>(3 * k);
        Vec3 direction = contact.normal;
        if (c.kind == ContactKind::half_space) {
            CHECK(weights == Vec4(1.0, -1.0, 0.0, 0.0));
        } else {
            direction = separation(c.pair, reduced_points(c, x).data());
            CHECK((difference - direction).norm() <= 1e-12);
            CHECK(std::abs(weights.sum()) <= 1e-13);
            for (int k = 0; k < 4; ++k) {
                const bool used = std::find(c.local.begin(), c.local.end(), k) != c.local.end();
                CHECK((weights[k] != 0.0) == used);
            }
        }
        CHECK((frame.transpose() * frame - Mat2::Identity()).norm() <= 1e-13);
        CHECK((frame.transpose() * direction).norm() <= 1e-12 * direction.norm());
    }
}

TEST_CASE("mollifier: threshold, value and both derivatives from their formulas") {
    CHECK(std::abs(edge_edge_mollifier_threshold(2.0, 3.5) - 7e-3) <= 1e-15);
    const double eps = 2e-3;
    for (const double ratio : {0.0, 0.1, 0.5, 0.999}) {
        const ScalarJet jet = edge_edge_mollifier(ratio * eps, eps);
        CHECK(std::abs(jet.value - (2.0 * ratio - ratio * ratio)) <= 1e-15);
        CHECK(std::abs(jet.first * eps - (2.0 - 2.0 * ratio)) <= 1e-14);
        CHECK(std::abs(jet.second * eps * eps + 2.0) <= 1e-13);
    }
    for (const double ratio : {1.0, 1.5}) {
        const ScalarJet jet = edge_edge_mollifier(ratio * eps, eps);
        CHECK(jet.value == 1.0);
        CHECK(jet.first == 0.0);
        CHECK(jet.second == 0.0);
    }
}
