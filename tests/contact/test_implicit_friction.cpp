// Friction with nothing lagged: the same force as the lagged one at the same positions, and its full derivative.
#include "stiction/contact/barrier.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/contact/implicit_friction.hpp"

#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include <array>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double dhat = 0.4;

/// A contact of a kind, and positions at which its closest points are well inside its features.
struct Case {
    const char* name;
    ContactKind kind;
    PairKind pair;
    std::array<Vec3, 4> points;
};

const std::array<Case, 6> cases{{
    {"point-point",
     ContactKind::pair,
     PairKind::point_point,
     {Vec3(0, 0.2, 0), Vec3(0.1, 0, 0.05), Vec3::Zero(), Vec3::Zero()}},
    {"point-edge",
     ContactKind::pair,
     PairKind::point_edge,
     {Vec3(0.1, 0.2, 0.03), Vec3(-1, 0, 0.1), Vec3(1, 0.05, 0), Vec3::Zero()}},
    {"point-triangle",
     ContactKind::pair,
     PairKind::point_triangle,
     {Vec3(0.1, 0.2, 0.1), Vec3(-1, 0, -1), Vec3(1, 0.1, -1), Vec3(0, 0, 1.5)}},
    {"edge-edge",
     ContactKind::pair,
     PairKind::edge_edge,
     {Vec3(-1, 0.2, 0.1), Vec3(1, 0.25, 0), Vec3(0.1, 0, -1), Vec3(0, 0.05, 1)}},
    {"mollified",
     ContactKind::mollified_pair,
     PairKind::edge_edge,
     {Vec3(-1, 0.2, 0.0), Vec3(1, 0.2, 0.01), Vec3(-1, 0, 0.009), Vec3(1, 0.02, -0.009)}},
    {"half-space",
     ContactKind::half_space,
     PairKind::point_point,
     {Vec3(0.3, 0.2, -0.2), Vec3(0, 0, 0), Vec3::Zero(), Vec3::Zero()}},
}};

Contact contact_of(const Case& c, const VecX& x, double offset = 0.0) {
    Contact contact;
    contact.kind = c.kind;
    contact.pair = c.pair;
    contact.multiplicity = 2.0;
    contact.offset = offset;
    contact.normal = Vec3::UnitY();
    const int count = contact.vertex_count();
    std::array<Vec3, 4> points;
    for (int k = 0; k < count; ++k) {
        contact.vertices[static_cast<std::size_t>(k)] = k;
        points[static_cast<std::size_t>(k)] = x.segment<3>(3 * k);
    }
    contact.mollifier_threshold = 1e-3 * 16.0;
    contact.squared_distance = c.kind == ContactKind::half_space
                                   ? std::pow(contact.normal.dot(points[0] - points[1]), 2)
                                   : squared_distance(c.pair, points.data());
    return contact;
}

VecX stacked(const Case& c) {
    VecX x(12);
    for (int k = 0; k < 4; ++k) x.segment<3>(3 * k) = c.points[static_cast<std::size_t>(k)];
    return x;
}

/// The stage's q_bar: displaced by slips of the given size.
VecX reference(const VecX& x, double size) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-size, size);
    VecX q_bar = x;
    for (double& entry : q_bar) entry += uniform(random);
    return q_bar;
}

ImplicitFriction friction_of(FrictionProfile profile, double kinetic_slip = 0.0, double ratio = 1.0) {
    return {{profile, 0.02, kinetic_slip}, 30.0, dhat * dhat, 0.7, ratio};
}

}  // namespace

TEST_CASE(
    "implicit friction: the residual is the lagged friction's gradient with everything lagged at the same positions") {
    for (const Case& c : cases) {
        if (c.kind == ContactKind::mollified_pair) continue;  // their stencil is not that of the lagged pair
        CAPTURE(c.name);
        const VecX x = stacked(c), q_bar = reference(x, 0.03);
        const Contact contact = contact_of(c, x);
        const ImplicitFriction friction = friction_of(FrictionProfile::quadratic);
        const double normal_force =
            friction.barrier_stiffness * contact.multiplicity * barrier_force(contact.squared_distance, dhat * dhat);
        const LaggedFriction lagged{stencil_pair(contact, x), friction.coefficient * normal_force};
        const Vec12 expected = friction_gradient(lagged, tangential_displacement(lagged, x, q_bar), friction.law);
        REQUIRE(expected.norm() > 0.0);
        CHECK((implicit_friction_residual(friction, contact, x, q_bar) - expected).norm() <= 1e-12 * expected.norm());
        const ContactSlip slip = contact_slip(friction, contact, x, q_bar);
        CHECK(slip.normal_force == relative(normal_force, 1e-12));
        CHECK(slip.slip.norm() == relative(tangential_displacement(lagged, x, q_bar).norm(), 1e-12));
    }
}

TEST_CASE("implicit friction: the Jacobian agrees with differences of the residual, sticking and sliding") {
    for (const Case& c : cases) {
        for (const auto& [size, offset] : {std::pair{0.002, 0.0}, {0.03, 0.0}, {0.3, 0.0}, {0.03, 0.1}}) {
            for (const ImplicitFriction& friction :
                 {friction_of(FrictionProfile::quadratic), friction_of(FrictionProfile::rational),
                  friction_of(FrictionProfile::quadratic, 0.1, 0.5)}) {
                CAPTURE(c.name);
                CAPTURE(size);
                const VecX x = stacked(c), q_bar = reference(x, size);
                Vec12 residual;
                const Mat12 jacobian =
                    implicit_friction_jacobian(friction, contact_of(c, x, offset), x, q_bar, &residual);
                CHECK((residual - implicit_friction_residual(friction, contact_of(c, x, offset), x, q_bar)).norm() <=
                      1e-14 * residual.norm());
                const double step = c.kind == ContactKind::mollified_pair ? 1e-7 : 1e-6;
                const int entries = 3 * contact_of(c, x).vertex_count();
                Mat12 differences = Mat12::Zero();
                for (int i = 0; i < entries; ++i) {
                    VecX forward = x, backward = x;
                    forward[i] += step;
                    backward[i] -= step;
                    differences.col(i) =
                        (implicit_friction_residual(friction, contact_of(c, forward, offset), forward, q_bar) -
                         implicit_friction_residual(friction, contact_of(c, backward, offset), backward, q_bar)) /
                        (2 * step);
                }
                CHECK((jacobian - differences).norm() <= 1e-5 * differences.norm());
            }
        }
    }
}

