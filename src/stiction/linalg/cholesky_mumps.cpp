// Multifrontal L D L^T of MUMPS (CeCILL-C), sequential flavour: the build without GPL parts.
#ifndef STICTION_WITH_CHOLMOD

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/cholesky.hpp"
#include "stiction/linalg/unknown_name.hpp"

#include <dmumps_c.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace stiction {
namespace {

class MumpsCholesky final : public Cholesky {
public:
    MumpsCholesky() = default;
    ~MumpsCholesky() override { finish(); }
    MumpsCholesky(const MumpsCholesky&) = delete;
    MumpsCholesky& operator=(const MumpsCholesky&) = delete;

    bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) override;
    bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) override;
    void solve(const VecX& b, VecX& x) override;
    double factor_nonzeros() const override { return nonzeros_; }

private:
    void start();
    void finish();
    void call(int job);
    bool fail(const char* stage);
    /// MUMPS numbers its controls from 1, as its manual does.
    MUMPS_INT& control(int number) { return mumps_.icntl[number - 1]; }
    void expand(const BlockPattern& pattern);
    void solve_scaled(VecX& x);
    bool is_regular();
    bool find_scale(const BlockPattern& pattern, const std::vector<Mat3>& values);

    DMUMPS_STRUC_C mumps_{};
    bool is_started_ = false;
    std::vector<MUMPS_INT> rows_, columns_, position_;
    std::vector<std::size_t> entry_begin_;  // of each slot
    std::vector<double> values_;            // scaled on both sides
    VecX scale_;
    double nonzeros_ = 0.0;
};

void MumpsCholesky::call(int job) {
    const SerialOpenMp serial;
    use_one_blas_thread();
    mumps_.job = job;
    dmumps_c(&mumps_);
}

void MumpsCholesky::start() {
    finish();
    mumps_ = DMUMPS_STRUC_C{};
    mumps_.sym = 1;  // positive definite: no pivoting
    mumps_.par = 1;
    mumps_.comm_fortran = -987654;  // the manual's "all processes", of which the sequential flavour has one
    call(-1);
    STICTION_CHECK(mumps_.infog[0] == 0, fmt::format("MUMPS did not start: {}", mumps_.infog[0]));
    is_started_ = true;
    for (int stream = 1; stream <= 3; ++stream) control(stream) = -1;  // prints nothing
    control(4) = 0;
    control(5) = 0;    // assembled matrix
    control(6) = 0;    // no column permutation
    control(7) = 1;    // the order in perm_in
    control(8) = 0;    // no scaling beside our own
    control(10) = 0;   // refinement is done by the caller
    control(13) = 1;   // no parallel root: every pivot is checked
    control(14) = 30;  // working space beyond the estimate, per cent
    control(16) = 1;   // one OpenMP thread
    control(28) = 1;   // sequential analysis
}

void MumpsCholesky::finish() {
    if (!is_started_) return;
    call(-2);
    is_started_ = false;
}

bool MumpsCholesky::fail(const char* stage) {
    const auto code = mumps_.infog[0], detail = mumps_.infog[1];
    switch (code) {
        case -10: failure_ = fmt::format("singular after {} pivots", detail); break;
        case -40: failure_ = "not positive definite"; break;
        case -13: failure_ = fmt::format("{}: out of memory", stage); break;
        default: failure_ = fmt::format("{}: MUMPS error {} ({})", stage, code, detail);
    }
    return false;
}

/// Coordinates of the lower triangle, numbered from 1, slot by slot.
void MumpsCholesky::expand(const BlockPattern& pattern) {
    rows_.clear();
    columns_.clear();
    entry_begin_.clear();
    for (Index j = 0; j < pattern.nodes; ++j) {
        for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
            const Index i = pattern.rows[s];
            entry_begin_.push_back(rows_.size());
            for (int c = 0; c < 3; ++c) {
                for (int r = i == j ? c : 0; r < 3; ++r) {
                    rows_.push_back(3 * i + r + 1);
                    columns_.push_back(3 * j + c + 1);
                }
            }
        }
    }
    values_.assign(rows_.size(), 0.0);
}

bool MumpsCholesky::analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    failure_.clear();
    start();
    expand(pattern);
    position_.assign(3 * order.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        for (std::size_t c = 0; c < 3; ++c)
            position_[3 * static_cast<std::size_t>(order[k]) + c] = static_cast<MUMPS_INT>(3 * k + c + 1);
    }
    mumps_.n = 3 * pattern.nodes;
    mumps_.nnz = static_cast<MUMPS_INT8>(rows_.size());
    mumps_.irn = rows_.data();
    mumps_.jcn = columns_.data();
    mumps_.a = values_.data();
    mumps_.perm_in = position_.data();
    call(1);
    if (mumps_.infog[0] < 0) return fail("analysis");
    // A negative count is in millions.
    nonzeros_ = mumps_.infog[19] >= 0 ? mumps_.infog[19] : -1e6 * mumps_.infog[19];
    return true;
}

