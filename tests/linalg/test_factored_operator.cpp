#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/factored_operator.hpp"
#include "stiction/linalg/supernodal/automatic_operator.hpp"
#include "stiction/linalg/supernodal/rounding.hpp"

#include "linalg/random_system.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Triplets = std::vector<Eigen::Triplet<double>>;

Sparse assemble(Index n, const Triplets& triplets) {
    Sparse matrix(n, n);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    return matrix;
}

/// A weighted graph Laplacian with positive or negative weights of edges, made definite by its diagonal.
void add_edge(Triplets& triplets, Index i, Index j, double weight) {
    if (i == j) return;
    triplets.emplace_back(i, j, -weight);
    triplets.emplace_back(j, i, -weight);
    triplets.emplace_back(i, i, std::abs(weight));
    triplets.emplace_back(j, j, std::abs(weight));
}

Triplets random_diagonal(Random& random, Index n) {
    Triplets triplets;
    for (Index i = 0; i < n; ++i) triplets.emplace_back(i, i, std::pow(10.0, uniform(random, -2.0, 2.0)));
    return triplets;
}

Sparse random_graph(Random& random, Index n, int edges) {
    Triplets triplets = random_diagonal(random, n);
    for (const auto& [i, j] : random_pairs(random, n, edges)) add_edge(triplets, i, j, uniform(random, -1.0, 3.0));
    return assemble(n, triplets);
}

/// Several cubes of tets that do not touch.
Sparse cubes(Random& random, Index side, Index copies) {
    const KuhnCube cube(side);
    const auto one = static_cast<Index>(cube.nodes.size());
    Triplets triplets = random_diagonal(random, one * copies);
    for (Index copy = 0; copy < copies; ++copy) {
        for (const auto& tet : cube.tets) {
            for (int a = 0; a < 4; ++a) {
                for (int b = 0; b < a; ++b)
                    add_edge(triplets, copy * one + tet[a], copy * one + tet[b], uniform(random, 0.0, 100.0));
            }
        }
    }
    return assemble(one * copies, triplets);
}

Columns random_columns(Random& random, Index n) {
    Columns columns(n, 3);
    for (Index i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) columns(i, k) = uniform(random);
    }
    return columns;
}

/// L by positions.
Sparse lower_factor(const supernodal::Factor& factor) {
    const supernodal::Pattern& pattern = factor.pattern;
    Triplets triplets;
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        const double* column = factor.block(s);
        const Index width = pattern.width(s), front = pattern.front(s), begin = pattern.column_begin[s];
        for (Index j = 0; j < width; ++j, column += front) {
            for (Index i = j; i < front; ++i) {
                const Index row =
                    i < width ? begin + i : pattern.rows[pattern.row_begin[s] + static_cast<std::size_t>(i - width)];
                triplets.emplace_back(row, begin + j, column[i]);
            }
        }
    }
    return assemble(pattern.unknowns, triplets);
}

/// The factor that factor_operator() keeps or inverts with most_in_double = 0.
supernodal::Factor rounded_factor(const Sparse& matrix) {
    supernodal::Factor factor = supernodal::factorize(matrix);
    supernodal::round_to_single_precision(matrix, factor);
    return factor;
}

/// P^T L L^T P.
Sparse product(const supernodal::Factor& factor) {
    const Sparse lower = lower_factor(factor);
    Sparse permutation(lower.rows(), lower.rows());
    for (Index k = 0; k < factor.pattern.unknowns; ++k)
        permutation.insert(k, factor.pattern.order[static_cast<std::size_t>(k)]) = 1.0;
    return permutation.transpose() * Sparse(lower * lower.transpose()) * permutation;
}

/// Column j of S as a dense vector.
Eigen::VectorXd half_column(const FactoredOperator& factored, Index j) {
    std::vector<Index> rows{-7};
    std::vector<double> values{1.0, 2.0};
    factored.append_half_column(j, rows, values);
    REQUIRE(rows.size() + 1 == values.size());
    CHECK(rows[0] == -7);
    CHECK(values[1] == 2.0);
    Eigen::VectorXd column = Eigen::VectorXd::Zero(factored.size());
    for (std::size_t k = 1; k < rows.size(); ++k) {
        REQUIRE(rows[k] < factored.size());
        REQUIRE((k == 1 ? rows[k] >= 0 : rows[k] > rows[k - 1]));
        column[rows[k]] = values[k + 1];
    }
    return column;
}

