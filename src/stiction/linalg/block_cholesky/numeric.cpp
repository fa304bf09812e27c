#include "stiction/linalg/block_cholesky/numeric.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_cholesky/dense_kernels.hpp"
#include "stiction/linalg/block_cholesky/update_matrix.hpp"
#include "stiction/linalg/sparse_factor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

namespace stiction::block_cholesky {
namespace {

/// As smallest_pivot_ratio.
template <class Number>
constexpr double smallest_pivot_ratio_of = smallest_pivot_ratio;
template <>
constexpr double smallest_pivot_ratio_of<float> = 8 * std::numeric_limits<float>::epsilon();

/// Columns that are factored at a time.
constexpr std::ptrdiff_t panel_width = 384;
/// Rows of a tile below the diagonal.
constexpr std::ptrdiff_t tile_height = 2 * tile_size;
constexpr Index tile_nodes = static_cast<Index>(tile_size / 3);

/// body(i) for i in [0, n); other threads take part only where that pays.
template <class Body>
void for_tiles(bool is_parallel, std::ptrdiff_t n, const Body& body) {
    const auto call = [&](std::size_t i) { body(static_cast<std::ptrdiff_t>(i)); };
    const auto count = static_cast<std::size_t>(n);
    if (is_parallel && n > 1) return parallel_subtasks(count, call);
    for (std::size_t i = 0; i < count; ++i) call(i);
}

/// What the symbolic factorisation calls a slot, in a symmetric matrix: side 0 is its lower triangle.
struct SymmetricBlocks {
    static constexpr std::size_t sides = 1;
    const BlockPattern& pattern;
    const std::vector<Mat3>& values;

    /// Nine numbers, and whether they are those of the transpose.
    std::pair<const double*, bool> block(std::size_t, Index slot) const {
        return {values[slot < 0 ? ~slot : slot].data(), slot < 0};
    }
    double diagonal(Index node, Eigen::Index component) const {
        return values[pattern.column_begin[node]](component, component);
    }
};

/// The same in a general matrix: side 0 is the lower triangle in elimination order, side 1 the upper one, transposed.
struct GeneralBlocks {
    static constexpr std::size_t sides = 2;
    const SlotEntries& entries;
    const std::vector<Mat3>& values;

    std::pair<const double*, bool> block(std::size_t side, Index slot) const {
        const bool is_upper = (slot < 0) != (side == 1);
        const Index s = slot < 0 ? ~slot : slot;
        return {values[is_upper ? entries.upper[s] : entries.lower[s]].data(), side == 1};
    }
};

/// A = L L^T, or A = L U with exchanges of rows within the pivots of a supernode. L and U^T have the same pattern: side
/// 0 of every array is the lower triangle, side 1, where there is one, the transpose of the upper one.
template <class Number, class Blocks>
class Factorization {
public:
    static constexpr std::size_t sides = Blocks::sides;
    using Update = std::array<UpdateMatrix<Number>, sides>;

    /// @param pivots  of L U: as LAPACK's getrf leaves them, supernode by supernode
    Factorization(const Symbolic& symbolic, const Blocks& blocks, Number* factor, MemoryPool& pool,
                  int* pivots = nullptr)
        : symbolic_(symbolic),
          blocks_(blocks),
          factor_(factor),
          pivots_(pivots),
          pool_(pool),
          updates_(symbolic.supernodes()),
          memory_(symbolic.supernodes()),
          pending_(symbolic.supernodes()) {
        for (const Index s : symbolic.above)
            pending_[s] = static_cast<Index>(symbolic.child_begin[s + 1] - symbolic.child_begin[s]);
    }

    Outcome run() {
        pool_.reset(bytes_of<Number>(sides * symbolic_.update_numbers));
        // Subtrees in order, whoever comes takes the next: what they leave is soon used up. Who does the last child
        // goes on with the parent.
        std::atomic<std::size_t> next = 0;
        parallel_tasks(symbolic_.subtrees.size(), [&](std::size_t) {
            const auto subtree = symbolic_.subtrees[next++];
            eliminate(subtree);
            for (Index s = symbolic_.parent[subtree.end - 1]; s >= 0 && --pending_[s] == 0; s = symbolic_.parent[s])
                eliminate(static_cast<std::size_t>(s), true);
        });
        if (is_out_of_memory_) return {Outcome::Kind::out_of_memory, -1, 0.0};
        return outcome_;
    }

private:
    /// All supernodes of a subtree. Their update matrices stand on two stacks in one array that grow towards each
    /// other. A supernode puts its own on one and takes those of its children from the other, where they are the
    /// topmost.
    void eliminate(const Symbolic::Subtree& subtree) {
        const std::size_t numbers = sides * symbolic_.most_update_numbers;
        Number* const stacks = pool_.take<Number>(numbers);
        if (!stacks) {
            is_out_of_memory_ = true;
            return;
        }
        std::size_t low = 0, high = numbers;
        for (Index k = subtree.begin; k < subtree.end; ++k) {
            const auto s = static_cast<std::size_t>(k);
            const std::size_t size = sides * update_size(3 * symbolic_.below(s));
            if (k + 1 < subtree.end) {
                if (symbolic_.is_odd[s]) high -= size;
                place(s, stacks + (symbolic_.is_odd[s] ? high : low));
                if (!symbolic_.is_odd[s]) low += size;
            }
            eliminate(s, false);
            for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c) {
                const auto child = static_cast<std::size_t>(symbolic_.children[c]);
                const std::size_t freed = sides * update_size(3 * symbolic_.below(child));
                if (symbolic_.is_odd[child]) high += freed;
                if (!symbolic_.is_odd[child]) low -= freed;
            }
        }
        pool_.give_back(stacks);
    }

