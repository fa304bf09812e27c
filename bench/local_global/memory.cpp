// Tables 1 and 2 of Zeng, Luo, Shi and Zhang (2025): the memory of S = L^-1; and what S costs and gains on a CPU.
//
//   local_global_memory [--repeat SECONDS] [--only TEXT]
//
// Prints the tables of bench/results/local_global_memory.md. Memory is exact. Times are the shortest of all repetitions
// within SECONDS each: processor time on one thread, wall time where one and two threads are compared. Run it on an
// idle machine.
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/fem/bending.hpp"
#include "stiction/fem/isometric_bending.hpp"
#include "stiction/fem/laplacian_bending.hpp"
#include "stiction/linalg/supernodal/inverse_products.hpp"
#include "stiction/linalg/supernodal/triangular_solves.hpp"
#include "stiction/mesh/generate.hpp"

#include <CLI/CLI.hpp>
#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <random>

using namespace stiction;

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr double mebibyte = 1048576.0;

enum class Bending { none, isometric, laplacian };

struct Case {
    std::string name;
    Mesh mesh;
    Bending bending = Bending::none;
    double paper_vertices = 0.0, paper_elements = 0.0;  // thousands
    double paper_mebibytes = 0.0;
};

/// Moves every vertex by up to a tenth of the shortest edge: on a regular grid some entries cancel to zero, which no
/// mesh of an object does.
void jitter(Mesh& mesh, bool flat) {
    double shortest = std::numeric_limits<double>::infinity();
    const auto measure = [&](const auto& element) {
        for (std::size_t a = 1; a < element.size(); ++a)
            shortest = std::min(shortest, (mesh.vertices[element[a]] - mesh.vertices[element[0]]).norm());
    };
    for (const Tet& tet : mesh.tets) measure(tet);
    for (const Triangle& triangle : mesh.triangles) measure(triangle);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> shift(-0.1 * shortest, 0.1 * shortest);
    for (Vec3& vertex : mesh.vertices) {
        const Vec3 move(shift(random), shift(random), shift(random));
        vertex += flat ? Vec3(move.x(), 0.0, move.z()) : move;
    }
}

/// Adds volume times (mass / corners + weight * gradients of the shape functions) of a triangle (extruded by
/// `thickness`) or tet.
template <class Element>
void add_element(const std::vector<Vec3>& vertices, const Element& element, double density, double weight,
                 double thickness, Triplets& triplets) {
    constexpr auto corners = static_cast<Eigen::Index>(std::tuple_size_v<Element>);
    Eigen::Matrix<double, 3, corners - 1> edges;
    for (Eigen::Index k = 1; k < corners; ++k)
        edges.col(k - 1) = vertices[element[static_cast<std::size_t>(k)]] - vertices[element[0]];
    const Eigen::Matrix<double, corners - 1, corners - 1> metric = edges.transpose() * edges;
    Eigen::Matrix<double, 3, corners> gradients;
    gradients.template rightCols<corners - 1>() = edges * metric.inverse();
    gradients.col(0) = -gradients.template rightCols<corners - 1>().rowwise().sum();
    const double volume = std::sqrt(metric.determinant()) * (corners == 3 ? 0.5 * thickness : 1.0 / 6.0);
    for (Eigen::Index a = 0; a < corners; ++a) {
        for (Eigen::Index b = 0; b < corners; ++b) {
            const double mass = a == b ? density * volume / static_cast<double>(corners) : 0.0;
            triplets.emplace_back(element[static_cast<std::size_t>(a)], element[static_cast<std::size_t>(b)],
                                  mass + weight * volume * gradients.col(a).dot(gradients.col(b)));
        }
    }
}

void add_bending(const Mesh& mesh, Bending bending, double stiffness, double factor, Triplets& triplets) {
    if (bending == Bending::isometric) {
        IsometricBending elements;
        append_isometric_bending(elements, mesh.vertices, find_hinges(mesh.triangles), stiffness);
        std::vector<Mat12> hessians;
        isometric_hessians(elements, hessians);
        for (std::size_t h = 0; h < elements.size(); ++h) {
            for (std::size_t a = 0; a < 4; ++a) {
                for (std::size_t b = 0; b < 4; ++b) {
                    triplets.emplace_back(
                        elements.vertices[h][a], elements.vertices[h][b],
                        factor * hessians[h](3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)));
                }
            }
        }
    } else if (bending == Bending::laplacian) {
        LaplacianBending elements;
        append_laplacian_bending(elements, mesh.vertices, mesh.triangles, stiffness);
        const Sparse matrix = laplacian_bending_matrix(elements, static_cast<Index>(mesh.vertices.size()));
        for (Eigen::Index j = 0; j < matrix.outerSize(); ++j) {
            for (Sparse::InnerIterator entry(matrix, j); entry; ++entry)
                triplets.emplace_back(entry.row(), j, factor * entry.value());
        }
    }
}

