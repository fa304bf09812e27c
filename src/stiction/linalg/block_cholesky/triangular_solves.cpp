#include "stiction/linalg/block_cholesky/triangular_solves.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_cholesky/dense_kernels.hpp"
#include "stiction/linalg/block_cholesky/update_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace stiction::block_cholesky {
namespace {

/// Rows, or columns, that one thread takes.
constexpr std::ptrdiff_t rows_at_once = 512, columns_at_once = 24;

/// body(begin, end) for pieces of [0, n) of fixed size.
template <class Body>
void for_pieces(bool is_parallel, std::ptrdiff_t n, std::ptrdiff_t piece, const Body& body) {
    const auto count = static_cast<std::size_t>((n + piece - 1) / piece);
    const auto call = [&](std::size_t k) {
        const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(k) * piece;
        body(begin, std::min(n, begin + piece));
    };
    if (is_parallel) return parallel_for(count, call, 1);
    for (std::size_t k = 0; k < count; ++k) call(k);
}

/// With L L^T, or with L U where there are pivots.
template <class Number>
class Substitution {
public:
    Substitution(const Symbolic& symbolic, const Number* factor, const int* pivots, Number* fronts)
        : symbolic_(symbolic), factor_(factor), pivots_(pivots), fronts_(fronts) {}

    /// A right-hand side of any size fits the range of single precision: it is multiplied by a power of two.
    void set_scale(const VecX& b) {
        if constexpr (std::is_same_v<Number, float>) {
            const double largest = b.size() > 0 ? b.lpNorm<Eigen::Infinity>() : 0.0;
            if (largest > 0.0 && std::isfinite(largest)) scale_ = std::exp2(-std::ilogb(largest));
        }
    }

    void forward(const VecX& b) {
        for_pieces(true, static_cast<std::ptrdiff_t>(symbolic_.subtrees.size()), 1, [&](auto k, auto) {
            const auto [begin, end] = symbolic_.subtrees[static_cast<std::size_t>(k)];
            for (Index s = begin; s < end; ++s) forward(static_cast<std::size_t>(s), b, false);
        });
        for (const Index s : symbolic_.above) forward(static_cast<std::size_t>(s), b, true);
    }