    /// Columns of L of a supernode, and what it leaves to its parent.
    void eliminate(std::size_t s, bool is_parallel) {
        // Only columns before the first failure can still change the outcome.
        if (3 * std::ptrdiff_t{symbolic_.column_begin[s]} >= first_failure_ || is_out_of_memory_) return;
        const std::ptrdiff_t w = 3 * symbolic_.width(s), f = 3 * symbolic_.front(s);
        is_parallel = is_parallel && f > tile_size;
        for (std::size_t side = 0; side < sides; ++side) assemble_columns(side, s, is_parallel);
        if (!factor_columns(s, w, f, is_parallel)) return;
        if (f > w && updates_[s][0].rows() == 0) {
            memory_[s] = pool_.take<Number>(sides * update_size(f - w));
            place(s, memory_[s]);
            if (!memory_[s]) {
                is_out_of_memory_ = true;
                return;
            }
        }
        if (f > w) make_update(s, w, f, is_parallel);
        for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c)
            pool_.give_back(memory_[symbolic_.children[c]]);
    }

    /// Puts the update matrices of a supernode where there is room for them.
    void place(std::size_t s, Number* numbers) {
        const std::ptrdiff_t rows = 3 * symbolic_.below(s);
        for (std::size_t side = 0; side < sides; ++side)
            updates_[s][side].place(rows, numbers + side * update_size(rows));
    }

    /// The columns of a supernode, the front's rows high.
    Number* columns_of(std::size_t side, std::size_t s) const {
        return factor_ + side * symbolic_.value_begin.back() + symbolic_.value_begin[s];
    }

    void assemble_columns(std::size_t side, std::size_t s, bool is_parallel) {
        Number* const columns = columns_of(side, s);
        const Index width = symbolic_.width(s), front = symbolic_.front(s);
        const std::ptrdiff_t stride = 3 * front;
        for_tiles(is_parallel, (width + tile_nodes - 1) / tile_nodes, [&](std::ptrdiff_t tile) {
            const Index begin = static_cast<Index>(tile) * tile_nodes, end = std::min(width, begin + tile_nodes);
            Number* const first = columns + 3 * begin * stride;
            for (Index j = 3 * begin; j < 3 * end; ++j)
                std::fill(columns + j * stride + 3 * begin, columns + (j + 1) * stride, Number{0});
            add_matrix(side, symbolic_.column_begin[s] + begin, symbolic_.column_begin[s] + end, stride);
            add_children(side, s, {begin, front, begin, end, first + 3 * begin, stride});
        });
    }

    void add_matrix(std::size_t side, Index begin, Index end, std::ptrdiff_t stride) {
        const Symbolic::Entry* const last = symbolic_.entries.data() + symbolic_.entry_begin[end];
        for (const Symbolic::Entry* entry = symbolic_.entries.data() + symbolic_.entry_begin[begin]; entry != last;
             ++entry) {
            Number* const target = factor_ + side * symbolic_.value_begin.back() + entry->target;
            const auto [block, is_transposed] = blocks_.block(side, entry->slot);
            for (std::ptrdiff_t c = 0; c < 3; ++c) {
                for (std::ptrdiff_t r = 0; r < 3; ++r)
                    target[c * stride + r] += static_cast<Number>(is_transposed ? block[3 * r + c] : block[3 * c + r]);
            }
        }
    }

