#include "stiction/contact/barrier.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A contact whose stencil lies in a stacked vector of four vertices, built by hand from a pair of features.
Contact reduced_contact(PairKind pair, const VecX& x) {
    Contact contact;
    contact.pair = pair;
    for (int k = 0; k < vertex_count(pair); ++k) contact.vertices[static_cast<std::size_t>(k)] = k;
    Vec3 points[4];
    gather_stencil(contact.vertices, x, points);
    contact.squared_distance = squared_distance(pair, points);
    contact.multiplicity = 3.0;
    return contact;
}

Contact mollified_contact(const VecX& x, double threshold) {
    Contact contact;
    contact.kind = ContactKind::mollified_pair;
    contact.vertices = {0, 1, 2, 3};
    Vec3 points[4], reduced[4];
    gather_stencil(contact.vertices, x, points);
    const ClosestFeature feature = classify_edge_edge(points);
    contact.pair = feature.kind;
    contact.local = feature.local;
    for (std::size_t k = 0; k < 4 && feature.local[k] >= 0; ++k) reduced[k] = points[feature.local[k]];
    contact.squared_distance = squared_distance(feature.kind, reduced);
    contact.mollifier_threshold = threshold;
    return contact;
}

/// Derivatives of a contact's barrier where the pair of features stays the one it has at x.
DerivativeCheck check_contact(const Contact& at_x, const VecX& x, double s_hat, double scale) {
    const auto moved = [&](const VecX& y) {
        Contact contact = at_x;
        if (contact.kind == ContactKind::half_space) {
            contact.squared_distance = std::pow(contact.normal.dot(y.segment<3>(0) - y.segment<3>(3)), 2);
            return contact;
        }
        Vec3 points[4];
        for (int k = 0; k < vertex_count(contact.pair); ++k) {
            points[k] = y.segment<3>(
                3 * contact.vertices[static_cast<std::size_t>(contact.local[static_cast<std::size_t>(k)])]);
        }
        contact.squared_distance = squared_distance(contact.pair, points);
        return contact;
    };
    return check_derivatives([&](const VecX& y) { return barrier_value(moved(y), y, s_hat); },
                             [&](const VecX& y) { return VecX(barrier_gradient(moved(y), y, s_hat)); },
                             [&](const VecX& y) { return Eigen::MatrixXd(barrier_hessian(moved(y), y, s_hat, false)); },
                             x, scale);
}

constexpr double dhat = 0.1;

}  // namespace

TEST_CASE("barrier: values, derivatives and the C2 clamp") {
    const double s_hat = dhat * dhat;
    for (const double ratio : {1e-8, 1e-3, 0.1, 0.5, 0.9, 0.999}) {
        const double s = ratio * s_hat;
        const ScalarJet jet = barrier(s, s_hat);
        CHECK(jet.value == relative(-(s - s_hat) * (s - s_hat) * std::log(s / s_hat), 1e-9));
        const double step = 1e-5 * s;
        CHECK((barrier(s + step, s_hat).value - barrier(s - step, s_hat).value) / (2 * step) ==
              relative(jet.first, ratio < 0.99 ? 1e-6 : 1e-4));  // a step of 1e-5 s is 1 % of s_hat - s at 0.999
        CHECK((barrier(s + step, s_hat).first - barrier(s - step, s_hat).first) / (2 * step) ==
              relative(jet.second, 1e-6));
        CHECK(jet.first < 0.0);
        CHECK(jet.second > 0.0);
        // The form used elsewhere for the second derivative.
        CHECK(jet.second == relative((s_hat / s + 2) * s_hat / s - 2 * std::log(s / s_hat) - 3, 1e-9));
    }
    const ScalarJet edge = barrier(s_hat * (1 - 1e-9), s_hat);
    CHECK(std::abs(edge.value) < 1e-20 * 1e-4);
    CHECK(std::abs(edge.second) < 1e-7);
    CHECK(barrier(s_hat, s_hat).value == 0.0);
    CHECK(std::isinf(barrier(0.0, s_hat).value));
    CHECK(barrier_force(0.25 * s_hat, s_hat) == relative(-2 * 0.5 * dhat * barrier(0.25 * s_hat, s_hat).first, 1e-13));
}

TEST_CASE("the chord of the force ends where the force is the given one, and tends to the tangent") {
    const double dhat = 2e-3, s_hat = dhat * dhat;
    const auto force = [&](double gap) { return barrier_force(gap * gap, s_hat); };
    for (const double part : {1e-9, 1e-4, 0.1, 0.5, 0.95}) {
        INFO("gap ", part, " dhat");
        const double gap = part * dhat;
        for (const double ratio : {1.0 / 30.0, 0.5, 2.0, 30.0}) {
            INFO("force ", ratio, " times that at the gap");
            const double end = gap + (1.0 - ratio) * force(gap) / barrier_chord(gap, ratio * force(gap), dhat);
            CHECK(force(end) == relative(ratio * force(gap), 1e-6));
        }
        const ScalarJet b = barrier(gap * gap, s_hat);
        CHECK(barrier_chord(gap, (1.0 - 1e-4) * force(gap), dhat) ==
              relative(4.0 * gap * gap * b.second + 2.0 * b.first, 1e-3));
    }
}

