#include "stiction/linalg/block_cholesky/triangular_solves.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_cholesky/dense_kernels.hpp"
#include "stiction/linalg/block_cholesky/update_matrix.hpp"

#include <algorithm>

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

class Substitution {
public:
    Substitution(const Symbolic& symbolic, const double* factor, double* fronts)
        : symbolic_(symbolic), factor_(factor), fronts_(fronts) {}

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
        double* const y = front(s);
        for (Index k = 0; k < width; ++k) {
            const double* from = b.data() + 3 * std::ptrdiff_t{symbolic_.order[symbolic_.column_begin[s] + k]};
            std::copy(from, from + 3, y + 3 * k);
        }
        std::fill(y + w, y + f, 0.0);
        for (std::size_t c = symbolic_.child_begin[s]; c < symbolic_.child_begin[s + 1]; ++c) {
            const auto child = static_cast<std::size_t>(symbolic_.children[c]);
            const double* below = front(child) + 3 * symbolic_.width(child);
            for_runs(child, [&](std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t length) {
                for (std::ptrdiff_t i = 0; i < length; ++i) y[to + i] += below[from + i];
            });
        }
        const double* const columns = factor_ + symbolic_.value_begin[s];
        for (std::ptrdiff_t k = 0; k < w; k += tile_size) {
            const std::ptrdiff_t n = std::min(tile_size, w - k);
            const double* const diagonal = columns + k * f + k;
            solve_lower(n, diagonal, f, y + k);
            for_pieces(is_parallel, f - k - n, rows_at_once, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                subtract_times(end - begin, n, diagonal + n + begin, f, y + k, y + k + n + begin);
            });
        }
    }

    void backward(std::size_t s, VecX& x, bool is_parallel) {
        const Index width = symbolic_.width(s);
        const std::ptrdiff_t w = 3 * width, f = 3 * symbolic_.front(s);
        double* const y = front(s);
        if (symbolic_.parent[s] >= 0) {
            const double* const above = front(static_cast<std::size_t>(symbolic_.parent[s]));
            for_runs(s, [&](std::ptrdiff_t to, std::ptrdiff_t from, std::ptrdiff_t length) {
                std::copy(above + from, above + from + length, y + w + to);
            });
        }
        const double* const columns = factor_ + symbolic_.value_begin[s];
        for (std::ptrdiff_t k = (w - 1) / tile_size * tile_size; k >= 0; k -= tile_size) {
            const std::ptrdiff_t n = std::min(tile_size, w - k);
            const double* const diagonal = columns + k * f + k;
            for_pieces(is_parallel, n, columns_at_once, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                subtract_transposed_times(f - k - n, end - begin, diagonal + n + begin * f, f, y + k + n,
                                          y + k + begin);
            });
            solve_lower_transposed(n, diagonal, f, y + k);
        }
        for (Index k = 0; k < width; ++k) {
            double* to = x.data() + 3 * std::ptrdiff_t{symbolic_.order[symbolic_.column_begin[s] + k]};
            std::copy(y + 3 * k, y + 3 * k + 3, to);
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

    double* front(std::size_t s) const {
        return fronts_ + 3 * (static_cast<std::size_t>(symbolic_.column_begin[s]) + symbolic_.row_begin[s]);
    }

    const Symbolic& symbolic_;
    const double* factor_;
    double* fronts_;
};

}  // namespace

void solve(const Symbolic& symbolic, const double* factor, const VecX& b, VecX& x, std::vector<double>& fronts) {
    fronts.resize(3 * (static_cast<std::size_t>(symbolic.nodes()) + symbolic.rows.size()));
    Substitution substitution(symbolic, factor, fronts.data());
    substitution.forward(b);
    x.resize(b.size());
    substitution.backward(x);
}

}  // namespace stiction::block_cholesky
