// Multifrontal L U of MUMPS (CeCILL-C), sequential flavour. Its analysis wants a symmetric pattern, which is what a
// GeneralBlockSystem has: on matrices of tetrahedra it takes 0.7 of the time of UMFPACK with the same order.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/cholesky.hpp"
#include "stiction/linalg/lu.hpp"
#include "stiction/linalg/lu_scaling.hpp"
#include "stiction/linalg/unknown_name.hpp"

#include <dmumps_c.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>

namespace stiction {
namespace {

class MumpsLu final : public Lu {
public:
    MumpsLu() = default;
    ~MumpsLu() override { finish(); }
    MumpsLu(const MumpsLu&) = delete;
    MumpsLu& operator=(const MumpsLu&) = delete;

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
    void fill(const BlockPattern& pattern, const std::vector<Mat3>& values);
    void solve_scaled(VecX& x, bool transposed);
    bool is_regular();

    DMUMPS_STRUC_C mumps_{};
    bool is_started_ = false;
    std::vector<MUMPS_INT> rows_, columns_, position_;
    std::vector<double> values_;  // scaled; nine an entry of the pattern's rows
    std::vector<Index> transposed_;
    LuScaling scaling_;
    double nonzeros_ = 0.0;
};

/// MUMPS keeps some of its state in global variables of its own while it works.
std::mutex& mumps_mutex() {
    static std::mutex mutex;
    return mutex;
}

void MumpsLu::call(int job) {
    const SerialOpenMp serial;
    use_one_blas_thread();
    const std::lock_guard lock(mumps_mutex());
    mumps_.job = job;
    dmumps_c(&mumps_);
}

void MumpsLu::start() {
    finish();
    mumps_ = DMUMPS_STRUC_C{};
    mumps_.sym = 0;
    mumps_.par = 1;
    mumps_.comm_fortran = -987654;  // the manual's "all processes", of which the sequential flavour has one
    call(-1);
    STICTION_CHECK(mumps_.infog[0] == 0, fmt::format("MUMPS did not start: {}", mumps_.infog[0]));
    is_started_ = true;
    for (int stream = 1; stream <= 3; ++stream) control(stream) = -1;  // prints nothing
    control(4) = 0;
    control(5) = 0;         // assembled matrix
    control(6) = 0;         // no column permutation: the diagonal blocks are the pivots to begin with
    control(7) = 1;         // the order in perm_in
    control(8) = 0;         // no scaling beside our own
    control(10) = 0;        // refinement is done by the caller
    control(13) = 1;        // no parallel root
    control(14) = 30;       // working space beyond the estimate, per cent
    control(16) = 1;        // one OpenMP thread
    control(28) = 1;        // sequential analysis
    mumps_.cntl[0] = 0.01;  // a pivot is at least this part of the largest entry in its row
}

void MumpsLu::finish() {
    if (!is_started_) return;
    call(-2);
    is_started_ = false;
}

bool MumpsLu::fail(const char* stage) {
    const auto code = mumps_.infog[0], detail = mumps_.infog[1];
    switch (code) {
        case -10: failure_ = fmt::format("singular after {} pivots", detail); break;
        case -13: failure_ = fmt::format("{}: out of memory", stage); break;
        default: failure_ = fmt::format("{}: MUMPS error {} ({})", stage, code, detail);
    }
    return false;
}

/// Coordinates numbered from 1, entry by entry of the pattern's rows, each block column by column.
void MumpsLu::expand(const BlockPattern& pattern) {
    const std::size_t entries = pattern.row_entries.size();
    rows_.resize(9 * entries);
    columns_.resize(9 * entries);
    values_.assign(9 * entries, 0.0);
    parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t i) {
        for (Index e = pattern.row_begin[i]; e < pattern.row_begin[i + 1]; ++e) {
            for (int k = 0; k < 9; ++k) {
                const std::size_t at = 9 * static_cast<std::size_t>(e) + static_cast<std::size_t>(k);
                rows_[at] = 3 * static_cast<MUMPS_INT>(i) + k % 3 + 1;
                columns_[at] = 3 * pattern.row_entries[e].column + k / 3 + 1;
            }
        }
    });
}