TEST_CASE("implicit friction: no net force, no derivative along a common move, none at rest beyond the slip's own") {
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const VecX x = stacked(c), q_bar = reference(x, 0.03);
        Vec12 residual;
        const ImplicitFriction friction = friction_of(FrictionProfile::rational);
        const Mat12 jacobian = implicit_friction_jacobian(friction, contact_of(c, x), x, q_bar, &residual);
        Vec3 sum = Vec3::Zero();
        for (int k = 0; k < 4; ++k) sum += residual.segment<3>(3 * k);
        CHECK(sum.norm() <= 1e-13 * residual.norm());
        // At rest the force is zero, and only the slip's own derivative is left: symmetric and positive semi-definite.
        const Mat12 at_rest = implicit_friction_jacobian(friction, contact_of(c, x), x, x);
        CHECK(implicit_friction_residual(friction, contact_of(c, x), x, x).norm() == 0.0);
        CHECK((at_rest - at_rest.transpose()).norm() <= 1e-10 * at_rest.norm());
        CHECK(at_rest.eigenvalues().real().minCoeff() >= -1e-10 * at_rest.norm());
        CHECK((jacobian - jacobian.transpose()).norm() > 1e-6 * jacobian.norm());  // sliding: not symmetric
    }
}

namespace {

/// A contact of nearly parallel edges whose closest points are those of a reduced pair: the places of its vertices in
/// the two edges.
struct Reduced {
    PairKind pair;
    std::array<int, 4> local;
};

double uniform(std::mt19937& random, double size) {
    return std::uniform_real_distribution<double>(-size, size)(random);
}

/// Brings the first feature nearer, to a fraction of its distance.
void scale_gap(const Case& c, double fraction, VecX& x) {
    Vec3 r = Vec3::UnitY() * (x[1] - x[4]);
    if (c.kind != ContactKind::half_space) {
        std::array<Vec3, 4> points;
        for (int k = 0; k < 4; ++k) points[static_cast<std::size_t>(k)] = x.segment<3>(3 * k);
        r = separation(c.pair, points.data());
    }
    for (int k = 0; k < (c.pair == PairKind::edge_edge ? 2 : 1); ++k) x.segment<3>(3 * k) -= (1.0 - fraction) * r;
}

void check_analytic(const Contact& contact, const VecX& x, std::mt19937& random) {
    for (const double size : {0.0, 0.002, 0.03, 0.3}) {
        VecX q_bar = x;
        for (double& entry : q_bar) entry += uniform(random, size);
        for (const ImplicitFriction& friction :
             {friction_of(FrictionProfile::quadratic), friction_of(FrictionProfile::rational),
              friction_of(FrictionProfile::quadratic, 0.1, 0.5)}) {
            const Mat12 automatic = implicit_friction_jacobian(friction, contact, x, q_bar),
                        analytic = implicit_friction_jacobian_analytic(friction, contact, x, q_bar);
            CHECK(automatic.norm() > 0.0);
            CHECK((analytic - automatic).norm() <= 1e-10 * automatic.norm());
        }
    }
}

}  // namespace

TEST_CASE("implicit friction: the derivative by formulas is the one by dual numbers, on random configurations") {
    std::mt19937 random(11);
    for (const Case& c : cases) {
        const double spread = c.kind == ContactKind::mollified_pair ? 0.004 : 0.08;
        for (const double fraction : {1.0, 0.1, 1e-3}) {
            for (int trial = 0; trial < 40; ++trial) {
                CAPTURE(c.name);
                CAPTURE(fraction);
                VecX x = stacked(c);
                for (double& entry : x) entry += uniform(random, spread);
                scale_gap(c, fraction, x);
                check_analytic(contact_of(c, x), x, random);
                Contact thick = contact_of(c, x);
                thick.offset = 0.4 * std::sqrt(thick.squared_distance);
                check_analytic(thick, x, random);
            }
        }
    }
}

TEST_CASE("implicit friction: formulas and dual numbers agree where nearly parallel edges touch at their ends") {
    std::mt19937 random(12);
    for (const Reduced& reduced :
         {Reduced{PairKind::point_point, {1, 3, -1, -1}}, Reduced{PairKind::point_edge, {0, 2, 3, -1}},
          Reduced{PairKind::point_edge, {3, 0, 1, -1}}}) {
        for (int trial = 0; trial < 40; ++trial) {
            CAPTURE(static_cast<int>(reduced.pair));
            VecX x = stacked(cases[4]);
            for (double& entry : x) entry += uniform(random, 0.004);
            Contact contact = contact_of(cases[4], x);
            contact.pair = reduced.pair;
            contact.local = reduced.local;
            std::array<Vec3, 4> points;
            for (int k = 0; k < vertex_count(reduced.pair); ++k)
                points[static_cast<std::size_t>(k)] = x.segment<3>(3 * reduced.local[static_cast<std::size_t>(k)]);
            contact.squared_distance = squared_distance(reduced.pair, points.data());
            check_analytic(contact, x, random);
        }
    }
}
