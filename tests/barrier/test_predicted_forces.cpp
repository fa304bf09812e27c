// Newton's method with the barrier's tangent and with chords to predicted forces, for one vertex over a plane.
#include "stiction/barrier/predicted_forces.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/math/psd.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double dhat = 1e-3, kappa = 2e9;

/// Vertex 0 over the plane through vertex 1 that looks along z, and its only contact.
struct Drop {
    VecX x = VecX::Zero(6);
    ContactSet contacts;

    explicit Drop(double gap) {
        contacts.contacts.push_back(
            {.kind = ContactKind::half_space, .vertices = {0, 1, -1, -1}, .normal = Vec3::UnitZ()});
        place(gap);
    }

    void place(double gap) {
        x[2] = gap;
        contact().squared_distance = gap * gap;
    }
    Contact& contact() { return contacts.contacts.front(); }
    double gap() const { return x[2]; }
    static VecX along(double dz) {
        VecX p = VecX::Zero(6);
        p[2] = dz;
        return p;
    }
};

double force(double gap) {
    return kappa * barrier_force(gap * gap, dhat * dhat);
}

/// Slope of the force over the gap that goes into Newton's matrix.
double slope(const ScalarJet& b, double gap) {
    return kappa * (4.0 * gap * gap * b.second + 2.0 * b.first);
}

/// Newton iterations until a load that only the contact bears is within 1e-6 of its force. A step keeps at least a
/// tenth of the gap.
int iterations(double start, double load, bool predict) {
    Drop drop(start);
    PredictedForces predicted(dhat);
    for (int k = 0; k < 200; ++k) {
        if (std::abs(force(drop.gap()) - load) < 1e-6 * load) return k;
        const ScalarJet b = predicted.barrier(drop.contact(), kappa);
        const double p = (force(drop.gap()) - load) / slope(b, drop.gap());
        const double part = p < -0.9 * drop.gap() ? -0.9 * drop.gap() / p : 1.0;
        if (predict) predicted.update(drop.x, drop.contacts, kappa, {Drop::along(p), part});
        drop.place(drop.gap() + part * p);
    }
    return 200;
}

/// The gap at which the contact bears a force, by bisection.
double gap_of_force(double wanted) {
    double low = 1e-12 * dhat, high = dhat;
    for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (low + high);
        (force(middle) > wanted ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Two features at a distance along z, whose closest points are inside of both.
struct FlatPair {
    PairKind kind;
    VecX x = VecX::Zero(12);

    FlatPair(PairKind pair_kind, double distance) : kind(pair_kind) {
        if (kind == PairKind::point_point) {
            set(0, {0, 0, distance});
        } else if (kind == PairKind::point_edge) {
            set(0, {0.3, 0, distance});
            set(2, {1, 0, 0});
        } else if (kind == PairKind::point_triangle) {
            set(0, {0.2, 0.3, distance});
            set(2, {1, 0, 0});
            set(3, {0, 1, 0});
        } else {
            set(0, {0.4, -1, distance});
            set(1, {0.4, 1, distance});
            set(3, {1, 0, 0});
        }
    }

    void set(int vertex, const Vec3& position) { x.segment<3>(3 * vertex) = position; }

    double distance(const VecX& y) const {
        Vec3 points[4];
        gather_stencil(std::array<Index, 4>{0, 1, 2, 3}, y, points);
        return std::sqrt(squared_distance(kind, points));
    }

    Contact contact(double offset) const {
        Contact result{.pair = kind};
        for (int k = 0; k < vertex_count(kind); ++k) result.vertices[static_cast<std::size_t>(k)] = k;
        result.squared_distance = distance(x) * distance(x);
        result.offset = offset;
        return result;
    }

    /// Change of the gap along p to first order, by central differences.
    double gap_change(const VecX& p) const {
        constexpr double h = 1e-3;
        return (distance(x + h * p) - distance(x - h * p)) / (2.0 * h);
    }
};

}  // namespace

TEST_CASE("a contact that is much too near finds its gap in a few iterations, by doubling in many") {
    const double load = force(0.2 * dhat);
    for (const double start : {1e-6 * dhat, 1e-4 * dhat}) {
        INFO("start at ", start / dhat, " dhat");
        // log2(0.2 dhat / start) doublings, and a few iterations near the end
        CHECK(iterations(start, load, false) >= static_cast<int>(std::log2(0.2 * dhat / start)));
        CHECK(iterations(start, load, true) <= 9);
    }
    CHECK(iterations(1e-6 * dhat, load, true) < iterations(1e-6 * dhat, load, false) / 2);
}

TEST_CASE("a contact at its force has the barrier's own curvature, so do those without a prediction") {
    Drop drop(0.2 * dhat);
    PredictedForces predicted(dhat);
    const ScalarJet own = contact_barrier(drop.contact(), dhat * dhat);
    CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);
    predicted.update(drop.x, drop.contacts, kappa, {Drop::along(0.0)});
    CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);

    SUBCASE("forgotten") {
        predicted.update(drop.x, drop.contacts, kappa, {Drop::along(-0.1 * dhat)});
        CHECK(predicted.barrier(drop.contact(), kappa).second > own.second);
        predicted.forget();
        CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);
    }
    SUBCASE("negative weight") {
        drop.contact().multiplicity = -1.0;
        predicted.update(drop.x, drop.contacts, kappa, {Drop::along(-0.1 * dhat)});
        CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);
    }
    SUBCASE("mollified") {
        drop.contact().kind = ContactKind::mollified_pair;
        predicted.update(drop.x, drop.contacts, kappa, {Drop::along(-0.1 * dhat)});
        CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);
    }
}