bool MumpsLu::analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    failure_.clear();
    start();
    expand(pattern);
    transposed_ = transposed_entries(pattern);
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

void MumpsLu::fill(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t i) {
        const auto row_scale = scaling_.rows.segment<3>(3 * static_cast<Eigen::Index>(i));
        for (Index e = pattern.row_begin[i]; e < pattern.row_begin[i + 1]; ++e) {
            const auto column_scale =
                scaling_.columns.segment<3>(3 * static_cast<Eigen::Index>(pattern.row_entries[e].column));
            Eigen::Map<Mat3>(values_.data() + 9 * static_cast<std::size_t>(e)) =
                row_scale.asDiagonal() * values[e] * column_scale.asDiagonal();
        }
    });
}

bool MumpsLu::factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    failure_.clear();
    scaling_.set(pattern, values, transposed_);
    if (scaling_.zero_row >= 0 || scaling_.zero_column >= 0) {
        const bool is_row = scaling_.zero_row >= 0;
        failure_ = fmt::format("singular: {} of {} is zero", is_row ? "row" : "column",
                               unknown_name(is_row ? scaling_.zero_row : scaling_.zero_column));
        return false;
    }
    fill(pattern, values);
    constexpr int most_space = 2000;  // per cent
    call(2);
    while ((mumps_.infog[0] == -8 || mumps_.infog[0] == -9) && control(14) < most_space) {
        control(14) *= 2;
        call(2);
    }
    if (mumps_.infog[0] < 0) return fail("factorisation");
    return is_regular();
}

void MumpsLu::solve_scaled(VecX& x, bool transposed) {
    control(9) = transposed ? 0 : 1;
    mumps_.nrhs = 1;
    mumps_.lrhs = mumps_.n;
    mumps_.rhs = x.data();
    call(3);
    mumps_.rhs = nullptr;
    STICTION_CHECK(mumps_.infog[0] >= 0, fmt::format("MUMPS could not solve: {}", mumps_.infog[0]));
}

/// A pivot of pure rounding error passes in silence. Inverse iteration with A and A^T instead: the lengths of A^-1 x
/// and A^-T x for x of unit length grow to 1 over the smallest singular value of the scaled matrix and never beyond.
/// One solve tells unless the matrix is close to singular.
bool MumpsLu::is_regular() {
    VecX x(mumps_.n);
    std::uint32_t state = 12345;  // fixed: the verdict depends on the matrix alone
    for (double& entry : x) {
        state = 1664525u * state + 1013904223u;
        entry = (state >> 31 ? 1.0 : -1.0) * (0.5 + 0x1p-32 * (state << 1));
    }
    x /= x.norm();
    const double suspicious = 100.0 * std::sqrt(static_cast<double>(mumps_.n)) * smallest_pivot_ratio;
    Eigen::Index largest = 0;
    double estimate = 0.0;
    for (int iteration = 0; iteration < 3; ++iteration) {
        solve_scaled(x, false);
        const double length = x.norm();
        estimate = 1.0 / length;
        if (estimate > suspicious) return true;
        if (!x.allFinite()) break;
        x.cwiseAbs().maxCoeff(&largest);
        x /= length;
        solve_scaled(x, true);
        x /= x.norm();
    }
    if (estimate > smallest_pivot_ratio) return true;
    failure_ = fmt::format("singular at {}: smallest singular value of the scaled matrix about {:.1e}",
                           unknown_name(static_cast<Index>(largest)), estimate);
    return false;
}

void MumpsLu::solve(const VecX& b, VecX& x) {
    STICTION_CHECK(is_started_ && b.size() == mumps_.n, "right-hand side of another size than the factor");
    x = scaling_.rows.cwiseProduct(b);
    solve_scaled(x, false);
    x = scaling_.columns.cwiseProduct(x);
}

}  // namespace

std::unique_ptr<Lu> make_lu() {
    return std::make_unique<MumpsLu>();
}

std::string lu_name() {
    return std::string("MUMPS ") + MUMPS_VERSION + " sequential (CeCILL-C), METIS ordering";
}

}  // namespace stiction