    void add_children(std::size_t side, std::size_t s, const FrontPart<Number>& part) {
        for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c) {
            const auto child = static_cast<std::size_t>(symbolic_.children[c]);
            const Symbolic::Run* const runs = symbolic_.runs.data();
            add_update(updates_[child][side], runs + symbolic_.run_begin[child], runs + symbolic_.run_begin[child + 1],
                       part);
        }
    }

    bool factor_columns(std::size_t s, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        if constexpr (sides == 1) return factor_panels(s, w, f, is_parallel);
        if constexpr (sides == 2) return factor_both_sides(s, w, f, is_parallel);
    }

    /// L and U of the columns and rows of a supernode: of the square that they share first.
    bool factor_both_sides(std::size_t s, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        Number *const lower = columns_of(0, s), *const upper = columns_of(1, s);
        for (std::ptrdiff_t column = 0; column < w; ++column) {
            for (std::ptrdiff_t row = 0; row < column; ++row) lower[column * f + row] = upper[row * f + column];
        }
        const std::ptrdiff_t first = 3 * std::ptrdiff_t{symbolic_.column_begin[s]};
        int* const pivots = pivots_ + first;
        factor_general_in_place(w, lower, f, pivots);
        for (std::ptrdiff_t j = 0; j < w; ++j) {  // entries are of unit size: see BlockLu
            const double pivot = std::abs(static_cast<double>(lower[j * (f + 1)]));
            if (!(pivot >= smallest_pivot_ratio_of<Number>)) return fail({Outcome::Kind::singular, first + j, pivot});
        }
        for_tiles(is_parallel, (f - w + tile_size - 1) / tile_size, [&](std::ptrdiff_t piece) {
            const std::ptrdiff_t row = w + piece * tile_size, rows = std::min(tile_size, f - row);
            solve_right_upper(rows, w, lower, f, lower + row, f);
            for (std::ptrdiff_t j = 0; j < w; ++j) {
                Number *const here = upper + j * f + row, *const there = upper + (pivots[j] - 1) * f + row;
                if (here != there) std::swap_ranges(here, here + rows, there);
            }
            solve_right_unit_transposed(rows, w, lower, f, upper + row, f);
        });
        return true;
    }

    /// L of the columns of a supernode, panel by panel: its columns, then what they subtract from those after it.
    bool factor_panels(std::size_t s, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        Number* const columns = columns_of(0, s);
        for (std::ptrdiff_t k = 0; k < w; k += panel_width) {
            const std::ptrdiff_t n = std::min(panel_width, w - k), rest = f - k - n;
            Number* const diagonal = columns + k * f + k;
            const std::ptrdiff_t factored = factor_in_place(n, diagonal, f);
            if (!pivots_are_sound(3 * std::ptrdiff_t{symbolic_.column_begin[s]} + k, n, factored, diagonal, f))
                return false;
            if (rest == 0) return true;
            Number* const below = diagonal + n;
            for_tiles(is_parallel, (rest + tile_size - 1) / tile_size, [&](std::ptrdiff_t piece) {
                const std::ptrdiff_t row = piece * tile_size;
                solve_right_transposed(std::min(tile_size, rest - row), n, diagonal, f, below + row, f);
            });
            update_columns(below, n, w - k - n, rest, f, is_parallel);
        }
        return true;
    }

    /// Subtracts A A^T, A the `rest` x n matrix at `below`, from the `columns` columns right of it.
    void update_columns(const Number* below, std::ptrdiff_t n, std::ptrdiff_t columns, std::ptrdiff_t rest,
                        std::ptrdiff_t f, bool is_parallel) {
        Number* const target = const_cast<Number*>(below) + n * f;
        for_lower_tiles(is_parallel, rest, columns,
                        [&](std::ptrdiff_t row, std::ptrdiff_t m, std::ptrdiff_t column, std::ptrdiff_t width) {
                            Number* const c = target + column * f + row;
                            if (row == column) {
                                subtract_square(width, n, below + row, f, 1.0, c, f);
                            } else {
                                subtract_product(m, width, n, below + row, f, below + column, f, 1.0, c, f);
                            }
                        });
    }

    /// tile(row, rows, column, columns) for all tiles of the lower triangle of the first `columns` columns: those on
    /// the diagonal are square, those below it are several times as high.
    template <class Tile>
    void for_lower_tiles(bool is_parallel, std::ptrdiff_t rows, std::ptrdiff_t columns, const Tile& tile) {
        std::vector<std::array<std::ptrdiff_t, 2>> places;  // row and column
        for (std::ptrdiff_t column = 0; column < columns; column += tile_size) {
            places.push_back({column, column});
            for (std::ptrdiff_t row = column + std::min(tile_size, columns - column); row < rows; row += tile_height)
                places.push_back({row, column});
        }
        for_tiles(is_parallel, static_cast<std::ptrdiff_t>(places.size()), [&](std::ptrdiff_t number) {
            const auto [row, column] = places[static_cast<std::size_t>(number)];
            const std::ptrdiff_t width = std::min(tile_size, columns - column);
            tile(row, row == column ? width : std::min(tile_height, rows - row), column, width);
        });
    }

    /// Tile by tile -L L^T, or -L U, then what the children left there.
    void make_update(std::size_t s, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        for (std::size_t side = 0; side < sides; ++side) make_update(side, s, w, f, is_parallel);
    }

    void make_update(std::size_t side, std::size_t s, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        const UpdateMatrix<Number>& update = updates_[s][side];
        const Number *const below = columns_of(side, s) + w, *const across = columns_of(sides - 1 - side, s) + w;
        const Index width = symbolic_.width(s);
        for_lower_tiles(
            is_parallel, f - w, f - w,
            [&](std::ptrdiff_t row, std::ptrdiff_t m, std::ptrdiff_t column, std::ptrdiff_t n) {
                Number* const c = update.at(row, column);
                const std::ptrdiff_t stride = update.stride(column);
                if (row == column && sides == 1) {
                    subtract_square(n, w, below + row, f, 0.0, c, stride);
                } else {
                    subtract_product(m, n, w, below + row, f, across + column, f, 0.0, c, stride);
                }
                const auto node = [width](std::ptrdiff_t scalar) { return width + static_cast<Index>(scalar / 3); };
                add_children(side, s, {node(row), node(row + m), node(column), node(column + n), c, stride});
            });
    }

    /// LAPACK stops at pivots <= 0 only; one of pure rounding error may come out positive.
    /// @param first  scalar column of the tile, of which `factored` columns of n hold L
    bool pivots_are_sound(std::ptrdiff_t first, std::ptrdiff_t n, std::ptrdiff_t factored, const Number* tile,
                          std::ptrdiff_t stride) {
        for (std::ptrdiff_t j = 0; j < factored; ++j) {
            const double root = tile[j * (stride + 1)], pivot = root * root;
            const Index node = symbolic_.order[(first + j) / 3];
            const auto component = static_cast<Eigen::Index>((first + j) % 3);
            const double diagonal = blocks_.diagonal(node, component);
            if (pivot >= smallest_pivot_ratio_of<Number> * diagonal) continue;  // false for NaN too
            return fail({Outcome::Kind::singular, first + j, pivot});
        }
        return factored == n || fail({Outcome::Kind::not_positive_definite, first + factored, 0.0});
    }

    bool fail(const Outcome& outcome) {
        const std::lock_guard lock(mutex_);
        if (outcome.column < first_failure_) {
            first_failure_ = outcome.column;
            outcome_ = outcome;
        }
        return false;
    }

    const Symbolic& symbolic_;
    const Blocks blocks_;
    Number* factor_;
    int* pivots_;
    MemoryPool& pool_;
    std::vector<Update> updates_;
    std::vector<Number*> memory_;              // of the update matrices that do not stand on a subtree's stacks
    std::vector<std::atomic<Index>> pending_;  // children that are not done, of the supernodes above the subtrees
    std::atomic<std::ptrdiff_t> first_failure_ = std::numeric_limits<std::ptrdiff_t>::max();
    std::atomic<bool> is_out_of_memory_ = false;
    std::mutex mutex_;  // of what follows
    Outcome outcome_;
};

}  // namespace

