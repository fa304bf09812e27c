// Random boxes: pairs against the separating axis theorem, and piles.
#include "stiction/base/parallel.hpp"

#include "repair/repaired.hpp"
#include <Eigen/Geometry>

#include <iostream>
#include <random>

using namespace repair_testing;

namespace {

/// A box that is turned about an axis.
struct RandomBox {
    Vec3 size, at, axis;
    double angle;  ///< degrees

    explicit RandomBox(std::mt19937_64& random, double spread) {
        std::uniform_real_distribution<double> length(0.4, 1.2), along(-1.0, 1.0), turn(-180.0, 180.0);
        for (int k = 0; k < 3; ++k) {
            size[k] = length(random);
            at[k] = spread * along(random);
            axis[k] = along(random);
        }
        angle = turn(random);
    }
    std::string json(const std::string& name, const std::string& more = "") const {
        return fmt::format(R"({{"name": "{}", "mesh": {{"generate": "box", "size": [{:.17g}, {:.17g}, {:.17g}],
            "cells": [1, 1, 1]}}, "transform": {{"rotation": {{"axis": [{:.17g}, {:.17g}, {:.17g}], "angle": {:.17g}}},
            "translation": [{:.17g}, {:.17g}, {:.17g}]}}{}{}}})",
                           name, size[0], size[1], size[2], axis[0], axis[1], axis[2], angle, at[0], at[1], at[2],
                           more.empty() ? "" : ", ", more);
    }
    stiction::Mat3 frame() const {
        return Eigen::AngleAxisd(angle / 180.0 * M_PI, axis.normalized()).toRotationMatrix();
    }
    double half_extent(const Vec3& direction) const {
        return 0.5 * (frame().transpose() * direction).cwiseAbs().dot(size);
    }
};

/// Length (m) of the least motion that separates two boxes: the smallest overlap over the 15 axes that can separate
/// them; negative if they are apart.
double least_overlap(const RandomBox& a, const RandomBox& b) {
    std::vector<Vec3> axes;
    for (int i = 0; i < 3; ++i) {
        axes.emplace_back(a.frame().col(i));
        axes.emplace_back(b.frame().col(i));
        for (int j = 0; j < 3; ++j) axes.emplace_back(a.frame().col(i).cross(b.frame().col(j)));
    }
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3& axis : axes) {
        if (axis.norm() < 1e-6) continue;
        const Vec3 unit = axis.normalized();
        least = std::min(least, a.half_extent(unit) + b.half_extent(unit) - std::abs(unit.dot(a.at - b.at)));
    }
    return least;
}

std::uint64_t fresh_seed(const char* what) {
    const std::uint64_t seed = std::random_device{}();
    std::cout << what << ": seed " << seed << "\n";
    return seed;
}

void check_pairs_of_boxes(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const double gap = 1e-3;
    int overlapping = 0;
    for (int i = 0; i < 60; ++i) {
        const RandomBox a(random, 0.5), b(random, 0.5);
        const double least = least_overlap(a, b);
        if (std::abs(least) < 1e-6) continue;
        CAPTURE(i);
        CAPTURE(least);
        const std::string held = a.json("a", R"("boundary": {"select": {"all": true}, "fix": true})");
        const auto report = repaired(scene({held, b.json("b")}), gap).report;
        CHECK(report.overlapping.empty() == (least < 0.0));
        if (least < 0.0) continue;
        ++overlapping;
        REQUIRE(report.moves.size() == 1);
        const double way = report.moves[0].shift.norm();
        CHECK(way >= least + 0.99 * gap);
        CHECK(way <= 1.01 * least + 1.1 * gap);
    }
    CHECK(overlapping > 20);
}

}  // namespace

TEST_CASE("random pairs of boxes are moved by little more than the separating axis theorem asks for") {
    check_pairs_of_boxes(fresh_seed("pairs of boxes"));
    // The fifth pair of this seed was moved by 1.7 % too much while only the shortest way was varied.
    check_pairs_of_boxes(3501120250);
}

TEST_CASE("random piles of boxes are separated") {
    std::mt19937_64 random(fresh_seed("piles of boxes"));
    for (int pile = 0; pile < 20; ++pile) {
        CAPTURE(pile);
        std::vector<std::string> boxes;
        const int count = std::uniform_int_distribution<int>(5, 10)(random);
        for (int i = 0; i < count; ++i) boxes.push_back(RandomBox(random, 0.8).json(fmt::format("box{}", i)));
        const std::string ground = R"({"half_space": {"point": [0, -0.8, 0]}})";
        const auto report = repaired(scene(boxes, {ground}), 1e-3).report;
        CHECK(!report.overlapping.empty());
        double way = 0.0;
        for (const auto& move : report.moves) way += move.shift.norm();
        CHECK(way < 2.0 * count);  // no box has to go further than the pile is wide
    }
}

TEST_CASE("a pile is repaired to the same bits by one thread and by four") {
    std::mt19937_64 random(fresh_seed("pile for threads"));
    std::vector<std::string> boxes;
    for (int i = 0; i < 12; ++i) boxes.push_back(RandomBox(random, 0.8).json(fmt::format("box{}", i)));
    stiction::set_thread_count(1);
    const std::string alone = repaired(scene(boxes), 1e-3).text;
    stiction::set_thread_count(4);
    const std::string together = repaired(scene(boxes), 1e-3).text;
    stiction::set_thread_count(0);
    CHECK(alone == together);
    CHECK(alone != scene(boxes));
}
