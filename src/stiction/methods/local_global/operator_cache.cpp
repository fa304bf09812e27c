#include "stiction/methods/local_global/operator_cache.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/operator_bytes.hpp"
#include "stiction/mesh/atomic_file.hpp"

#include <fmt/format.h>

namespace stiction::local_global {

CachedOperator factor_with_cache(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind,
                                 const std::filesystem::path& folder) {
    CachedOperator result;
    if (folder.empty()) {
        result.factored = factor_operator(matrix, kind);
        return result;
    }
    const std::uint64_t key = operator_key(matrix, kind);
    const std::filesystem::path file = folder / fmt::format("operator-{:016x}.bin", key);
    if (const auto bytes = read_whole_file(file)) {
        ReadOperator read = operator_from_bytes(*bytes, key);
        result.factored = std::move(read.factored);
        if (result.factored) return result;
        result.note = fmt::format("{} is {}: made again", file.string(), read.problem);
    }
    result.factored = factor_operator(matrix, kind);
    try {
        std::error_code error;
        std::filesystem::create_directories(folder, error);  // if this fails, writing fails and says why
        write_file_atomically(file, to_bytes(*result.factored, key));
    } catch (const InputError& error) {
        result.note = fmt::format("factored operator not kept: {}", error.what());
    }
    return result;
}

}  // namespace stiction::local_global