template <class Number>
Outcome factorize(const Symbolic& symbolic, const BlockPattern& pattern, const std::vector<Mat3>& values,
                  Number* factor, MemoryPool& pool) {
    return Factorization<Number, SymmetricBlocks>(symbolic, {pattern, values}, factor, pool).run();
}

template <class Number>
Outcome factorize_general(const Symbolic& symbolic, const SlotEntries& entries, const std::vector<Mat3>& values,
                          Number* factor, int* pivots, MemoryPool& pool) {
    return Factorization<Number, GeneralBlocks>(symbolic, {entries, values}, factor, pool, pivots).run();
}

SlotEntries slot_entries(const BlockPattern& pattern) {
    SlotEntries result;
    result.lower.resize(static_cast<std::size_t>(pattern.slots()));
    result.upper.resize(result.lower.size());
    for (Index row = 0; row < pattern.nodes; ++row) {
        for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
            const auto [column, slot] = pattern.row_entries[e];
            if (column <= row) result.lower[slot] = e;
            if (column >= row) result.upper[slot] = e;
        }
    }
    return result;
}

template Outcome factorize(const Symbolic&, const BlockPattern&, const std::vector<Mat3>&, double*, MemoryPool&);
template Outcome factorize(const Symbolic&, const BlockPattern&, const std::vector<Mat3>&, float*, MemoryPool&);
template Outcome factorize_general(const Symbolic&, const SlotEntries&, const std::vector<Mat3>&, float*, int*,
                                   MemoryPool&);
template Outcome factorize_general(const Symbolic&, const SlotEntries&, const std::vector<Mat3>&, double*, int*,
                                   MemoryPool&);

}  // namespace stiction::block_cholesky