TEST_CASE("mollifier is C1 and reaches 1") {
    const double eps = 2e-3;
    CHECK(edge_edge_mollifier(0.0, eps).value == 0.0);
    CHECK(edge_edge_mollifier(eps, eps).value == 1.0);
    // 2 (1 - c / eps) / eps = 1e-9, and the rounding of 2 / eps = 1e3.
    CHECK(edge_edge_mollifier(eps * (1 - 1e-12), eps).first == within(0.0, 2e-9));
    const double c = 0.3 * eps, step = 1e-6 * eps;
    CHECK((edge_edge_mollifier(c + step, eps).value - edge_edge_mollifier(c - step, eps).value) / (2 * step) ==
          relative(edge_edge_mollifier(c, eps).first, 1e-9));  // rounding of values over the step
}

TEST_CASE("barrier of every kind of contact passes the derivative checker") {
    const unsigned seed = 7;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> jitter(-0.02, 0.02);
    const double s_hat = dhat * dhat;
    const std::vector<std::pair<PairKind, std::vector<Vec3>>> bases{
        {PairKind::point_point, {{0, 0.05, 0}, {0, 0, 0}}},
        {PairKind::point_edge, {{0.1, 0.06, 0}, {-0.5, 0, 0}, {0.5, 0, 0}}},
        {PairKind::point_triangle, {{0.1, 0.04, 0.1}, {-0.5, 0, -0.5}, {0.5, 0, -0.4}, {0, 0, 0.6}}},
        {PairKind::edge_edge, {{-0.5, 0.05, 0}, {0.5, 0.05, 0.1}, {0, 0, -0.5}, {0.1, 0, 0.5}}}};
    for (const auto& [pair, base] : bases) {
        for (int trial = 0; trial < 20; ++trial) {
            VecX x = VecX::Zero(12);
            for (std::size_t k = 0; k < base.size(); ++k)
                x.segment<3>(3 * static_cast<Eigen::Index>(k)) =
                    base[k] + Vec3(jitter(random), jitter(random), jitter(random));
            const Contact contact = reduced_contact(pair, x);
            REQUIRE(contact.squared_distance < s_hat);
            const DerivativeCheck check = check_contact(contact, x, s_hat, 1e-2);
            CHECK(check.gradient_error < 1e-6);
            CHECK(check.hessian_error < 1e-6);
            CHECK(check.hessian_asymmetry < 1e-12);
        }
    }
}

TEST_CASE("mollified and half-space contacts pass the derivative checker") {
    const double s_hat = dhat * dhat;
    VecX x(12);
    x << -0.5, 0.05, 0.01, 0.5, 0.051, 0.02, -0.45, 0, -0.01, 0.55, 0.002, 0.0;
    const Contact nearly_parallel = mollified_contact(x, 1e-2);
    const DerivativeCheck mollified = check_contact(nearly_parallel, x, s_hat, 1e-3);
    CHECK(mollified.gradient_error < 1e-6);
    CHECK(mollified.hessian_error < 1e-5);
    Contact plane;
    plane.kind = ContactKind::half_space;
    plane.vertices = {0, 1, -1, -1};
    plane.normal = Vec3(1, 2, -1).normalized();
    x.segment<3>(3).setZero();
    x.segment<3>(0) = 0.04 * plane.normal + Vec3(2, -1, 0);
    plane.squared_distance = 0.04 * 0.04;
    const DerivativeCheck flat = check_contact(plane, x, s_hat, 1e-3);
    CHECK(flat.gradient_error < 1e-6);
    CHECK(flat.hessian_error < 1e-6);
    CHECK(smallest_eigenvalue(barrier_hessian(plane, x, s_hat, false)) > -1e-12);
}

TEST_CASE("projection in the range equals the dense eigenvalue clamp") {
    const unsigned seed = 11;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int projected = 0;
    for (int trial = 0; trial < 400; ++trial) {
        VecX x(12);
        for (double& value : x) value = uniform(random);
        const PairKind pair = static_cast<PairKind>(trial % 4);
        const Contact contact = reduced_contact(pair, x);
        const double s_hat = contact.squared_distance * (1.0 + std::abs(uniform(random)) * 5.0);
        Mat12 reference = barrier_hessian(contact, x, s_hat, false);
        const double scale = reference.norm();
        const double smallest = smallest_eigenvalue(reference);
        project_psd(reference);
        const Mat12 fast = barrier_hessian(contact, x, s_hat, true);
        CHECK((fast - reference).norm() < 1e-9 * scale);
        projected += smallest < -1e-6 * scale;
    }
    CHECK(projected > 50);
}

TEST_CASE("contacts of negative weight pass the derivative checker, and their projection is the dense clamp") {
    const unsigned seed = 19;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int trial = 0; trial < 200; ++trial) {
        VecX x(12);
        for (double& value : x) value = uniform(random);
        Contact contact = reduced_contact(trial % 2 == 0 ? PairKind::point_point : PairKind::point_edge, x);
        contact.multiplicity = -0.7;
        const double s_hat = contact.squared_distance * (1.5 + std::abs(uniform(random)));
        const DerivativeCheck check = check_contact(contact, x, s_hat, 1e-2);
        CHECK(check.gradient_error < 1e-6);
        CHECK(check.hessian_error < 1e-6);
        Mat12 clamped = barrier_hessian(contact, x, s_hat, false);
        const double scale = clamped.norm();
        project_psd(clamped);
        const Mat12 projected = barrier_hessian(contact, x, s_hat, true);
        CHECK((projected - clamped).norm() < 1e-9 * scale);
        CHECK(smallest_eigenvalue(projected) > -1e-12 * scale);
    }
}