/// scale_ = diag(A)^(-1/2): with a unit diagonal, a pivot says how many digits of its diagonal entry are left.
bool MumpsCholesky::find_scale(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    scale_.resize(3 * static_cast<Eigen::Index>(pattern.nodes));
    for (Index i = 0; i < scale_.size(); ++i) {
        const auto slot = static_cast<std::size_t>(pattern.column_begin[i / 3]);
        const double diagonal = values[slot](i % 3, i % 3);
        if (!(diagonal > 0.0)) {
            failure_ = fmt::format("not positive definite at {}", unknown_name(i));
            return false;
        }
        scale_[i] = 1.0 / std::sqrt(diagonal);
    }
    return true;
}

bool MumpsCholesky::factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    failure_.clear();
    if (!find_scale(pattern, values)) return false;
    parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t j) {
        const auto column_scale = scale_.segment<3>(3 * static_cast<Eigen::Index>(j));
        for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
            const auto row_scale = scale_.segment<3>(3 * static_cast<Eigen::Index>(pattern.rows[s]));
            const Mat3 block = row_scale.asDiagonal() * values[s] * column_scale.asDiagonal();
            double* entry = values_.data() + entry_begin_[s];
            for (int c = 0; c < 3; ++c) {
                for (int r = s == pattern.column_begin[j] ? c : 0; r < 3; ++r) *entry++ = block(r, c);
            }
        }
    });
    constexpr int most_space = 2000;  // per cent
    call(2);
    while ((mumps_.infog[0] == -8 || mumps_.infog[0] == -9) && control(14) < most_space) {
        control(14) *= 2;
        call(2);
    }
    if (mumps_.infog[0] < 0) return fail("factorisation");
    if (mumps_.infog[11] > 0) {  // MUMPS goes on past negative pivots
        failure_ = fmt::format("not positive definite: {} negative pivots", mumps_.infog[11]);
        return false;
    }
    return is_regular();
}

void MumpsCholesky::solve_scaled(VecX& x) {
    mumps_.nrhs = 1;
    mumps_.lrhs = mumps_.n;
    mumps_.rhs = x.data();
    call(3);
    mumps_.rhs = nullptr;
    STICTION_CHECK(mumps_.infog[0] >= 0, fmt::format("MUMPS could not solve: {}", mumps_.infog[0]));
}

/// MUMPS passes in silence over pivots of pure rounding error and does not show them. Inverse iteration instead: |x| /
/// |A^-1 x| of the scaled matrix falls to its smallest eigenvalue, which no pivot is below. One solve tells unless the
/// matrix is close to singular.
bool MumpsCholesky::is_regular() {
    VecX x(mumps_.n);
    std::uint32_t state = 12345;  // fixed: the verdict depends on the matrix alone
    for (double& entry : x) {
        state = 1664525u * state + 1013904223u;
        entry = (state >> 31 ? 1.0 : -1.0) * (0.5 + 0x1p-32 * (state << 1));
    }
    const double suspicious = 100.0 * std::sqrt(static_cast<double>(mumps_.n)) * smallest_pivot_ratio;
    double estimate = 0.0;
    for (int iteration = 0; iteration < 3; ++iteration) {
        x /= x.norm();
        solve_scaled(x);
        estimate = 1.0 / x.norm();
        if (estimate > suspicious) return true;
    }
    if (estimate > smallest_pivot_ratio) return true;
    Eigen::Index largest = 0;
    x.cwiseAbs().maxCoeff(&largest);
    failure_ = fmt::format("singular at {}: smallest eigenvalue of the scaled matrix about {:.1e}",
                           unknown_name(static_cast<Index>(largest)), estimate);
    return false;
}

void MumpsCholesky::solve(const VecX& b, VecX& x) {
    STICTION_CHECK(is_started_ && b.size() == mumps_.n, "right-hand side of another size than the factor");
    x = scale_.cwiseProduct(b);
    solve_scaled(x);
    x = scale_.cwiseProduct(x);
}

}  // namespace

std::unique_ptr<Cholesky> make_cholesky() {
    return std::make_unique<MumpsCholesky>();
}

std::string factorisation_name() {
    return std::string("MUMPS ") + MUMPS_VERSION + " sequential (CeCILL-C), METIS ordering";
}

}  // namespace stiction

#endif
