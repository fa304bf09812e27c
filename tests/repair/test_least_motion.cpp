#include "stiction/repair/least_motion.hpp"

#include "support/compare.hpp"
#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <random>

using namespace stiction;
using namespace stiction::test;
using repair::Constraint;
using repair::least_motion;

TEST_CASE("two bodies share a way by their inverse masses, and one that does not move takes nothing of it") {
    const Vec3 normal = Vec3(1, 2, 2) / 3.0;
    const auto shared = least_motion({1.0, 0.25}, {{0, 1, normal, 0.5}}, 1e-12);
    CHECK((shared[0] - 0.4 * normal).norm() == within(0.0, 1e-12));
    CHECK((shared[1] + 0.1 * normal).norm() == within(0.0, 1e-12));
    const auto alone = least_motion({0.0, 0.25}, {{0, 1, normal, 0.5}}, 1e-12);
    CHECK(alone[0] == Vec3::Zero());
    CHECK((alone[1] + 0.5 * normal).norm() == within(0.0, 1e-12));
}

TEST_CASE("what holds already moves nothing") {
    const auto shifts = least_motion({1.0, 1.0}, {{0, 1, Vec3::UnitX(), -0.1}}, 1e-12);
    CHECK(shifts[0] == Vec3::Zero());
    CHECK(shifts[1] == Vec3::Zero());
}

TEST_CASE("random constraints are satisfied, by the least motion that dense algebra finds for their active set") {
    const std::uint64_t seed = std::random_device{}();
    std::cout << "constraints: seed " << seed << "\n";
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> along(-1.0, 1.0), share(0.1, 1.0);
    for (int trial = 0; trial < 50; ++trial) {
        CAPTURE(trial);
        constexpr Index bodies = 6;
        constexpr int count = 6;
        std::vector<double> inverse_mass;
        for (Index b = 0; b < bodies; ++b) inverse_mass.push_back(share(random));
        std::vector<Constraint> constraints;
        // Of distinct pairs, so that they do not contradict each other.
        std::vector<std::array<Index, 2>> pairs;
        for (Index a = 0; a < bodies; ++a) {
            for (Index b = 0; b < a; ++b) pairs.push_back({a, b});
        }
        std::shuffle(pairs.begin(), pairs.end(), random);
        for (int k = 0; k < count; ++k) {
            const auto& [a, b] = pairs[static_cast<std::size_t>(k)];
            constraints.push_back(
                {a, b, Vec3(along(random), along(random), along(random)).normalized(), along(random)});
        }
        const auto shifts = least_motion(inverse_mass, constraints, 1e-13);
        const auto slack = [&](const Constraint& c) {
            return c.normal.dot(shifts[static_cast<std::size_t>(c.first)] -
                                shifts[static_cast<std::size_t>(c.second)]) -
                   c.bound;
        };
        std::vector<Constraint> active;
        for (const Constraint& c : constraints) {
            CHECK(slack(c) >= -1e-9);
            if (slack(c) < 1e-9) active.push_back(c);
        }
        if (active.empty()) {
            for (const Vec3& shift : shifts) CHECK(shift == Vec3::Zero());
            continue;
        }
        // Stationary: m s is a sum of the active normals with multipliers that are not negative.
        Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(active.size()), 3 * bodies);
        VecX weighted(3 * bodies);
        for (Index b = 0; b < bodies; ++b)
            weighted.segment<3>(3 * b) =
                shifts[static_cast<std::size_t>(b)] / inverse_mass[static_cast<std::size_t>(b)];
        for (std::size_t k = 0; k < active.size(); ++k) {
            rows.row(static_cast<Eigen::Index>(k)).segment<3>(3 * active[k].first) = active[k].normal;
            rows.row(static_cast<Eigen::Index>(k)).segment<3>(3 * active[k].second) = -active[k].normal;
        }
        const VecX multipliers = rows.transpose().colPivHouseholderQr().solve(weighted);
        CHECK((rows.transpose() * multipliers - weighted).norm() == within(0.0, 1e-7));
        CHECK(multipliers.minCoeff() >= -1e-7);
    }
}