/// Forces at some unknowns move these as solve() says, and no others are made wrong. Between the solves others leave
/// their numbers in the operator.
void check_part(Random& random, const FactoredOperator& factored) {
    const Index n = factored.size();
    const auto disturb = [&] {
        Columns other = random_columns(random, n);
        factored.solve(other.data(), other.data());
    };
    for (const Index count : {Index{0}, std::min(n, Index{1}), n / 10, n}) {
        std::vector<Index> unknowns;
        for (Index k = 0; k < count; ++k) unknowns.push_back(count == n ? k : random_index(random, n));
        OperatorPart part;
        part.touched.assign(3, 1);  // of an operator before
        factored.find_part(unknowns, part);
        CHECK(part.entries <= factored.entries());
        CHECK((count < n || part.entries == factored.entries()));
        Columns b = Columns::Zero(n, 3), whole(n, 3);
        for (const Index i : unknowns) b.row(i) << uniform(random), uniform(random), uniform(random);
        factored.solve(b.data(), whole.data());
        constexpr double untouched = 1234.5;
        Columns x = Columns::Constant(n, 3, untouched);
        disturb();
        factored.solve_part(part, b.data(), x.data());
        disturb();
        factored.solve_part(part, b.data(), b.data());
        for (const Index i : unknowns) {
            CHECK(x.row(i) == whole.row(i));
            CHECK(b.row(i) == whole.row(i));
        }
        for (Index i = 0; i < n; ++i) CHECK((x.row(i) == whole.row(i) || (x.row(i).array() == untouched).all()));
    }
    OperatorPart part;
    CHECK_THROWS_AS(factored.find_part({n}, part), InternalError);
    CHECK_THROWS_AS(factored.find_part({-1}, part), InternalError);
}

/// Solutions and products of half columns against the dense inverse. Errors are held against those of an inverse known
/// to working precision: cond(A) eps.
void check_against_dense(Random& random, const Sparse& matrix, const FactoredOperator& factored) {
    const Index n = static_cast<Index>(matrix.rows());
    REQUIRE(factored.size() == n);
    const Eigen::MatrixXd dense = matrix, inverse = dense.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    const double tolerance = 1e-14 * (1.0 + n) * dense.norm() * inverse.norm();
    const Columns b = random_columns(random, n);
    Columns x(n, 3);
    factored.solve(b.data(), x.data());
    const Columns expected = inverse * b;
    CHECK((x - expected).norm() <= tolerance * expected.norm());
    Columns in_place = b;
    factored.solve(in_place.data(), in_place.data());
    CHECK((in_place.array() == x.array()).all());
    Columns first(n, 3), second(n, 3);
    factored.solve_first_half(b.data(), first.data());
    factored.solve_second_half(first.data(), second.data());
    CHECK((second.array() == x.array()).all());
    check_part(random, factored);
    Eigen::MatrixXd half(n, n);
    for (Index j = 0; j < n; ++j) half.col(j) = half_column(factored, j);
    Columns permuted = half * b;
    CHECK((first - permuted).norm() <= tolerance * permuted.norm());
    CHECK((half.transpose() * half - inverse).norm() <= tolerance * inverse.norm());
}

const std::vector<OperatorKind> kinds{OperatorKind::triangular_solves, OperatorKind::sparse_inverse,
                                      OperatorKind::automatic};

void check_all_against_dense(Random& random, const Sparse& matrix) {
    for (const OperatorKind kind : kinds) {
        CAPTURE(operator_names()[static_cast<std::size_t>(kind)]);
        check_against_dense(random, matrix, *factor_operator(matrix, kind));
        // L L^T of the rounded factor is what these operators invert.
        if (matrix.rows() > 0)
            check_against_dense(random, product(rounded_factor(matrix)), *factor_operator(matrix, kind, 0.0));
    }
}

}  // namespace

TEST_CASE(
    "the position of an unknown is the first row of its half column, and sorts columns so that rows meet neighbours") {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Sparse matrix = seed % 2 == 0 ? random_graph(random, 60, 120) : cubes(random, 2, 3);
        for (const OperatorKind kind :
             {OperatorKind::triangular_solves, OperatorKind::sparse_inverse, OperatorKind::automatic}) {
            const auto factored = factor_operator(matrix, kind);
            std::vector<Index> by_position(static_cast<std::size_t>(factored->size()), -1);
            std::vector<std::vector<Index>> columns_of_row(by_position.size());
            for (Index j = 0; j < factored->size(); ++j)
                by_position[static_cast<std::size_t>(factored->position(j))] = j;
            for (std::size_t k = 0; k < by_position.size(); ++k) {
                REQUIRE(by_position[k] >= 0);
                std::vector<Index> rows;
                std::vector<double> values;
                factored->append_half_column(by_position[k], rows, values);
                CHECK(rows.front() == static_cast<Index>(k));
                for (const Index row : rows)
                    columns_of_row[static_cast<std::size_t>(row)].push_back(static_cast<Index>(k));
            }
            for (const auto& columns : columns_of_row)
                CHECK(columns.back() - columns.front() + 1 == static_cast<Index>(columns.size()));
        }
    }
}

