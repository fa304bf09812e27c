// Reports of a step and of its filled volumes, for tests of what is written of them.
#pragma once

#include "stiction/output/run_report.hpp"

#include <cmath>
#include <vector>

namespace stiction::test {

inline StepReport sample_report(int step) {
    StepReport r;
    r.h = 0.01;
    r.iterations = 3 + step;
    r.linear_solves = 4;
    r.line_search = 5;
    r.ccd_queries = 6000000000L;
    r.contacts = 10 * step;
    r.min_gap = step == 1 ? INFINITY : 1e-3 / 3.0 / step;
    r.residual = 0.1;
    r.contact = {1e-4, 0.25, 3, 2e-3, {1, 4}};
    r.kinetic = 1.0 / 3.0;
    r.elastic = 2e-20;
    r.gravity = -12.5;
    r.balance = {0.5, -0.25, -1e-30, -0.125, 0.0625};
    r.contact_energy = 0.015625;
    r.damped = 2;
    r.momentum = Eigen::Vector3d(0.1, -0.2, 0.3);
    r.momentum_loss = {0.015625, 0.03125, 1, 2};
    r.quality = {-0.5, 2, 17};
    r.contact_load = {1.5, 3};
    r.first_move = {0.01, 0.001, 4};
    r.milliseconds = 12.3456;
    r.phases_ms = {{"solve", 5.0}, {"ccd", 2.5}, {"something_new", 1.25}, {"something_else", 0.25}};
    r.notes = {"factorisation shifted by inertia", "pair 12-345 skipped"};
    return r;
}

/// Two regions at a step, of which every number is another one; the second loses volume.
inline std::vector<FillingSummary> sample_zones(int step) {
    std::vector<FillingSummary> zones;
    for (const int zone : {0, 1}) {
        const double volume = zone == 0 ? 1.0 + step / 3.0 : 2.0 - step / 7.0, pressure = 100.0 * zone - step;
        zones.push_back({zone == 0 ? "tyre.1" : "bag",
                         1.0 / 3.0 + zone,
                         volume,
                         pressure,
                         {{volume, volume}, {pressure, pressure}}});
    }
    return zones;
}

}  // namespace stiction::test
