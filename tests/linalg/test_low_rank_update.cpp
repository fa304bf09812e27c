#include "stiction/base/error.hpp"
#include "stiction/linalg/low_rank_update.hpp"

#include "linalg/random_general_system.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("low-rank update: product and solution against a dense matrix") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 2 + random_index(random, 30);
        const auto pairs = random_pairs(random, n, 100);
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        Eigen::MatrixXd dense = fill_general(random, pairs, system, 8.0);
        REQUIRE_MESSAGE(system.factorize(), system.failure());
        LowRankUpdate update;
        const auto terms = static_cast<std::size_t>(random_index(random, 5));
        for (std::size_t k = 0; k < terms; ++k) {
            const double c = k == 1 ? 0.0 : uniform(random) * std::pow(10.0, uniform(random, -6.0, 6.0));
            const VecX u = random_vector(random, 3 * n), w = k == 0 ? u : random_vector(random, 3 * n);
            update.add(c, u, w);
            dense += c * u * w.transpose();
        }
        CHECK(update.terms() == terms);
        const auto solver = [&](const VecX& from, VecX& to) { system.solve(from, to); };
        REQUIRE(update.factorize(solver));
        const VecX b = random_vector(random, 3 * n);
        VecX x, y;
        system.multiply(b, y);
        update.add_product(b, y);
        CHECK((y - dense * b).norm() <= 1e-13 * dense.norm() * b.norm());
        update.solve(solver, b, x);
        const VecX reference = dense.fullPivLu().solve(b);
        CHECK((x - reference).norm() <= 1e-9 * reference.norm());
        CHECK(update.reciprocal_condition() > 0.0);
        CHECK(update.reciprocal_condition() <= 1.0);
        VecX in_place = b;
        update.solve(solver, in_place, in_place);
        CHECK(same_bits(in_place, x));
    }
}

TEST_CASE("low-rank update: a stiff term, in whatever units, costs no accuracy") {
    // Incompressible: c to infinity makes w.x vanish like 1 / c, and the rest of x finite.
    Random random(41);
    GeneralBlockSystem system;
    const auto pairs = random_pairs(random, 20, 60);
    system.set_pattern(20, pairs);
    fill_general(random, pairs, system, 8.0);
    REQUIRE_MESSAGE(system.factorize(), system.failure());
    const auto solver = [&](const VecX& from, VecX& to) { system.solve(from, to); };
    const VecX w = random_vector(random, 60), b = random_vector(random, 60);
    VecX first;
    for (const double unit : {1.0, 1e-30, 1e30}) {
        LowRankUpdate update;
        update.add(1e12 / (unit * unit), unit * w, unit * w);
        REQUIRE(update.factorize(solver));
        CHECK(update.reciprocal_condition() > 1e-2);
        VecX x;
        update.solve(solver, b, x);
        CHECK(std::abs(w.dot(x)) <= 1e-11 * w.norm() * x.norm());
        if (unit == 1.0) first = x;
        CHECK((x - first).norm() <= 1e-12 * first.norm());
    }
}

TEST_CASE("low-rank update: one that makes the matrix singular is refused") {
    const auto identity = [](const VecX& from, VecX& to) { to = from; };
    const VecX w = VecX::Unit(6, 2), b = VecX::Ones(6);
    VecX x;
    LowRankUpdate update;
    update.add(-1.0, w, w);  // the unit matrix with a hole
    CHECK_FALSE(update.factorize(identity));
    CHECK(update.failure().find("singular") != std::string::npos);
    CHECK_THROWS_AS(update.solve(identity, b, x), InternalError);
    update.add(1.0, w, w);  // and filled in again
    REQUIRE(update.factorize(identity));
    update.solve(identity, b, x);
    CHECK((x - b).norm() <= 1e-15);
    update.add(std::numeric_limits<double>::quiet_NaN(), w, w);
    CHECK_THROWS_AS(update.solve(identity, b, x), InternalError);  // factorize() comes first
    CHECK_FALSE(update.factorize(identity));
    CHECK(update.failure() == "rank-one term 2: not finite");
    update.clear();
    REQUIRE(update.factorize(identity));
    update.solve(identity, b, x);
    CHECK(x == b);
    update.add(1.0, VecX::Zero(6), w);
    REQUIRE(update.factorize(identity));
    update.solve(identity, b, x);
    CHECK(x == b);
    CHECK_THROWS_AS(update.add(1.0, VecX::Zero(5), VecX::Zero(5)), InternalError);
}

TEST_CASE("low-rank update: padded terms act on the first coordinates alone") {
    Random random(5);
    const VecX u = random_vector(random, 6), w = random_vector(random, 6), x = random_vector(random, 15);
    LowRankUpdate update;
    update.add(2.0, u, w);
    const LowRankUpdate padded = update.padded(15);
    VecX y = VecX::Zero(15), head = VecX::Zero(6);
    padded.add_product(x, y);
    update.add_product(x.head(6), head);
    CHECK(padded.terms() == 1);
    CHECK((y.head(6) - head).norm() <= 1e-15 * head.norm());
    CHECK(y.tail(9).isZero(0.0));
}
