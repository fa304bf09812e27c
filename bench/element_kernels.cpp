// What kernels of tets cost, one thread (docs/notebook/contact_rich_steps.md).
//
//   element_kernels [--tets N] [--repeat N]
//
// Prints a Markdown table: nanoseconds a tet, the fastest of some runs over random deformations.
#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/math/signed_svds.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace stiction;

namespace {

/// Tets of their own vertices, 10 % of stretch.
TetElements random_tets(std::size_t count, MaterialLaw law, std::mt19937_64& random, VecX& x) {
    std::normal_distribution<double> normal;
    std::vector<Vec3> rest;
    std::vector<Tet> tets;
    x.resize(12 * static_cast<Eigen::Index>(count));
    for (std::size_t e = 0; e < count; ++e) {
        const auto first = static_cast<Index>(rest.size());
        rest.insert(rest.end(), {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)});
        tets.push_back({first, first + 1, first + 2, first + 3});
        for (Index k = first; k < first + 4; ++k) {
            const Vec3 noise(normal(random), normal(random), normal(random));
            x.segment<3>(3 * k) = rest[static_cast<std::size_t>(k)] + 0.05 * noise;
        }
    }
    TetElements elements;
    elements.law = law;
    append_tets(elements, rest, tets, {1e5, 2e5});
    return elements;
}

template <class Kernel>
void row(const std::string& name, std::size_t count, int repeat, const Kernel& kernel) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeat; ++i) {
        const auto start = std::chrono::steady_clock::now();
        kernel();
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        fastest = std::min(fastest, time.count() / static_cast<double>(count));
    }
    fmt::print("| {} | {:.0f} |\n", name, fastest);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("What kernels of tets cost.");
    std::size_t count = 20000;
    int repeat = 5;
    app.add_option("--tets", count, "how many")->check(CLI::Range(1, 10'000'000));
    app.add_option("--repeat", repeat, "runs; the fastest counts")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    set_thread_count(1);
    std::mt19937_64 random(1);
    fmt::print("| kernel | ns a tet |\n|---|---|\n");
    for (const MaterialLaw law : {MaterialLaw::neo_hookean, MaterialLaw::fixed_corotated}) {
        VecX x;
        const TetElements tets = random_tets(count, law, random, x);
        const std::string name(law_name(law));
        if (law == MaterialLaw::neo_hookean) {
            std::vector<Mat3> F(count);
            for (std::size_t e = 0; e < count; ++e) F[e] = deformation_gradient(tets, e, x);
            std::vector<SignedSvd> svds(count);
            row("decomposition, one by one", count, repeat, [&] {
                for (std::size_t e = 0; e < count; ++e) svds[e] = signed_svd(F[e]);
            });
            row("decomposition, four at a time", count, repeat, [&] { signed_svds(F.data(), count, svds.data()); });
        }
        std::vector<double> energies;
        std::vector<Vec12> gradients;
        std::vector<Mat12> hessians;
        row(name + ", energy", count, repeat, [&] { element_energies(tets, x, energies); });
        row(name + ", gradient", count, repeat, [&] { element_gradients(tets, x, gradients); });
        row(name + ", projected Hessian", count, repeat, [&] { element_hessians(tets, x, true, hessians); });
    }
    return 0;
}