TEST_CASE("factored operator: random graphs against the dense inverse") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 80);
        const Sparse matrix = random_graph(random, n, random_index(random, 4 * n));
        check_all_against_dense(random, matrix);
    }
}

TEST_CASE("factored operator: meshes against the dense inverse") {
    Random random(5);
    for (const auto& [side, copies] : {std::array<Index, 2>{2, 1}, {3, 4}, {6, 1}, {7, 2}}) {
        CAPTURE(side);
        const Sparse matrix = cubes(random, side, copies);
        check_all_against_dense(random, matrix);
    }
}

TEST_CASE("factored operator: solves between unknowns of one body do not read the others") {
    Random random(7);
    const Sparse matrix = cubes(random, 4, 3);
    const Index one = static_cast<Index>(matrix.rows()) / 3;
    for (const OperatorKind kind : {OperatorKind::triangular_solves, OperatorKind::automatic}) {
        const auto factored = factor_operator(matrix, kind);
        double sum = 0.0;
        for (Index body = 0; body < 3; ++body) {
            std::vector<Index> unknowns;
            for (Index k = 0; k < one; ++k) unknowns.push_back(body * one + k);
            OperatorPart all, some;
            factored->find_part(unknowns, all);
            factored->find_part({unknowns.front()}, some);
            CHECK(some.entries < all.entries);
            sum += all.entries;
        }
        CHECK(sum == factored->entries());
    }
}

TEST_CASE("factored operator: degenerate matrices") {
    Random random(6);
    for (const Index n : {0, 1, 2, 17, 100}) {
        CAPTURE(n);
        const Sparse diagonal = assemble(n, random_diagonal(random, n));
        check_all_against_dense(random, diagonal);
    }
    Triplets full = random_diagonal(random, 40);
    for (Index i = 0; i < 40; ++i) {
        for (Index j = 0; j < i; ++j) add_edge(full, i, j, uniform(random));
    }
    check_all_against_dense(random, assemble(40, full));
}

TEST_CASE("factored operator: the lower triangle is read") {
    Random random(7);
    const Sparse matrix = random_graph(random, 50, 150), lower = matrix.triangularView<Eigen::Lower>();
    const Columns b = random_columns(random, 50);
    Columns x(50, 3), y(50, 3);
    for (const OperatorKind kind : kinds) {
        factor_operator(matrix, kind)->solve(b.data(), x.data());
        factor_operator(lower, kind)->solve(b.data(), y.data());
        CHECK((x.array() == y.array()).all());
    }
}

TEST_CASE("factored operator: same bits on one thread and on several") {
    Random random(8);
    const Sparse matrix = cubes(random, 11, 2);
    const auto n = static_cast<Index>(matrix.rows());
    const Columns b = random_columns(random, n);
    for (const double most_in_double : {most_double_entries, 0.0}) {
        const Sparse inverted = most_in_double == 0.0 ? product(rounded_factor(matrix)) : matrix;
        for (const OperatorKind kind : kinds) {
            const auto solve_on = [&](int threads) {
                set_thread_count(threads);
                Columns x(n, 3);
                factor_operator(matrix, kind, most_in_double)->solve(b.data(), x.data());
                set_thread_count(0);
                return x;
            };
            const Columns one = solve_on(1);
            CHECK((inverted * one - b).norm() <= 1e-11 * b.norm());
            for (const int threads : {2, 3, 8}) CHECK((solve_on(threads).array() == one.array()).all());
        }
    }
}

