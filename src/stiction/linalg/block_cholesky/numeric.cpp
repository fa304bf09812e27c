#include "stiction/linalg/block_cholesky/numeric.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_cholesky/dense_kernels.hpp"
#include "stiction/linalg/block_cholesky/update_matrix.hpp"
#include "stiction/linalg/sparse_factor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>

namespace stiction::block_cholesky {
namespace {

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

class Factorization {
public:
    Factorization(const Symbolic& symbolic, const BlockPattern& pattern, const std::vector<Mat3>& values,
                  double* factor, NumberPool& pool)
        : symbolic_(symbolic),
          pattern_(pattern),
          values_(values),
          factor_(factor),
          pool_(pool),
          updates_(symbolic.supernodes()),
          memory_(symbolic.supernodes()),
          pending_(symbolic.supernodes()) {
        for (const Index s : symbolic.above)
            pending_[s] = static_cast<Index>(symbolic.child_begin[s + 1] - symbolic.child_begin[s]);
    }

    Outcome run() {
        pool_.reset(symbolic_.update_numbers);
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
        double* const stacks = pool_.take(symbolic_.most_update_numbers);
        if (!stacks) {
            is_out_of_memory_ = true;
            return;
        }
        std::size_t low = 0, high = symbolic_.most_update_numbers;
        for (Index k = subtree.begin; k < subtree.end; ++k) {
            const auto s = static_cast<std::size_t>(k);
            const std::size_t size = UpdateMatrix::size(3 * symbolic_.below(s));
            if (k + 1 < subtree.end) {
                if (symbolic_.is_odd[s]) high -= size;
                updates_[s].place(3 * symbolic_.below(s), stacks + (symbolic_.is_odd[s] ? high : low));
                if (!symbolic_.is_odd[s]) low += size;
            }
            eliminate(s, false);
            for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c) {
                const auto child = static_cast<std::size_t>(symbolic_.children[c]);
                const std::size_t freed = UpdateMatrix::size(3 * symbolic_.below(child));
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
        double* const columns = factor_ + symbolic_.value_begin[s];
        is_parallel = is_parallel && f > tile_size;
        assemble_columns(s, columns, is_parallel);
        if (!factor_columns(s, columns, w, f, is_parallel)) return;
        if (f > w && updates_[s].rows() == 0) {
            memory_[s] = pool_.take(UpdateMatrix::size(f - w));
            updates_[s].place(f - w, memory_[s]);
            if (!memory_[s]) {
                is_out_of_memory_ = true;
                return;
            }
        }
        if (f > w) make_update(s, columns + w, w, f, is_parallel);
        for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c)
            pool_.give_back(memory_[symbolic_.children[c]]);
    }

    void assemble_columns(std::size_t s, double* columns, bool is_parallel) {
        const Index width = symbolic_.width(s), front = symbolic_.front(s);
        const std::ptrdiff_t stride = 3 * front;
        for_tiles(is_parallel, (width + tile_nodes - 1) / tile_nodes, [&](std::ptrdiff_t tile) {
            const Index begin = static_cast<Index>(tile) * tile_nodes, end = std::min(width, begin + tile_nodes);
            double* const first = columns + 3 * begin * stride;
            for (Index j = 3 * begin; j < 3 * end; ++j)
                std::fill(columns + j * stride + 3 * begin, columns + (j + 1) * stride, 0.0);
            add_matrix(symbolic_.column_begin[s] + begin, symbolic_.column_begin[s] + end, stride);
            add_children(s, {begin, front, begin, end, first + 3 * begin, stride});
        });
    }

    void add_matrix(Index begin, Index end, std::ptrdiff_t stride) {
        const Symbolic::Entry* const last = symbolic_.entries.data() + symbolic_.entry_begin[end];
        for (const Symbolic::Entry* entry = symbolic_.entries.data() + symbolic_.entry_begin[begin]; entry != last;
             ++entry) {
            double* const target = factor_ + entry->target;
            const bool is_transposed = entry->slot < 0;
            const double* const block = values_[is_transposed ? ~entry->slot : entry->slot].data();
            for (std::ptrdiff_t c = 0; c < 3; ++c) {
                for (std::ptrdiff_t r = 0; r < 3; ++r)
                    target[c * stride + r] += is_transposed ? block[3 * r + c] : block[3 * c + r];
            }
        }
    }

    void add_children(std::size_t s, const FrontPart& part) {
        for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c) {
            const auto child = static_cast<std::size_t>(symbolic_.children[c]);
            const Symbolic::Run* const runs = symbolic_.runs.data();
            add_update(updates_[child], runs + symbolic_.run_begin[child], runs + symbolic_.run_begin[child + 1], part);
        }
    }

