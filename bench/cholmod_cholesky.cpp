// Supernodal Cholesky of CHOLMOD (its Supernodal module is under the GPL).
#include "cholmod_cholesky.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/blas.hpp"

#include <cholmod.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

namespace stiction {
namespace {

class CholmodCholesky final : public SparseFactor {
public:
    CholmodCholesky() {
        cholmod_start(&common_);
        common_.print = 0;
        common_.nmethods = 1;
        common_.method[0].ordering = CHOLMOD_GIVEN;
        common_.postorder = 1;
        common_.supernodal = CHOLMOD_SUPERNODAL;
        common_.quick_return_if_not_posdef = 1;
        common_.useGPU = 0;
    }
    ~CholmodCholesky() override {
        free_factor();
        cholmod_free_sparse(&matrix_, &common_);
        cholmod_free_dense(&rhs_, &common_);
        cholmod_free_dense(&solution_, &common_);
        cholmod_free_dense(&work_y_, &common_);
        cholmod_free_dense(&work_e_, &common_);
        cholmod_finish(&common_);
    }
    CholmodCholesky(const CholmodCholesky&) = delete;
    CholmodCholesky& operator=(const CholmodCholesky&) = delete;

    bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) override;
    bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision) override;
    void solve(const VecX& b, VecX& x) override;
    double factor_nonzeros() const override { return nonzeros_; }

private:
    void free_factor() {
        if (factor_) cholmod_free_factor(&factor_, &common_);
    }
    bool expand(const BlockPattern& pattern);
    bool fail(const char* stage);
    bool pivots_are_sound(const BlockPattern& pattern, const std::vector<Mat3>& values);

    cholmod_common common_{};
    cholmod_sparse* matrix_ = nullptr;  // lower triangle, scalar columns
    cholmod_factor* factor_ = nullptr;
    cholmod_dense* rhs_ = nullptr;
    cholmod_dense* solution_ = nullptr;
    cholmod_dense* work_y_ = nullptr;
    cholmod_dense* work_e_ = nullptr;
    double nonzeros_ = 0.0;
};

bool CholmodCholesky::fail(const char* stage) {
    switch (common_.status) {
        case CHOLMOD_OUT_OF_MEMORY: failure_ = fmt::format("{}: out of memory", stage); break;
        case CHOLMOD_TOO_LARGE: failure_ = fmt::format("{}: more entries than 32-bit indices can count", stage); break;
        default: failure_ = fmt::format("{}: CHOLMOD status {}", stage, common_.status);
    }
    return false;
}

/// The scalar pattern: column 3 j + c holds rows 3 j + c .. 3 j + 2 of the diagonal block, then three rows of each
/// block below.
bool CholmodCholesky::expand(const BlockPattern& pattern) {
    cholmod_free_sparse(&matrix_, &common_);
    const auto n = static_cast<std::size_t>(pattern.nodes);
    const std::size_t entries = 9 * static_cast<std::size_t>(pattern.slots()) - 3 * n;
    if (entries > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        common_.status = CHOLMOD_TOO_LARGE;
        return false;
    }
    matrix_ = cholmod_allocate_sparse(3 * n, 3 * n, entries, true, true, -1, CHOLMOD_REAL, &common_);
    if (!matrix_) return false;
    auto* column_begin = static_cast<int*>(matrix_->p);
    auto* rows = static_cast<int*>(matrix_->i);
    int next = 0;
    for (std::size_t j = 0; j < n; ++j) {
        for (int c = 0; c < 3; ++c) {
            column_begin[3 * j + static_cast<std::size_t>(c)] = next;
            for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
                const bool is_diagonal = s == pattern.column_begin[j];
                for (int r = is_diagonal ? c : 0; r < 3; ++r) rows[next++] = 3 * pattern.rows[s] + r;
            }
        }
    }
    column_begin[3 * n] = next;
    return true;
}