/// A = M + h^2 (B + sum w G^T G) of cloth (E 1e5 Pa, 0.5 mm, 1000 kg/m^3) or of a solid (E 1e6 Pa), h = 0.01 s. All
/// vertices are unknowns.
Sparse assemble(const Case& test) {
    const double h = 0.01, density = 1000.0, thickness = 5e-4, young = test.mesh.tets.empty() ? 1e5 : 1e6;
    Triplets triplets;
    for (const Tet& tet : test.mesh.tets) add_element(test.mesh.vertices, tet, density, h * h * young, 1.0, triplets);
    if (test.mesh.tets.empty()) {
        for (const Triangle& triangle : test.mesh.triangles)
            add_element(test.mesh.vertices, triangle, density, h * h * young, thickness, triplets);
    }
    add_bending(test.mesh, test.bending, young * thickness * thickness * thickness / 12.0, h * h, triplets);
    const auto n = static_cast<Eigen::Index>(test.mesh.vertices.size());
    Sparse matrix(n, n);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    return matrix;
}

/// Shortest times of a call, in ms.
struct Times {
    double processor = std::numeric_limits<double>::infinity(), wall = std::numeric_limits<double>::infinity();
};

/// Calls once and keeps the times if they are shorter.
template <class Call>
void shorten(Times& best, const Call& call) {
    const double start = now_seconds();
    const std::clock_t ticks = std::clock();
    call();
    best.processor = std::min(best.processor, 1e3 * static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    best.wall = std::min(best.wall, 1e3 * (now_seconds() - start));
}

struct Result {
    Index unknowns = 0;
    std::size_t elements = 0;
    double factor_entries = 0.0, inverse_stored = 0.0, inverse_nonzeros = 0.0;
    double inverse_mebibytes = 0.0;
    Times factor[2], invert[2], triangular[2], products[2], factor_column, inverse_column;  // on one thread and on two
};

void read_half_columns(const FactoredOperator& factored) {
    constexpr Index columns = 64;
    std::vector<Index> rows;
    std::vector<double> values;
    for (Index k = 0; k < columns; ++k) {
        rows.clear();
        values.clear();
        factored.append_half_column(static_cast<Index>(static_cast<std::int64_t>(k) * factored.size() / columns), rows,
                                    values);
    }
}

/// Everything on one thread and on two in turn, so that what else runs on the machine hits all alike.
Result measure(const Case& test, double seconds) {
    const Sparse matrix = assemble(test);
    Result result;
    result.unknowns = static_cast<Index>(matrix.rows());
    result.elements = test.mesh.tets.empty() ? test.mesh.triangles.size() : test.mesh.tets.size();
    supernodal::Factor factor;
    supernodal::SparseInverse inverse;
    double end = now_seconds() + seconds;
    do {
        for (int threads = 1; threads <= 2; ++threads) {
            set_thread_count(threads);
            shorten(result.factor[threads - 1], [&] { factor = supernodal::factorize(matrix); });
            shorten(result.invert[threads - 1], [&] { inverse = supernodal::invert(factor); });
        }
    } while (now_seconds() < end);
    result.inverse_nonzeros = static_cast<double>(
        std::count_if(inverse.values.begin(), inverse.values.end(), [](double v) { return v != 0.0; }));
    const supernodal::TriangularSolves solves(std::move(factor));
    const supernodal::InverseProducts products(std::move(inverse));
    result.factor_entries = solves.entries();
    result.inverse_stored = products.entries();
    result.inverse_mebibytes = static_cast<double>(products.bytes()) / mebibyte;
    std::vector<double> x(3 * static_cast<std::size_t>(matrix.rows()), 1.0), y(x.size());
    end = now_seconds() + seconds;
    do {
        for (int threads = 1; threads <= 2; ++threads) {
            set_thread_count(threads);
            for (int repeat = 0; repeat < 5; ++repeat)
                shorten(result.triangular[threads - 1], [&] { solves.solve(x.data(), y.data()); });
            for (int repeat = 0; repeat < 5; ++repeat)
                shorten(result.products[threads - 1], [&] { products.solve(x.data(), y.data()); });
        }
        shorten(result.factor_column, [&] { read_half_columns(solves); });
        shorten(result.inverse_column, [&] { read_half_columns(products); });
    } while (now_seconds() < end);
    set_thread_count(0);
    return result;
}

Case cloth(int cells, Bending bending, double vertices, double elements, double mebibytes) {
    const char* names[] = {"cloth", "cloth, isometric bending", "cloth, Laplace-Beltrami bending"};
    Case test{names[static_cast<int>(bending)],
              generate_cloth(1.0, 1.0, cells, cells),
              bending,
              vertices,
              elements,
              mebibytes};
    jitter(test.mesh, true);
    return test;
}

Case solid(const std::string& name, Mesh mesh, double vertices, double elements, double mebibytes) {
    jitter(mesh, false);
    return {name, std::move(mesh), Bending::none, vertices, elements, mebibytes};
}

Mesh box(int x, int y, int z) {
    return generate_box(Vec3(x, y, z) * 0.01, {x, y, z});
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    const double sizes[4] = {5.1, 10.2, 15.3, 20.2}, triangles[4] = {10.0, 20.2, 30.3, 40.0};
    const double memory[3][4] = {
        {34.80, 102.51, 183.79, 280.41}, {62.37, 183.82, 342.68, 523.36}, {87.08, 258.85, 487.14, 749.10}};
    const int cells[4] = {70, 100, 123, 141};
    for (const Bending bending : {Bending::none, Bending::isometric, Bending::laplacian}) {
        for (int k = 0; k < 4; ++k)
            cases.push_back(cloth(cells[k], bending, sizes[k], triangles[k], memory[static_cast<int>(bending)][k]));
    }
    cases.push_back(solid("ball", generate_ball(0.1, 12), 7.1, 37.5, 266.87));
    cases.push_back(solid("ball", generate_ball(0.1, 16), 14.7, 81.7, 946.97));
    cases.push_back(solid("bar 2 : 1 : 1", box(26, 13, 13), 5.3, 26.4, 125.02));
    cases.push_back(solid("bar 2 : 1 : 1", box(34, 17, 17), 11.3, 59.0, 463.03));
    cases.push_back(solid("bar 2 : 1 : 1", box(42, 21, 21), 20.8, 111.1, 1310.19));
    cases.push_back(solid("plate (gingerbread man)", box(53, 53, 3), 11.8, 48.2, 227.30));
    cases.push_back(solid("plate (gingerbread man)", box(61, 61, 4), 19.5, 93.6, 619.41));
    return cases;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("The memory of S = L^-1 and its cost beside triangular solves");
    double seconds = 1.0;
    std::string only;
    app.add_option("--repeat", seconds, "seconds of repetitions for each time");
    app.add_option("--only", only, "cases whose name holds this text");
    CLI11_PARSE(app, argc, argv);
    std::string memory =
        "| mesh | vertices | elements | L, 10^6 entries | S, 10^6 non-zeros | a column | S here, MB | 36 bytes a "
        "non-zero, MB | paper: vertices, elements | paper, MB | ratio |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n";
    std::string times =
        "| mesh | vertices | factor, ms | making S / factor | triangular solve, ms | solve with S / triangular | the "
        "same, 2 threads | gain of 2 threads: factor, making S, triangular solve, solve with S | half column by L / by "
        "S |\n"
        "|---|---|---|---|---|---|---|---|---|\n";
    bool any = false;
    for (const Case& test : all_cases()) {
        if (test.name.find(only) == std::string::npos) continue;
        any = true;
        const Result r = measure(test, seconds);
        const double as_counted = 36.0 * r.inverse_nonzeros / mebibyte;
        memory += fmt::format(
            "| {} | {} | {} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {:.1f} | {:.1f}K, {:.1f}K | {:.1f} | {:.2f} |\n",
            test.name, r.unknowns, r.elements, r.factor_entries / 1e6, r.inverse_nonzeros / 1e6,
            r.inverse_nonzeros / r.unknowns, r.inverse_mebibytes, as_counted, test.paper_vertices, test.paper_elements,
            test.paper_mebibytes, as_counted / test.paper_mebibytes);
        const auto speedup = [](const Times(&on)[2]) { return on[0].wall / on[1].wall; };
        times += fmt::format(
            "| {} | {} | {:.0f} | {:.1f} | {:.2f} | {:.1f} | {:.1f} | {:.2f}, {:.2f}, {:.2f}, {:.2f} | {:.0f} |\n",
            test.name, r.unknowns, r.factor[0].processor, r.invert[0].processor / r.factor[0].processor,
            r.triangular[0].processor, r.products[0].processor / r.triangular[0].processor,
            r.products[1].wall / r.triangular[1].wall, speedup(r.factor), speedup(r.invert), speedup(r.triangular),
            speedup(r.products), r.factor_column.processor / r.inverse_column.processor);
        std::fprintf(stderr, "%s %d: padding of S %.1f %%\n", test.name.c_str(), r.unknowns,
                     100.0 * (r.inverse_stored / r.inverse_nonzeros - 1.0));
    }
    if (!any) {
        std::fprintf(stderr, "local_global_memory: --only: no case has '%s' in its name\n", only.c_str());
        return 1;
    }
    std::printf("%s\n%s", memory.c_str(), times.c_str());
    return 0;
}