    /// L of the columns of a supernode, panel by panel: its columns, then what they subtract from those after it.
    bool factor_columns(std::size_t s, double* columns, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        for (std::ptrdiff_t k = 0; k < w; k += panel_width) {
            const std::ptrdiff_t n = std::min(panel_width, w - k), rest = f - k - n;
            double* const diagonal = columns + k * f + k;
            const std::ptrdiff_t factored = factor_in_place(n, diagonal, f);
            if (!pivots_are_sound(3 * std::ptrdiff_t{symbolic_.column_begin[s]} + k, n, factored, diagonal, f))
                return false;
            if (rest == 0) return true;
            double* const below = diagonal + n;
            for_tiles(is_parallel, (rest + tile_size - 1) / tile_size, [&](std::ptrdiff_t piece) {
                const std::ptrdiff_t row = piece * tile_size;
                solve_right_transposed(std::min(tile_size, rest - row), n, diagonal, f, below + row, f);
            });
            update_columns(below, n, w - k - n, rest, f, is_parallel);
        }
        return true;
    }

    /// Subtracts A A^T, A the `rest` x n matrix at `below`, from the `columns` columns right of it.
    void update_columns(const double* below, std::ptrdiff_t n, std::ptrdiff_t columns, std::ptrdiff_t rest,
                        std::ptrdiff_t f, bool is_parallel) {
        double* const target = const_cast<double*>(below) + n * f;
        for_lower_tiles(is_parallel, rest, columns,
                        [&](std::ptrdiff_t row, std::ptrdiff_t m, std::ptrdiff_t column, std::ptrdiff_t width) {
                            double* const c = target + column * f + row;
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

    /// Tile by tile -L L^T, then what the children left there.
    void make_update(std::size_t s, const double* below, std::ptrdiff_t w, std::ptrdiff_t f, bool is_parallel) {
        const UpdateMatrix& update = updates_[s];
        const Index width = symbolic_.width(s);
        for_lower_tiles(is_parallel, f - w, f - w,
                        [&](std::ptrdiff_t row, std::ptrdiff_t m, std::ptrdiff_t column, std::ptrdiff_t n) {
                            double* const c = update.at(row, column);
                            const std::ptrdiff_t stride = update.stride(column);
                            if (row == column) {
                                subtract_square(n, w, below + row, f, 0.0, c, stride);
                            } else {
                                subtract_product(m, n, w, below + row, f, below + column, f, 0.0, c, stride);
                            }
                            const auto node = [width](std::ptrdiff_t scalar) {
                                return width + static_cast<Index>(scalar / 3);
                            };
                            add_children(s, {node(row), node(row + m), node(column), node(column + n), c, stride});
                        });
    }

    /// LAPACK stops at pivots <= 0 only; one of pure rounding error may come out positive.
    /// @param first  scalar column of the tile, of which `factored` columns of n hold L
    bool pivots_are_sound(std::ptrdiff_t first, std::ptrdiff_t n, std::ptrdiff_t factored, const double* tile,
                          std::ptrdiff_t stride) {
        for (std::ptrdiff_t j = 0; j < factored; ++j) {
            const double root = tile[j * (stride + 1)], pivot = root * root;
            const Index node = symbolic_.order[(first + j) / 3];
            const auto component = static_cast<Eigen::Index>((first + j) % 3);
            const double diagonal = values_[pattern_.column_begin[node]](component, component);
            if (pivot >= smallest_pivot_ratio * diagonal) continue;  // false for NaN too
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
    const BlockPattern& pattern_;
    const std::vector<Mat3>& values_;
    double* factor_;
    NumberPool& pool_;
    std::vector<UpdateMatrix> updates_;
    std::vector<double*> memory_;              // of the update matrices that do not stand on a subtree's stacks
    std::vector<std::atomic<Index>> pending_;  // children that are not done, of the supernodes above the subtrees
    std::atomic<std::ptrdiff_t> first_failure_ = std::numeric_limits<std::ptrdiff_t>::max();
    std::atomic<bool> is_out_of_memory_ = false;
    std::mutex mutex_;  // of what follows
    Outcome outcome_;
};

}  // namespace

Outcome factorize(const Symbolic& symbolic, const BlockPattern& pattern, const std::vector<Mat3>& values,
                  double* factor, NumberPool& pool) {
    return Factorization(symbolic, pattern, values, factor, pool).run();
}

}  // namespace stiction::block_cholesky
