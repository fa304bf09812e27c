#include "stiction/mesh/atomic_file.hpp"
#include "stiction/methods/local_global/operator_cache.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

using namespace stiction;
using namespace stiction::local_global;

namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// A chain of masses and springs.
Sparse chain(Index n, double stiffness) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < n; ++i) entries.emplace_back(i, i, 1.0 + 2.0 * stiffness);
    for (Index i = 1; i < n; ++i) {
        entries.emplace_back(i, i - 1, -stiffness);
        entries.emplace_back(i - 1, i, -stiffness);
    }
    Sparse matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

/// A folder of this test's own, removed at the end.
struct Folder {
    Folder() {
        std::random_device device;
        path = std::filesystem::temp_directory_path() / fmt::format("stiction-operators-{:x}{:x}", device(), device());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(path)) found.push_back(entry.path());
        return found;
    }
    std::filesystem::path path;
};

std::vector<double> solution(const FactoredOperator& factored) {
    std::vector<double> x(3 * static_cast<std::size_t>(factored.size()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7) - 2.5;
    factored.solve(x.data(), x.data());
    return x;
}

}  // namespace

TEST_CASE("operator cache: one file for each matrix and kind, same bits from the file") {
    const Folder folder;
    std::size_t files = 0;
    for (const OperatorKind kind :
         {OperatorKind::triangular_solves, OperatorKind::sparse_inverse, OperatorKind::automatic}) {
        for (const double stiffness : {1.0, 2.0}) {
            const Sparse matrix = chain(50, stiffness);
            const CachedOperator made = factor_with_cache(matrix, kind, folder.path / "made" / "here");
            CHECK(made.note == "");
            ++files;
            std::size_t count = 0;
            for (const auto& entry : std::filesystem::directory_iterator(folder.path / "made" / "here"))
                count += entry.is_regular_file();
            CHECK(count == files);
            const CachedOperator read = factor_with_cache(matrix, kind, folder.path / "made" / "here");
            CHECK(read.note == "");
            CHECK(solution(*read.factored) == solution(*made.factored));
            CHECK(solution(*made.factored) == solution(*factor_with_cache(matrix, kind, {}).factored));
        }
    }
}

TEST_CASE("operator cache: the file is what is read") {
    // Its bytes are put under the name of another matrix's file: told as foreign, so it was opened.
    const Folder folder;
    factor_with_cache(chain(10, 1.0), OperatorKind::sparse_inverse, folder.path);
    const auto first = folder.files().at(0);
    const auto bytes = read_whole_file(first);
    REQUIRE(bytes);
    std::filesystem::remove(first);
    const Sparse other = chain(10, 3.0);
    factor_with_cache(other, OperatorKind::sparse_inverse, folder.path);
    const auto second = folder.files().at(0);
    CHECK(second != first);
    write_file_atomically(second, *bytes);
    const CachedOperator again = factor_with_cache(other, OperatorKind::sparse_inverse, folder.path);
    CHECK(again.note == second.string() + " is of another format or matrix: made again");
    CHECK(solution(*again.factored) == solution(*factor_for_sparse_inverse(other)));
}

TEST_CASE("operator cache: damaged files are made again, with a note, and replaced") {
    const Folder folder;
    const Sparse matrix = chain(30, 1.0);
    const auto expected = solution(*factor_with_cache(matrix, OperatorKind::automatic, folder.path).factored);
    const auto file = folder.files().at(0);
    const std::string whole = *read_whole_file(file);
    for (const std::size_t kept : {whole.size() - 1, whole.size() / 2, std::size_t{45}}) {
        CAPTURE(kept);
        write_file_atomically(file, whole.substr(0, kept));
        const CachedOperator again = factor_with_cache(matrix, OperatorKind::automatic, folder.path);
        CHECK(again.note == file.string() + " is damaged: made again");
        CHECK(solution(*again.factored) == expected);
        CHECK(*read_whole_file(file) == whole);
    }
    std::string changed = whole;
    changed[whole.size() - 5] ^= 4;
    write_file_atomically(file, changed);
    CHECK(factor_with_cache(matrix, OperatorKind::automatic, folder.path).note ==
          file.string() + " is damaged: made again");
    CHECK(factor_with_cache(matrix, OperatorKind::automatic, folder.path).note == "");
}

TEST_CASE("operator cache: a folder that cannot be used costs the file, not the run; bad matrices leave none") {
    const Folder folder;
    std::filesystem::create_directories(folder.path);
    write_file_atomically(folder.path / "file", "x");
    const CachedOperator made =
        factor_with_cache(chain(5, 1.0), OperatorKind::automatic, folder.path / "file" / "below");
    CHECK(made.factored);
    CHECK(made.note.find("factored operator not kept: ") == 0);
    CHECK_THROWS_AS(factor_with_cache(chain(5, -10.0), OperatorKind::automatic, folder.path), NotPositiveDefinite);
    CHECK(folder.files().size() == 1);
    CHECK(!read_whole_file(folder.path / "nothing"));
    CHECK(!read_whole_file(folder.path));
    CHECK(read_whole_file(folder.path / "file") == "x");
}