bool CholmodCholesky::analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    const SerialOpenMp serial;
    failure_.clear();
    free_factor();
    if (!expand(pattern)) return fail("analysis");
    std::vector<int> permutation;
    permutation.reserve(3 * order.size());
    for (const Index node : order) {
        for (int c = 0; c < 3; ++c) permutation.push_back(3 * node + c);
    }
    auto* values = static_cast<double*>(matrix_->x);
    std::fill(values, values + matrix_->nzmax, 0.0);
    factor_ = cholmod_analyze_p(matrix_, permutation.data(), nullptr, 0, &common_);
    if (!factor_ || common_.status < CHOLMOD_OK) return fail("analysis");
    nonzeros_ = common_.lnz;
    return true;
}

bool CholmodCholesky::factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision) {
    const SerialOpenMp serial;
    use_one_blas_thread();
    failure_.clear();
    auto* target = static_cast<double*>(matrix_->x);
    const auto* column_begin = static_cast<const int*>(matrix_->p);
    parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t j) {
        for (int c = 0; c < 3; ++c) {
            double* entry = target + column_begin[3 * j + static_cast<std::size_t>(c)];
            for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
                const Mat3& block = values[s];
                for (int r = s == pattern.column_begin[j] ? c : 0; r < 3; ++r) *entry++ = block(r, c);
            }
        }
    });
    cholmod_factorize(matrix_, factor_, &common_);
    if (common_.status < CHOLMOD_OK) return fail("factorisation");
    if (factor_->minor < factor_->n) {
        const auto column = static_cast<const int*>(factor_->Perm)[factor_->minor];
        failure_ = fmt::format("not positive definite at {}", scalar_row_name(column));
        return false;
    }
    return pivots_are_sound(pattern, values);
}

/// LAPACK stops at pivots <= 0 only; one of pure rounding error may come out positive.
bool CholmodCholesky::pivots_are_sound(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    STICTION_CHECK(factor_->is_super && factor_->is_ll && factor_->xtype == CHOLMOD_REAL,
                   "CHOLMOD did not return a supernodal factor");
    const auto* super = static_cast<const int*>(factor_->super);
    const auto* row_begin = static_cast<const int*>(factor_->pi);
    const auto* value_begin = static_cast<const int*>(factor_->px);
    const auto* permutation = static_cast<const int*>(factor_->Perm);
    const auto* entries = static_cast<const double*>(factor_->x);
    for (std::size_t s = 0; s < factor_->nsuper; ++s) {
        const auto stride = static_cast<std::size_t>(row_begin[s + 1] - row_begin[s]);
        for (int k = super[s]; k < super[s + 1]; ++k) {
            const double root = entries[static_cast<std::size_t>(value_begin[s]) +
                                        static_cast<std::size_t>(k - super[s]) * (stride + 1)];
            const int column = permutation[k], node = column / 3, component = column % 3;
            const auto slot = static_cast<std::size_t>(pattern.column_begin[node]);
            const double diagonal = values[slot](component, component);
            if (root * root >= smallest_pivot_ratio * diagonal) continue;  // false for NaN too
            failure_ = fmt::format("singular at {}: pivot {:.3e} of diagonal {:.3e}", scalar_row_name(column),
                                   root * root, diagonal);
            return false;
        }
    }
    return true;
}

void CholmodCholesky::solve(const VecX& b, VecX& x) {
    const SerialOpenMp serial;
    use_one_blas_thread();
    const auto n = static_cast<std::size_t>(b.size());
    STICTION_CHECK(factor_ && n == factor_->n, "right-hand side of another size than the factor");
    if (!rhs_ || rhs_->nrow != n) {
        cholmod_free_dense(&rhs_, &common_);
        rhs_ = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &common_);
    }
    if (!rhs_) throw std::bad_alloc();
    std::copy(b.data(), b.data() + n, static_cast<double*>(rhs_->x));
    if (!cholmod_solve2(CHOLMOD_A, factor_, rhs_, nullptr, &solution_, nullptr, &work_y_, &work_e_, &common_))
        throw std::bad_alloc();
    x = Eigen::Map<const VecX>(static_cast<const double*>(solution_->x), b.size());
}

}  // namespace

std::unique_ptr<SparseFactor> make_cholmod_cholesky() {
    return std::make_unique<CholmodCholesky>();
}

std::string cholmod_name() {
    return fmt::format("CHOLMOD {}.{}.{} supernodal (GPL), METIS ordering", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION,
                       CHOLMOD_SUBSUB_VERSION);
}

}  // namespace stiction