TEST_CASE("factored operator: a matrix that is not positive definite is refused, and the unknown named") {
    Random random(9);
    const auto refused_at = [](const Sparse& matrix) {
        try {
            factor_for_triangular_solves(matrix);
        } catch (const NotPositiveDefinite& error) {
            const std::string text = error.what();
            CHECK_MESSAGE(text.find(std::to_string(error.unknown())) != std::string::npos, text);
            return error.unknown();
        }
        return Index{-1};
    };
    // Two bodies; one has an unknown of no mass and no neighbour, or is held by nothing.
    Triplets no_mass = random_diagonal(random, 30);
    no_mass[21] = {21, 21, 0.0};
    CHECK(refused_at(assemble(30, no_mass)) == 21);
    no_mass[21] = {21, 21, -1.0};
    CHECK(refused_at(assemble(30, no_mass)) == 21);
    no_mass[21] = {21, 21, std::numeric_limits<double>::quiet_NaN()};
    CHECK(refused_at(assemble(30, no_mass)) == 21);
    no_mass[21] = {22, 21, std::numeric_limits<double>::infinity()};
    CHECK(refused_at(assemble(30, no_mass)) == 22);
    Triplets floating = random_diagonal(random, 40);
    for (Index i = 20; i < 40; ++i) floating[i] = {i, i, 0.0};
    for (int k = 0; k < 200; ++k)
        add_edge(floating, 20 + random_index(random, 20), 20 + random_index(random, 20), uniform(random, 1.0, 2.0));
    CHECK(refused_at(assemble(40, floating)) >= 20);
    // A missing diagonal entry.
    CHECK(refused_at(assemble(2, {{0, 0, 1.0}})) == 1);
    CHECK_THROWS_AS(factor_for_triangular_solves(Sparse(3, 4)), InternalError);
}

TEST_CASE(
    "factored operator: half columns are those of the inverse of the factor, and there is none of an unknown that does "
    "not exist") {
    Random random(10);
    const Sparse matrix = cubes(random, 5, 2);
    const auto n = static_cast<Index>(matrix.rows());
    const auto solves = factor_for_triangular_solves(matrix), products = factor_for_sparse_inverse(matrix);
    for (Index j = 0; j < n; ++j) {
        const Eigen::VectorXd one = half_column(*solves, j), other = half_column(*products, j);
        CHECK((one - other).norm() <= 1e-13 * one.norm());
        // Of the two bodies each column knows one.
        CHECK((one.array() != 0.0).count() <= n / 2);
    }
    const auto automatic = factor_operator(matrix, OperatorKind::automatic);
    CHECK(solves->entries() <= products->entries());
    std::vector<Index> rows;
    std::vector<double> values;
    for (const FactoredOperator* factored : {solves.get(), products.get(), automatic.get()}) {
        CHECK_THROWS_AS(factored->append_half_column(-1, rows, values), InternalError);
        CHECK_THROWS_AS(factored->append_half_column(n, rows, values), InternalError);
    }
}

TEST_CASE(
    "factored operator: 'auto' solves like triangular solves and takes half columns from the inverse, unless that is "
    "too large") {
    Random random(11);
    const Sparse matrix = cubes(random, 9, 1);
    const auto n = static_cast<Index>(matrix.rows());
    const auto solves = factor_for_triangular_solves(matrix), products = factor_for_sparse_inverse(matrix);
    const supernodal::Factor factor = supernodal::factorize(matrix);
    CHECK(supernodal::inverse_entries(factor.pattern) == products->entries());
    const Columns b = random_columns(random, n);
    for (const double most_entries : {products->entries(), products->entries() - 1.0}) {
        const supernodal::AutomaticOperator automatic(factor, most_entries);
        const std::size_t before = automatic.bytes();
        CHECK(before == solves->bytes());
        Columns x(n, 3), y(n, 3);
        solves->solve(b.data(), x.data());
        automatic.solve(b.data(), y.data());
        CHECK((x.array() == y.array()).all());
        const FactoredOperator& source = most_entries < products->entries() ? *solves : *products;
        // The first call comes from several threads at once, inside of a loop.
        std::vector<std::vector<Index>> rows(static_cast<std::size_t>(n));
        std::vector<std::vector<double>> values(static_cast<std::size_t>(n));
        parallel_for(
            rows.size(),
            [&](std::size_t j) { automatic.append_half_column(static_cast<Index>(j), rows[j], values[j]); }, 1);
        for (std::size_t j = 0; j < rows.size(); ++j) {
            std::vector<Index> expected_rows;
            std::vector<double> expected_values;
            source.append_half_column(static_cast<Index>(j), expected_rows, expected_values);
            REQUIRE(rows[j] == expected_rows);
            REQUIRE(values[j] == expected_values);
        }
        CHECK(automatic.bytes() == (&source == solves.get() ? before : before + products->bytes()));
    }
}

