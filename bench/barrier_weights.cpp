// Gaps between flat bodies under refinement, with and without weights by area (docs/physics/ipc.md).
//
//   barrier_weights [--cells 4 8 12 16] [--threads N]
//
// Prints a Markdown table: the mean gap in the middle of the contact, which a known pressure keeps open.
#include "stiction/base/parallel.hpp"
#include "stiction/methods/ipc/method.hpp"

#include "support/pressed.hpp"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double stiffness = 200.0;  ///< Pa: the pressure is borne at about half of dhat
constexpr double h = 0.5;            ///< s: long steps of backward Euler, which end at rest
constexpr int steps = 6;

struct Row {
    double gap = 0.0, min_gap = 0.0;  ///< m
    int contacts = 0, iterations = 0;
};

/// Lets the bodies come to rest.
Row settle(const Pressed& scene, BarrierWeights weights, double kappa) {
    ipc::Ipc method(pressed_options(weights, kappa));
    State state = scene.state;
    StepResult result;
    Row row;
    for (int i = 0; i < steps; ++i) {
        method.step(scene.world, state, schedule(scene.world, state, h), result);
        if (!is_accepted(result.report.status)) throw std::runtime_error("step failed: " + result.report.cause);
        state = result.state;
        row.iterations += result.report.iterations;
    }
    row.gap = central_gap(scene, state.x);
    row.min_gap = result.report.min_gap;
    row.contacts = result.report.contacts;
    return row;
}

void print_rows(const std::string& name, const std::vector<int>& cells,
                const std::function<Pressed(int, double)>& make) {
    const double expected = gap_at_pressure(stiffness, Pressed::pressure, Pressed::dhat);
    // Without weights: as stiff as the coarsest mesh would be with them, a vertex standing for one cell.
    const double cell = Pressed::side / cells.front();
    const double counted = stiffness * cell * cell / (Pressed::dhat * Pressed::dhat * Pressed::dhat);
    for (const BarrierWeights weights : {BarrierWeights::area, BarrierWeights::none}) {
        const bool area = weights == BarrierWeights::area;
        for (const int n : cells) {
            const Row row = settle(make(n, expected), weights, area ? stiffness : counted);
            fmt::print("| {} | {} | {} | {} | {} | {:.2f} | {:.2f} | {:+.2f} |\n", name, area ? "area" : "none", n,
                       row.contacts, row.iterations, 1e6 * row.min_gap, 1e6 * row.gap,
                       100.0 * (row.gap / expected - 1.0));
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("gaps between flat bodies under refinement, with and without weights by area");
    std::vector<int> cells{4, 8, 12, 16};
    int threads = 0;
    app.add_option("--cells", cells, "cells along a side, coarsest first");
    app.add_option("--threads", threads, "number of threads; 0: all cores");
    CLI11_PARSE(app, argc, argv);
    set_thread_count(threads);
    fmt::print(
        "| bodies | weights | cells | contacts | iterations | smallest gap (um) | gap in the middle (um) | off by (%) "
        "|\n");
    fmt::print("|---|---|---|---|---|---|---|---|\n");
    print_rows("sheet on plane", cells, sheet_on_plane);
    print_rows("block on plane", cells, block_on_plane);
    print_rows("blocks n : 3n/4", cells, [](int n, double gap) { return block_on_block(n, 3 * n / 4, gap); });
    print_rows("blocks n : n", cells, [](int n, double gap) { return block_on_block(n, n, gap); });
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "barrier_weights: %s\n", error.what());
    return 1;
}
