#include "stiction/linalg/block_cholesky/update_matrix.hpp"

#include <algorithm>

namespace stiction::block_cholesky {

std::size_t update_size(std::ptrdiff_t rows) {
    std::ptrdiff_t size = 0;
    for (std::ptrdiff_t first = 0; first < rows; first += tile_size)
        size += (rows - first) * std::min(rows - first, tile_size);
    constexpr std::ptrdiff_t line = 16;  // single precision
    return static_cast<std::size_t>((size + line - 1) / line * line);
}

template <class Number>
void add_update(const UpdateMatrix<Number>& update, const Symbolic::Run* runs, const Symbolic::Run* end,
                const FrontPart<Number>& part) {
    const auto ends_before = [](const Symbolic::Run& run, Index place) { return run.parent + run.length <= place; };
    const Symbolic::Run* first_row_run = std::lower_bound(runs, end, part.row_begin, ends_before);
    const Symbolic::Run* run = std::lower_bound(runs, end, part.column_begin, ends_before);
    for (; run != end && run->parent < part.column_end; ++run) {
        const Index begin = std::max(run->parent, part.column_begin);
        const Index stop = std::min(run->parent + run->length, part.column_end);
        for (Index column = begin; column < stop; ++column) {
            const Index child_column = run->below + column - run->parent;
            const std::ptrdiff_t from_stride = update.stride(3 * child_column);
            const Number* const from = update.at(3 * child_column, 3 * child_column);
            Number* const to = part.first + 3 * (column - part.column_begin) * part.stride;
            for (const Symbolic::Run* row_run = std::max(run, first_row_run);
                 row_run != end && row_run->parent < part.row_end; ++row_run) {
                const Index row = std::max({row_run->parent, part.row_begin, row_run == run ? column : 0});
                const std::ptrdiff_t count =
                    3 * static_cast<std::ptrdiff_t>(std::min(row_run->parent + row_run->length, part.row_end) - row);
                const Number* const source = from + 3 * (row_run->below + row - row_run->parent - child_column);
                Number* const target = to + 3 * (row - part.row_begin);
                // Of the diagonal block the strictly upper triangle does not exist.
                const bool is_diagonal = row_run == run && row == column;
                for (std::ptrdiff_t c = 0; c < 3; ++c) {
                    for (std::ptrdiff_t i = is_diagonal ? c : 0; i < count; ++i)
                        target[c * part.stride + i] += source[c * from_stride + i];
                }
            }
        }
    }
}

template void add_update(const UpdateMatrix<double>&, const Symbolic::Run*, const Symbolic::Run*,
                         const FrontPart<double>&);
template void add_update(const UpdateMatrix<float>&, const Symbolic::Run*, const Symbolic::Run*,
                         const FrontPart<float>&);

}  // namespace stiction::block_cholesky
