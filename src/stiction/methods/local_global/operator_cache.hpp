// Factored operators kept in files between runs.
#pragma once

#include "stiction/linalg/factored_operator.hpp"

#include <filesystem>

namespace stiction::local_global {

struct CachedOperator {
    std::unique_ptr<FactoredOperator> factored;
    /// A sentence for the report when a file could not be used or written, naming it; "" otherwise.
    std::string note;
};

/// The operator of a matrix, from the file in `folder` that belongs to it, or made and written there. A file's name is
/// a hash of matrix and kind (operator_key), so that one of another matrix is never taken up; it appears whole or not
/// at all. A file that is damaged is made again and replaced. The bits do not depend on where the operator came from.
/// @param folder  made when it is not there; empty: nothing is read or written
/// Throws as factor_operator.
CachedOperator factor_with_cache(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind,
                                 const std::filesystem::path& folder);

}  // namespace stiction::local_global