    void backward(VecX& x) {
        for (auto s = symbolic_.above.rbegin(); s != symbolic_.above.rend(); ++s)
            backward(static_cast<std::size_t>(*s), x, true);
        for_pieces(true, static_cast<std::ptrdiff_t>(symbolic_.subtrees.size()), 1, [&](auto k, auto) {
            const auto [begin, end] = symbolic_.subtrees[static_cast<std::size_t>(k)];
            for (Index s = end; s-- > begin;) backward(static_cast<std::size_t>(s), x, false);
        });
    }

private:
    /// y of the supernode's own rows; below them what they and all descendants take from the rows above.
    void forward(std::size_t s, const VecX& b, bool is_parallel) {
        const Index width = symbolic_.width(s);
        const std::ptrdiff_t w = 3 * width, f = 3 * symbolic_.front(s);
        Number* const y = front(s);
        for (Index k = 0; k < width; ++k) {
            const double* from = b.data() + 3 * std::ptrdiff_t{symbolic_.order[symbolic_.column_begin[s] + k]};
            for (int c = 0; c < 3; ++c) y[3 * k + c] = static_cast<Number>(scale_ * from[c]);
        }
        std::fill(y + w, y + f, Number{0});
        for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c) {
            const auto child = static_cast<std::size_t>(symbolic_.children[c]);
            const Number* below = front(child) + 3 * symbolic_.width(child);
            for_runs(child, [&](std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t length) {
                for (std::ptrdiff_t i = 0; i < length; ++i) y[to + i] += below[from + i];
            });
        }
        const Number* const columns = factor_ + symbolic_.value_begin[s];
        if (pivots_) {
            const int* const pivots = pivots_ + 3 * std::ptrdiff_t{symbolic_.column_begin[s]};
            for (std::ptrdiff_t j = 0; j < w; ++j) std::swap(y[j], y[pivots[j] - 1]);
        }
        for (std::ptrdiff_t k = 0; k < w; k += tile_size) {
            const std::ptrdiff_t n = std::min(tile_size, w - k);
            const Number* const diagonal = columns + k * f + k;
            if (pivots_) {
                solve_unit_lower(n, diagonal, f, y + k);
            } else {
                solve_lower(n, diagonal, f, y + k);
            }
            for_pieces(is_parallel, f - k - n, rows_at_once, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                subtract_times(end - begin, n, diagonal + n + begin, f, y + k, y + k + n + begin);
            });
        }
    }

    void backward(std::size_t s, VecX& x, bool is_parallel) {
        const Index width = symbolic_.width(s);
        const std::ptrdiff_t w = 3 * width, f = 3 * symbolic_.front(s);
        Number* const y = front(s);
        if (symbolic_.parent[s] >= 0) {
            const Number* const above = front(static_cast<std::size_t>(symbolic_.parent[s]));
            for_runs(s, [&](std::ptrdiff_t to, std::ptrdiff_t from, std::ptrdiff_t length) {
                std::copy(above + from, above + from + length, y + w + to);
            });
        }
        const Number* const columns = factor_ + symbolic_.value_begin[s];
        // Below its square U^T stands beside L.
        const Number* const beside = pivots_ ? columns + symbolic_.value_begin.back() : columns;
        for (std::ptrdiff_t k = (w - 1) / tile_size * tile_size; k >= 0; k -= tile_size) {
            const std::ptrdiff_t n = std::min(tile_size, w - k);
            const Number* const diagonal = columns + k * f + k;
            const std::ptrdiff_t first = pivots_ ? w : k + n;  // row of the columns that is taken first
            for_pieces(is_parallel, n, columns_at_once, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                subtract_transposed_times(f - first, end - begin, beside + (k + begin) * f + first, f, y + first,
                                          y + k + begin);
            });
            if (pivots_) {
                subtract_times(n, w - k - n, diagonal + n * f, f, y + k + n, y + k);
                solve_upper(n, diagonal, f, y + k);
            } else {
                solve_lower_transposed(n, diagonal, f, y + k);
            }
        }
        for (Index k = 0; k < width; ++k) {
            double* to = x.data() + 3 * std::ptrdiff_t{symbolic_.order[symbolic_.column_begin[s] + k]};
            for (int c = 0; c < 3; ++c) to[c] = static_cast<double>(y[3 * k + c]) / scale_;
        }
    }

    /// visit(below, parent, length), in scalars, for the runs of a supernode.
    template <class Visit>
    void for_runs(std::size_t s, const Visit& visit) const {
        for (std::size_t r = symbolic_.run_begin[s]; r < symbolic_.run_begin[s + 1]; ++r) {
            const auto [below, parent, length] = symbolic_.runs[r];
            visit(3 * std::ptrdiff_t{below}, 3 * std::ptrdiff_t{parent}, 3 * std::ptrdiff_t{length});
        }
    }

    Number* front(std::size_t s) const {
        return fronts_ + 3 * (static_cast<std::size_t>(symbolic_.column_begin[s]) + symbolic_.row_begin[s]);
    }

    const Symbolic& symbolic_;
    const Number* factor_;
    const int* pivots_;
    Number* fronts_;
    double scale_ = 1.0;
};

}  // namespace

template <class Number>
void solve(const Symbolic& symbolic, const Number* factor, const VecX& b, VecX& x, std::vector<Number>& fronts) {
    solve_general(symbolic, factor, nullptr, b, x, fronts);
}

template <class Number>
void solve_general(const Symbolic& symbolic, const Number* factor, const int* pivots, const VecX& b, VecX& x,
                   std::vector<Number>& fronts) {
    fronts.resize(3 * (static_cast<std::size_t>(symbolic.nodes()) + symbolic.rows.size()));
    Substitution substitution(symbolic, factor, pivots, fronts.data());
    substitution.set_scale(b);
    substitution.forward(b);
    x.resize(b.size());
    substitution.backward(x);
}

template void solve(const Symbolic&, const double*, const VecX&, VecX&, std::vector<double>&);
template void solve(const Symbolic&, const float*, const VecX&, VecX&, std::vector<float>&);
template void solve_general(const Symbolic&, const double*, const int*, const VecX&, VecX&, std::vector<double>&);
template void solve_general(const Symbolic&, const float*, const int*, const VecX&, VecX&, std::vector<float>&);

}  // namespace stiction::block_cholesky
