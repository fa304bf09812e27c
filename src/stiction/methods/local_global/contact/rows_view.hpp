// The rows of the constraints by pointers: what one column or one row does, on a CPU or a GPU.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/base/types.hpp"

#include <cstddef>

namespace stiction::local_global {

/// The arrays of ContactRows.
struct RowsView {
    std::size_t contacts = 0, bilaterals = 0, columns = 0;
    const Index* column_start = nullptr;
    const Index* unknowns = nullptr;
    const double* weights = nullptr;
    const double* frames = nullptr;
    const double* constants = nullptr;
    const double* friction = nullptr;
    const double* share = nullptr;
    const double* compliance = nullptr;
    const char* one_sided = nullptr;
    const Index* term_start = nullptr;
    const Index* term_columns = nullptr;
    const double* term_directions = nullptr;

    STICTION_HD std::size_t rows() const { return 3 * contacts + bilaterals; }
};

STICTION_HD inline Eigen::Map<const Vec3> vector_at(const double* values, std::size_t i) {
    return Eigen::Map<const Vec3>(values + 3 * i);
}

/// The frame of a contact: rows are the normal and two tangents.
STICTION_HD inline Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> frame_at(const RowsView& rows,
                                                                                           std::size_t contact) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.frames + 9 * contact);
}

/// u_c = sum_i w_i q_i of one column.
STICTION_HD inline Vec3 column_value(const RowsView& rows, std::size_t column, const double* q) {
    Vec3 sum = Vec3::Zero();
    for (Index k = rows.column_start[column]; k < rows.column_start[column + 1]; ++k)
        sum += rows.weights[k] * vector_at(q, static_cast<std::size_t>(rows.unknowns[k]));
    return sum;
}

/// The value of a bilateral row without its constant.
STICTION_HD inline double bilateral_value(const RowsView& rows, std::size_t b, const double* u) {
    double sum = 0.0;
    for (Index t = rows.term_start[b]; t < rows.term_start[b + 1]; ++t)
        sum += vector_at(rows.term_directions, static_cast<std::size_t>(t))
                   .dot(vector_at(u, static_cast<std::size_t>(rows.term_columns[t])));
    return sum;
}

}  // namespace stiction::local_global
