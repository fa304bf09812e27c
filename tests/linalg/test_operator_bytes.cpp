#include "stiction/linalg/operator_bytes.hpp"

#include "linalg/random_system.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

using Sparse = Eigen::SparseMatrix<double>;

Sparse random_matrix(Random& random, Index n) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < n; ++i) entries.emplace_back(i, i, uniform(random, 20.0, 30.0));
    for (const auto& [i, j] : random_pairs(random, n, 2 * static_cast<int>(n))) {
        if (i == j) continue;
        const double value = uniform(random);
        entries.emplace_back(i, j, value);
        entries.emplace_back(j, i, value);
    }
    Sparse matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

std::vector<double> solution(const FactoredOperator& factored, const std::vector<double>& b) {
    std::vector<double> x(b.size());
    factored.solve(b.data(), x.data());
    return x;
}

const std::vector<OperatorKind> kinds{OperatorKind::triangular_solves, OperatorKind::sparse_inverse,
                                      OperatorKind::automatic};

/// In double and in single precision.
const std::vector<std::pair<OperatorKind, double>> kinds_and_precisions = [] {
    std::vector<std::pair<OperatorKind, double>> result;
    for (const OperatorKind kind : kinds) {
        result.emplace_back(kind, most_double_entries);
        result.emplace_back(kind, 0.0);
    }
    return result;
}();

}  // namespace

TEST_CASE("operator bytes: what is read solves and gives half columns with the same bits") {
    Random random(1);
    for (const Index n : {0, 1, 60, 400}) {
        CAPTURE(n);
        const Sparse matrix = random_matrix(random, n);
        std::vector<double> b(3 * static_cast<std::size_t>(n));
        for (double& value : b) value = uniform(random);
        for (const auto& [kind, most_in_double] : kinds_and_precisions) {
            const auto written = factor_operator(matrix, kind, most_in_double);
            const std::uint64_t key = operator_key(matrix, kind);
            const ReadOperator read = operator_from_bytes(to_bytes(*written, key), key);
            REQUIRE_MESSAGE(read.factored, read.problem);
            CHECK(read.problem.empty());
            CHECK(read.factored->bytes() == written->bytes());
            CHECK(solution(*read.factored, b) == solution(*written, b));
            for (Index j = 0; j < n; ++j) {
                std::vector<Index> rows, read_rows;
                std::vector<double> values, read_values;
                written->append_half_column(j, rows, values);
                read.factored->append_half_column(j, read_rows, read_values);
                REQUIRE(read_rows == rows);
                REQUIRE(read_values == values);
            }
        }
    }
}

TEST_CASE("operator bytes: truncated, changed and foreign ones are refused") {
    Random random(2);
    const Sparse matrix = random_matrix(random, 12);
    for (const OperatorKind kind : kinds) {
        const std::uint64_t key = operator_key(matrix, kind);
        const std::string bytes = to_bytes(*factor_operator(matrix, kind), key);
        const auto refused = [&](const std::string& changed, std::uint64_t wanted) {
            const ReadOperator read = operator_from_bytes(changed, wanted);
            return !read.factored && (read.problem == "damaged" || read.problem == "of another format or matrix");
        };
        CHECK(refused(bytes, key + 1));
        CHECK(refused(bytes + '\0', key));
        CHECK(refused("something else", key));
        for (std::size_t size = 0; size < bytes.size(); ++size)
            REQUIRE_MESSAGE(refused(bytes.substr(0, size), key), size);
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
            REQUIRE_MESSAGE(refused(changed, key), at);
        }
    }
}

TEST_CASE("operator bytes: the key depends on each entry and on the kind") {
    Random random(3);
    const Sparse matrix = random_matrix(random, 20);
    std::set<std::uint64_t> keys;
    std::size_t made = 0;
    const auto add = [&](const Sparse& other, OperatorKind kind) {
        keys.insert(operator_key(other, kind));
        ++made;
    };
    for (const OperatorKind kind : kinds) add(matrix, kind);
    for (Index j = 0; j < 20; ++j) {
        for (Index i = j; i < 20; ++i) {
            Sparse changed = matrix;
            changed.coeffRef(i, j) = std::nextafter(matrix.coeff(i, j), 100.0);
            add(changed, OperatorKind::automatic);
        }
    }
    add(random_matrix(random, 21), OperatorKind::automatic);
    CHECK(keys.size() == made);
    Sparse lower = matrix.triangularView<Eigen::Lower>();
    CHECK(operator_key(lower, OperatorKind::automatic) == operator_key(matrix, OperatorKind::automatic));
}
