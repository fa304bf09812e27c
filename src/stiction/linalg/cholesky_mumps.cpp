// L D L^T of MUMPS (CeCILL-C).
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/cholesky.hpp"
#include "stiction/linalg/mumps_driver.hpp"

#include <dmumps_c.h>
#include <fmt/format.h>

#include <cmath>

namespace stiction {
namespace {

class MumpsCholesky final : public SparseFactor {
public:
    bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) override;
    bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision) override;
    void solve(const VecX& b, VecX& x) override;
    double factor_nonzeros() const override { return mumps_.factor_nonzeros(); }

private:
    void expand(const BlockPattern& pattern);
    bool is_regular();
    bool find_scale(const BlockPattern& pattern, const std::vector<Mat3>& values);

    MumpsDriver mumps_{MumpsDriver::Kind::positive_definite};
    std::vector<std::size_t> entry_begin_;  // of each slot
    VecX scale_;                            // of the matrix that MUMPS sees, on both sides
};

/// Coordinates of the lower triangle, numbered from 1, slot by slot.
void MumpsCholesky::expand(const BlockPattern& pattern) {
    mumps_.rows.clear();
    mumps_.columns.clear();
    entry_begin_.clear();
    for (Index j = 0; j < pattern.nodes; ++j) {
        for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
            const Index i = pattern.rows[s];
            entry_begin_.push_back(mumps_.rows.size());
            for (int c = 0; c < 3; ++c) {
                for (int r = i == j ? c : 0; r < 3; ++r) {
                    mumps_.rows.push_back(3 * i + r + 1);
                    mumps_.columns.push_back(3 * j + c + 1);
                }
            }
        }
    }
    mumps_.values.assign(mumps_.rows.size(), 0.0);
}

bool MumpsCholesky::analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    expand(pattern);
    const bool is_analyzed = mumps_.analyze(pattern.nodes, order);
    failure_ = mumps_.failure();
    return is_analyzed;
}

/// scale_ = diag(A)^(-1/2): with a unit diagonal, a pivot says how many digits of its diagonal entry are left.
bool MumpsCholesky::find_scale(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    scale_.resize(3 * static_cast<Eigen::Index>(pattern.nodes));
    for (Index i = 0; i < scale_.size(); ++i) {
        const auto slot = static_cast<std::size_t>(pattern.column_begin[i / 3]);
        const double diagonal = values[slot](i % 3, i % 3);
        if (!(diagonal > 0.0)) {
            failure_ = fmt::format("not positive definite at {}", scalar_row_name(i));
            return false;
        }
        scale_[i] = 1.0 / std::sqrt(diagonal);
    }
    return true;
}

bool MumpsCholesky::factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision) {
    failure_.clear();
    if (!find_scale(pattern, values)) return false;
    parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t j) {
        const auto column_scale = scale_.segment<3>(3 * static_cast<Eigen::Index>(j));
        for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
            const auto row_scale = scale_.segment<3>(3 * static_cast<Eigen::Index>(pattern.rows[s]));
            const Mat3 block = row_scale.asDiagonal() * values[s] * column_scale.asDiagonal();
            double* entry = mumps_.values.data() + entry_begin_[s];
            for (int c = 0; c < 3; ++c) {
                for (int r = s == pattern.column_begin[j] ? c : 0; r < 3; ++r) *entry++ = block(r, c);
            }
        }
    });
    const bool is_factored = mumps_.factorize();
    failure_ = mumps_.failure();
    return is_factored && is_regular();
}

/// Inverse iteration: |x| / |A^-1 x| of the scaled matrix falls to its smallest eigenvalue, which no pivot is below.
/// One solve tells unless the matrix is close to singular.
bool MumpsCholesky::is_regular() {
    VecX x = start_of_inverse_iteration(scale_.size());
    double estimate = 0.0;
    for (int iteration = 0; iteration < 3; ++iteration) {
        x /= x.norm();
        mumps_.solve_in_place(x);
        estimate = 1.0 / x.norm();
        if (estimate > surely_regular(x.size())) return true;
    }
    if (estimate > smallest_pivot_ratio) return true;
    Eigen::Index largest = 0;
    x.cwiseAbs().maxCoeff(&largest);
    failure_ = fmt::format("singular at {}: smallest eigenvalue of the scaled matrix about {:.1e}",
                           scalar_row_name(static_cast<Index>(largest)), estimate);
    return false;
}

void MumpsCholesky::solve(const VecX& b, VecX& x) {
    STICTION_CHECK(mumps_.has_size(b.size()), "right-hand side of another size than the factor");
    x = scale_.cwiseProduct(b);
    mumps_.solve_in_place(x);
    x = scale_.cwiseProduct(x);
}

}  // namespace

std::unique_ptr<SparseFactor> make_mumps_cholesky() {
    return std::make_unique<MumpsCholesky>();
}

std::string mumps_cholesky_name() {
    return std::string("MUMPS ") + MUMPS_VERSION + " sequential (CeCILL-C), METIS ordering";
}

}  // namespace stiction