TEST_CASE("the curvature is that of the chord to the gap of the predicted force, under any stiffness") {
    const double gap = 0.1 * dhat, move = -0.05 * dhat;
    Drop drop(gap);
    PredictedForces predicted(dhat);
    const ScalarJet own = contact_barrier(drop.contact(), dhat * dhat);
    predicted.update(drop.x, drop.contacts, kappa, {Drop::along(move)});
    const double expected = force(gap) - slope(own, gap) * move;
    const double chord = (expected - force(gap)) / (gap - gap_of_force(expected));
    CHECK(slope(predicted.barrier(drop.contact(), kappa), gap) == relative(chord, 1e-7));
    // The stiffness is half of what it was, so the same force has another gap.
    const double half_chord = (expected - 0.5 * force(gap)) / (gap - gap_of_force(2.0 * expected));
    CHECK(0.5 * slope(predicted.barrier(drop.contact(), 0.5 * kappa), gap) == relative(half_chord, 1e-7));
}

TEST_CASE("a predicted force is at most 30 times the present one, and contacts far out that open keep their tangent") {
    Drop drop(0.2 * dhat);
    PredictedForces predicted(dhat);
    predicted.update(drop.x, drop.contacts, kappa, {Drop::along(-1e3 * dhat)});
    const double most = 30.0 * force(0.2 * dhat);
    const double chord = (most - force(0.2 * dhat)) / (0.2 * dhat - gap_of_force(most));
    CHECK(slope(predicted.barrier(drop.contact(), kappa), drop.gap()) == relative(chord, 1e-7));

    predicted.update(drop.x, drop.contacts, kappa, {Drop::along(1e3 * dhat)});
    const ScalarJet opening = predicted.barrier(drop.contact(), kappa);
    CHECK(opening.second < contact_barrier(drop.contact(), dhat * dhat).second);
    drop.place(0.4 * dhat);
    CHECK(predicted.barrier(drop.contact(), kappa).second == contact_barrier(drop.contact(), dhat * dhat).second);
}

