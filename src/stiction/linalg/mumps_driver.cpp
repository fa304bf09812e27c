#include "stiction/linalg/mumps_driver.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/sparse_factor.hpp"

#include <dmumps_c.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace stiction {

static_assert(std::is_same_v<MUMPS_INT, int>, "MUMPS is built for 32-bit indices");

struct MumpsDriver::Instance {
    DMUMPS_STRUC_C data{};
    /// MUMPS numbers its controls and results from 1, as its manual does.
    MUMPS_INT& control(int number) { return data.icntl[number - 1]; }
    MUMPS_INT result(int number) const { return data.infog[number - 1]; }
};

namespace {

/// MUMPS keeps some of its state in global variables of its own while it works.
std::mutex& mumps_mutex() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

MumpsDriver::MumpsDriver() : mumps_(std::make_unique<Instance>()) {}

MumpsDriver::~MumpsDriver() {
    finish();
}

void MumpsDriver::call(int job) {
    const SerialOpenMp serial;
    use_one_blas_thread();
    const std::lock_guard lock(mumps_mutex());
    mumps_->data.job = job;
    dmumps_c(&mumps_->data);
}

void MumpsDriver::start() {
    finish();
    *mumps_ = Instance{};
    DMUMPS_STRUC_C& data = mumps_->data;
    data.sym = 0;
    data.par = 1;
    data.comm_fortran = -987654;  // the manual's "all processes", of which the sequential flavour has one
    call(-1);
    STICTION_CHECK(mumps_->result(1) == 0, fmt::format("MUMPS did not start: {}", mumps_->result(1)));
    is_started_ = true;
    for (int stream = 1; stream <= 3; ++stream) mumps_->control(stream) = -1;  // prints nothing
    mumps_->control(4) = 0;
    mumps_->control(5) = 0;    // assembled matrix
    mumps_->control(6) = 0;    // no column permutation: the diagonal blocks are the pivots to begin with
    mumps_->control(7) = 1;    // the order in perm_in
    mumps_->control(8) = 0;    // no scaling beside the caller's
    mumps_->control(10) = 0;   // refinement is done by the caller
    mumps_->control(13) = 1;   // no parallel root: every pivot is checked
    mumps_->control(14) = 30;  // working space beyond the estimate, per cent
    mumps_->control(16) = 1;   // one OpenMP thread
    mumps_->control(28) = 1;   // sequential analysis
    data.cntl[0] = 0.01;       // of the largest entry in its row, a pivot is at least this part
}

void MumpsDriver::finish() {
    if (!is_started_) return;
    call(-2);
    is_started_ = false;
}

bool MumpsDriver::fail(const char* stage) {
    const auto code = mumps_->result(1), detail = mumps_->result(2);
    switch (code) {
        case -10: failure_ = fmt::format("singular after {} pivots", detail); break;
        case -13: failure_ = fmt::format("{}: out of memory", stage); break;
        default: failure_ = fmt::format("{}: MUMPS error {} ({})", stage, code, detail);
    }
    return false;
}

bool MumpsDriver::analyze(Index nodes, const std::vector<Index>& order) {
    failure_.clear();
    start();
    position_.assign(3 * order.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        for (std::size_t c = 0; c < 3; ++c)
            position_[3 * static_cast<std::size_t>(order[k]) + c] = static_cast<int>(3 * k + c + 1);
    }
    DMUMPS_STRUC_C& data = mumps_->data;
    data.n = 3 * nodes;
    data.nnz = static_cast<MUMPS_INT8>(rows.size());
    data.irn = rows.data();
    data.jcn = columns.data();
    data.a = values.data();
    data.perm_in = position_.data();
    call(1);
    if (mumps_->result(1) < 0) return fail("analysis");
    // A negative count is in millions.
    const double count = mumps_->result(20);
    nonzeros_ = count >= 0.0 ? count : -1e6 * count;
    return true;
}

bool MumpsDriver::factorize() {
    failure_.clear();
    constexpr int most_space = 2000;  // per cent
    call(2);
    while ((mumps_->result(1) == -8 || mumps_->result(1) == -9) && mumps_->control(14) < most_space) {
        mumps_->control(14) *= 2;
        call(2);
    }
    return mumps_->result(1) >= 0 || fail("factorisation");
}

bool MumpsDriver::has_size(Eigen::Index scalar_rows) const {
    return is_started_ && scalar_rows == mumps_->data.n;
}

void MumpsDriver::solve_in_place(VecX& x, bool transposed) {
    STICTION_CHECK(has_size(x.size()), "right-hand side of another size than the factor");
    DMUMPS_STRUC_C& data = mumps_->data;
    mumps_->control(9) = transposed ? 0 : 1;
    data.nrhs = 1;
    data.lrhs = data.n;
    data.rhs = x.data();
    call(3);
    data.rhs = nullptr;
    STICTION_CHECK(mumps_->result(1) >= 0, fmt::format("MUMPS could not solve: {}", mumps_->result(1)));
}

VecX start_of_inverse_iteration(Eigen::Index size) {
    VecX x(size);
    std::uint32_t state = 12345;  // fixed: the verdict depends on the matrix alone
    for (double& entry : x) {
        state = 1664525u * state + 1013904223u;
        entry = (state >> 31 ? 1.0 : -1.0) * (0.5 + 0x1p-32 * (state << 1));
    }
    return x;
}

double surely_regular(Eigen::Index size) {
    return 100.0 * std::sqrt(static_cast<double>(size)) * smallest_pivot_ratio;
}

}  // namespace stiction