TEST_CASE("factor in single precision: off the diagonal 24 bits are kept, and row sums of the matrix to 1e-14") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        // Masses are 1e-4 to 1e-8 of the stiffness: what plain rounding of L would lose.
        Triplets triplets;
        const Index n = 20 + random_index(random, 200);
        for (Index i = 0; i < n; ++i) triplets.emplace_back(i, i, std::pow(10.0, uniform(random, -8.0, -4.0)));
        for (const auto& [i, j] : random_pairs(random, n, 4 * n)) add_edge(triplets, i, j, uniform(random, 0.1, 1.0));
        const Sparse matrix = assemble(n, triplets);
        const supernodal::Factor exact = supernodal::factorize(matrix);
        supernodal::Factor factor = exact;
        REQUIRE(supernodal::round_to_single_precision(matrix, factor));
        const Sparse rounded = lower_factor(factor), lower = lower_factor(exact);
        double largest_change = 0.0;
        for (Index j = 0; j < n; ++j) {
            for (Sparse::InnerIterator entry(rounded, j); entry; ++entry) {
                const double before = lower.coeff(entry.row(), j);
                if (entry.row() != j) CHECK(entry.value() == static_cast<double>(static_cast<float>(before)));
                largest_change = std::max(largest_change, std::abs(entry.value() - before) / lower.coeff(j, j));
            }
        }
        CHECK(largest_change > 1e-9);
        CHECK(largest_change < 1e-5);
        // L u = P A 1 with u = L^T 1: the masses come back through numbers as large as the stiffness.
        const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n), sums = matrix * ones, kept = product(factor) * ones;
        const double stiffness = Eigen::VectorXd(matrix.diagonal()).maxCoeff();
        CHECK((kept - sums).lpNorm<Eigen::Infinity>() <= 1e-14 * n * stiffness);
        // A common motion of all is found as exactly as with L itself; forces of no sum nearly so.
        for (const OperatorKind kind : kinds) {
            const auto factored = factor_operator(matrix, kind, 0.0);
            Columns b(n, 3), x(n, 3);
            for (int k = 0; k < 3; ++k) b.col(k) = sums;
            factored->solve(b.data(), x.data());
            const double condition = stiffness / sums.minCoeff();
            CHECK((x.array() - 1.0).abs().maxCoeff() <= 1e-15 * condition);
            b = random_columns(random, n);
            b.rowwise() -= b.colwise().mean();
            factored->solve(b.data(), x.data());
            Columns y = b;
            const supernodal::TriangularSolves in_double(exact);
            CHECK_FALSE(in_double.single_precision());
            in_double.solve(b.data(), y.data());
            CHECK((x - y).norm() <= 1e-5 * y.norm());
            CHECK((x - y).norm() > 1e-12 * y.norm());
        }
    }
}

TEST_CASE("factor in single precision: it stays in double where the diagonal cannot keep row sums") {
    // Eliminated from the small diagonal on, L = [1 0; -2 1]: u = L^T 1 is (-1, 1), and d (d - 2) = -1 has the double
    // root 1. The other way round L = [sqrt 5 0; -2/sqrt 5 1/sqrt 5], and rounding is possible.
    int refused = 0;
    for (const Index small : {0, 1}) {
        const Index large = 1 - small;
        const Sparse matrix =
            assemble(2, {{small, small, 1.0}, {1, 0, -2.0}, {0, 1, -2.0}, {large, large, 5.0 + 1e-12}});
        supernodal::Factor factor = supernodal::factorize(matrix);
        const std::vector<double> before = factor.values;
        const bool done = supernodal::round_to_single_precision(matrix, factor);
        CHECK(done == (factor.pattern.order[0] == large));
        CHECK(done == (factor.values != before));
        refused += done ? 0 : 1;
    }
    CHECK(refused >= 1);
    // Of many such pairs some are eliminated in each order.
    Random random(12);
    Triplets triplets;
    for (Index i = 0; i < 40; ++i) {
        triplets.emplace_back(2 * i, 2 * i, 1.0);
        triplets.emplace_back(2 * i + 1, 2 * i + 1, 5.0 + 1e-12);
        triplets.emplace_back(2 * i + 1, 2 * i, -2.0);
        triplets.emplace_back(2 * i, 2 * i + 1, -2.0);
    }
    const Sparse many = assemble(80, triplets);
    check_all_against_dense(random, many);
}

TEST_CASE("factor in single precision: half the memory, the same numbers when they are unpacked") {
    Random random(13);
    const Sparse matrix = cubes(random, 7, 1);
    const supernodal::Factor exact = supernodal::factorize(matrix), rounded = rounded_factor(matrix);
    const supernodal::TriangularSolves in_double(exact), in_single(rounded);
    CHECK(in_single.single_precision());
    CHECK(in_double.factor().values == exact.values);
    CHECK(in_single.factor().values == rounded.values);
    const auto saved = static_cast<double>(in_double.bytes() - in_single.bytes());
    CHECK(saved > 3.5 * 0.8 * in_single.entries());
    CHECK(saved < 4.5 * in_single.entries());
}

TEST_CASE("factored operator: kinds have names") {
    CHECK(operator_names().size() == kinds.size());
}
