// Factored operators as bytes, to be kept between runs.
#pragma once

#include "stiction/linalg/factored_operator.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace stiction {

/// A hash (64 bits) of all that a factored operator depends on: pattern and values of the matrix (its lower triangle),
/// the kind, the format of the bytes, and what the program was built with, which decides the last bits of the numbers.
std::uint64_t operator_key(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind);

/// Exact bytes of an operator that factor_operator() made, with the key it belongs to and a checksum; in the byte order
/// of the machine. Of an automatic one they hold the factor only: S is made again when it is asked for.
std::string to_bytes(const FactoredOperator& factored, std::uint64_t key);

/// What was read, or why it cannot be used.
struct ReadOperator {
    std::unique_ptr<FactoredOperator> factored;
    std::string problem;  ///< "" when `factored` is there; else "damaged", "of another format or matrix"
};

/// The operator that was written, same bits. Bytes that are truncated, changed, of another version or another key are
/// told as a problem.
ReadOperator operator_from_bytes(std::string_view bytes, std::uint64_t key);

}  // namespace stiction
