// Row and column scales that bring a matrix of 3x3 blocks to entries of unit size.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <vector>

namespace stiction {

/// For each entry (i, j) of pattern.row_entries the number of the entry (j, i); a diagonal entry is its own.
std::vector<Index> transposed_entries(const BlockPattern& pattern);

/// Scales R, C such that every row and column of R A C has a largest absolute entry between 1/8 and 2.
struct LuScaling {
    VecX rows;     ///< diagonal of R
    VecX columns;  ///< diagonal of C

    /// Begins with what brings the diagonal to unit size, soft parts beside stiff ones, and goes on from there (Ruiz, A
    /// scaling algorithm to equilibrate both rows and columns norms in matrices, 2001), which ends at once unless the
    /// diagonal is small. Rounded to powers of two, so that scaling changes no digit. R = C when |A| is symmetric.
    /// @param values      one block an entry of pattern.row_entries, finite
    /// @param transposed  transposed_entries(pattern)
    void set(const BlockPattern& pattern, const std::vector<Mat3>& values, const std::vector<Index>& transposed);

    /// First scalar row, or column, of zeros that set() met; -1 when there is none.
    Index zero_row = -1;
    Index zero_column = -1;
};

}  // namespace stiction
