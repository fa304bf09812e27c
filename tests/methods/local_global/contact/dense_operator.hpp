// A FactoredOperator that holds the dense inverse of its factor, random rows over it, and their dense matrices.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>

#include <random>

namespace stiction::test {

using namespace local_global;

using Random = std::mt19937_64;

inline double uniform(Random& random, double low = -1.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
inline Index random_index(Random& random, Index count) {
    return std::uniform_int_distribution<Index>(0, count - 1)(random);
}

inline VecX random_values(Random& random, Index count) {
    VecX x(count);
    for (Index i = 0; i < count; ++i) x[i] = uniform(random);
    return x;
}

class DenseOperator : public FactoredOperator {
public:
    explicit DenseOperator(const Eigen::MatrixXd& matrix) : matrix_(matrix) {
        const Eigen::MatrixXd lower = matrix.llt().matrixL();
        half_ = lower.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
        inverse_ = half_.transpose() * half_;
    }
    Index size() const override { return static_cast<Index>(matrix_.rows()); }
    void solve(const double* right_hand_side, double* solution) const override {
        const Rows x = inverse_ * Eigen::Map<const Rows>(right_hand_side, size(), 3);
        Eigen::Map<Rows>(solution, size(), 3) = x;
    }
    void solve_first_half(const double* right_hand_side, double* half) const override {
        Eigen::Map<Rows>(half, size(), 3) = half_ * Eigen::Map<const Rows>(right_hand_side, size(), 3);
    }
    void solve_second_half(const double* half, double* solution) const override {
        Eigen::Map<Rows>(solution, size(), 3) = half_.transpose() * Eigen::Map<const Rows>(half, size(), 3);
    }
    Index position(Index unknown) const override { return unknown; }
    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override {
        for (Index i = unknown; i < size(); ++i) {
            if (half_(i, unknown) == 0.0) continue;
            rows.push_back(i);
            values.push_back(half_(i, unknown));
        }
    }
    std::size_t bytes() const override { return static_cast<std::size_t>(half_.size()) * sizeof(double); }
    double entries() const override { return static_cast<double>(half_.size()); }

    const Eigen::MatrixXd& matrix() const { return matrix_; }
    const Eigen::MatrixXd& inverse() const { return inverse_; }

private:
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

    Eigen::MatrixXd matrix_, half_, inverse_;
};

/// Springs along a random graph that leaves some parts apart, and masses.
inline Eigen::MatrixXd random_scalar_system(Random& random, Index n, double stiffness) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    for (Index i = 0; i < n; ++i) matrix(i, i) = uniform(random, 0.5, 2.0);
    for (Index k = 0; k < 3 * n; ++k) {
        const Index i = random_index(random, n), j = random_index(random, n);
        if (i == j || (i < n / 3) != (j < n / 3)) continue;
        const double w = stiffness * uniform(random, 0.1, 1.0);
        matrix(i, i) += w;
        matrix(j, j) += w;
        matrix(i, j) -= w;
        matrix(j, i) -= w;
    }
    return matrix;
}

inline Mat3 random_frame(Random& random) {
    Mat3 frame;
    do {
        for (int k = 0; k < 9; ++k) frame(k) = uniform(random);
    } while (std::abs(frame.determinant()) < 0.05);
    const Eigen::HouseholderQR<Mat3> qr(frame);
    return qr.householderQ();
}

/// Contacts over one to four unknowns each, and bilateral rows over up to three columns of up to nine unknowns.
inline ContactRows random_rows(Random& random, Index n, Index contacts, Index bilateral) {
    ContactRows rows;
    for (Index c = 0; c < contacts; ++c) {
        std::vector<Index> unknowns;
        std::vector<double> weights;
        const Index count = 1 + random_index(random, std::min<Index>(4, n));
        while (static_cast<Index>(unknowns.size()) < count) {
            const Index unknown = random_index(random, n);
            if (std::find(unknowns.begin(), unknowns.end(), unknown) != unknowns.end()) continue;
            unknowns.push_back(unknown);
            weights.push_back(unknowns.size() == 1 ? 1.0 : -1.0 / (count - 1));
        }
        rows.add_contact(unknowns, weights, random_frame(random), uniform(random, -0.2, 0.2),
                         {uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1)}, uniform(random, 0.0, 1.0));
    }
    for (Index b = 0; b < bilateral; ++b) {
        std::vector<Index> columns;
        std::vector<Vec3> directions;
        for (Index t = 0; t < 1 + b % 3; ++t) {
            std::vector<Index> unknowns;
            std::vector<double> weights;
            for (Index k = 0; k < 1 + random_index(random, 9); ++k) {
                unknowns.push_back(random_index(random, n));
                weights.push_back(uniform(random));
            }
            columns.push_back(rows.add_column(unknowns, weights));
            directions.emplace_back(uniform(random), uniform(random), uniform(random));
        }
        rows.add_bilateral(columns, directions, uniform(random, -0.1, 0.1),
                           b % 2 == 0 ? 0.0 : uniform(random, 0.0, 0.1));
    }
    return rows;
}

/// H as a dense matrix, rows over 3 n coordinates.
inline Eigen::MatrixXd dense_jacobian(const ContactRows& rows, Index n) {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(rows.row_count(), 3 * n);
    const auto add = [&](Index row, Index column, const Vec3& direction) {
        for (Index k = rows.column_start[static_cast<std::size_t>(column)];
             k < rows.column_start[static_cast<std::size_t>(column) + 1]; ++k) {
            jacobian.block<1, 3>(row, 3 * rows.unknowns[static_cast<std::size_t>(k)]) +=
                rows.weights[static_cast<std::size_t>(k)] * direction.transpose();
        }
    };
    for (Index c = 0; c < rows.contact_count(); ++c) {
        for (Index d = 0; d < 3; ++d) add(3 * c + d, c, Eigen::Map<const Vec3>(rows.frames.data() + 9 * c + 3 * d));
    }
    for (Index b = 0; b < rows.bilateral_count(); ++b) {
        for (Index t = rows.term_start[static_cast<std::size_t>(b)];
             t < rows.term_start[static_cast<std::size_t>(b) + 1]; ++t) {
            add(3 * rows.contact_count() + b, rows.term_columns[static_cast<std::size_t>(t)],
                Eigen::Map<const Vec3>(rows.term_directions.data() + 3 * t));
        }
    }
    return jacobian;
}

/// A^-1 for all coordinates.
inline Eigen::MatrixXd dense_inverse(const DenseOperator& system) {
    const Index n = system.size();
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) inverse.block<3, 3>(3 * i, 3 * j) = system.inverse()(i, j) * Mat3::Identity();
    }
    return inverse;
}

}  // namespace stiction::test
