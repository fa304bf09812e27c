// Factored operators kept in files between runs.
#pragma once

#include "stiction/linalg/factored_operator.hpp"

#include <filesystem>

namespace stiction::local_global {

/// A factored matrix, and what there is to say about its file.
struct CachedOperator {
    std::unique_ptr<FactoredOperator> factored;
    /// A note for the report that names a file which could not be used or written; else "".
    std::string note;
};

/// Factors a matrix, or reads its factored operator from `folder`; a new one is written there. The name of a file is a
/// hash of matrix and kind (operator_key), and the file is checked against it. Files are written atomically. A damaged
/// file is replaced. The bits of the operator are the same from a file and from the matrix.
/// @param folder  created if it does not exist; empty: nothing is read or written
/// Throws as factor_operator.
CachedOperator factor_with_cache(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind,
                                 const std::filesystem::path& folder);

}  // namespace stiction::local_global