TEST_CASE("a direction that was cut and goes through a new contact gives it the force that its vertices resist with") {
    const double gap = 0.5 * dhat, through = 0.25 * dhat;
    Drop drop(gap);
    PredictedForces predicted(dhat);
    const double vertex_stiffness = slope(contact_barrier(drop.contact(), dhat * dhat), gap);
    predicted.set_vertex_stiffness({vertex_stiffness, std::numeric_limits<double>::infinity()});
    const ScalarJet own = contact_barrier(drop.contact(), dhat * dhat);
    const VecX direction = Drop::along(-gap - through);

    predicted.add_new(drop.x, drop.contacts, kappa, {direction, 0.5});
    CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);
    predicted.add_new(drop.x, drop.contacts, kappa, {Drop::along(-0.9 * gap), 0.05});
    CHECK(predicted.barrier(drop.contact(), kappa).second == own.second);

    predicted.add_new(drop.x, drop.contacts, kappa, {direction, 0.05});
    const double expected = force(gap) + 0.3 * vertex_stiffness * through;
    REQUIRE(expected > 1.1 * force(gap));
    const double chord = (expected - force(gap)) / (gap - gap_of_force(expected));
    CHECK(slope(predicted.barrier(drop.contact(), kappa), gap) == relative(chord, 1e-7));
}

TEST_CASE("forces of pairs of features are predicted from the change of their gap, with a thickness too") {
    const unsigned seed = 3;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const PairKind kind :
         {PairKind::point_point, PairKind::point_edge, PairKind::point_triangle, PairKind::edge_edge}) {
        for (const double offset : {0.0, 0.3 * dhat}) {
            INFO("kind ", static_cast<int>(kind), ", offset ", offset);
            const double gap = 0.1 * dhat;
            const FlatPair pair(kind, offset + gap);
            const Contact contact = pair.contact(offset);
            VecX p(12);
            for (double& entry : p) entry = 0.05 * dhat * uniform(random);
            p[2] -= 0.3 * dhat;  // towards the other feature, on the whole
            PredictedForces predicted(dhat);
            ContactSet contacts;
            contacts.contacts = {contact};
            const ScalarJet own = contact_barrier(contact, dhat * dhat);
            const auto slope_of = [&](const ScalarJet& b) {
                return kappa * slope_over_distance(b, contact.squared_distance);
            };
            predicted.update(pair.x, contacts, kappa, {p});
            const double expected = force(gap) - slope_of(own) * pair.gap_change(p);
            REQUIRE(std::abs(expected - force(gap)) > 0.1 * force(gap));
            REQUIRE(expected > force(gap) / 30.0);
            const ScalarJet chord = predicted.barrier(contact, kappa);
            CHECK(slope_of(chord) == relative((expected - force(gap)) / (gap - gap_of_force(expected)), 1e-5));
            CHECK(chord.first == own.first);
            CHECK(smallest_eigenvalue<12>(barrier_hessian(contact, pair.x, true, chord)) >
                  -1e-12 * slope_of(chord) / kappa);
        }
    }
}

TEST_CASE(
    "a cut direction through a contact adds what its vertices resist with, shared by the pairs that it stands for") {
    const double gap = 0.5 * dhat, through = 0.25 * dhat;
    Drop drop(gap);
    drop.contact().multiplicity = 4.0;
    PredictedForces predicted(dhat);
    const ScalarJet own = contact_barrier(drop.contact(), dhat * dhat);
    const double vertex_stiffness = 4.0 * slope(own, gap);
    predicted.set_vertex_stiffness({vertex_stiffness, std::numeric_limits<double>::infinity()});
    predicted.update(drop.x, drop.contacts, kappa, {Drop::along(-gap - through), 0.05});
    const double expected = force(gap) + slope(own, gap) * (gap + through) + 0.3 * vertex_stiffness * through / 4.0;
    const double chord = (expected - force(gap)) / (gap - gap_of_force(expected));
    CHECK(slope(predicted.barrier(drop.contact(), kappa), gap) == relative(chord, 1e-7));
}
