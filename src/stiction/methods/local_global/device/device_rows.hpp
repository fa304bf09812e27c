// The rows of the constraints on a device.
#pragma once

#include "stiction/methods/local_global/contact/contact_rows.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stiction::local_global {

/// The terms of bilateral rows by columns, by pointers.
struct ColumnTerms {
    const Index *start, *bilateral;  ///< of each column one more than columns; the bilateral row of each term
    const double* direction;         ///< 3 a term
};

/// D^T in for one column: the force that the rows put on it.
/// @param of_contact  in of the three rows of the contact that the column is of, if it is one
/// @param in          in(j) of row j
template <class Numbers>
STICTION_HD Vec3 column_force(const RowsView& rows, const ColumnTerms& terms, std::size_t column,
                              const Vec3& of_contact, const Numbers& in) {
    Vec3 sum = Vec3::Zero();
    if (column < rows.contacts) sum = frame_at(rows, column).transpose() * of_contact;
    for (Index k = terms.start[column]; k < terms.start[column + 1]; ++k)
        sum += in(3 * rows.contacts + static_cast<std::size_t>(terms.bilateral[k])) *
               vector_at(terms.direction, static_cast<std::size_t>(k));
    return sum;
}

/// A list of numbers, for column_force().
struct NumberList {
    const double* values;
    STICTION_HD double operator()(std::size_t j) const { return values[j]; }
};

/// ContactRows in the memory of a device, with the transposes that sums of fixed order need.
template <class Device>
class DeviceConstraintRows {
public:
    template <class T>
    using Array = typename Device::template Array<T>;

    explicit DeviceConstraintRows(Device& device) : device_(device) {}

    /// @param unknown_count  of the system that the rows belong to
    void upload(const ContactRows& rows, std::size_t unknown_count) {
        shape_ = {
            .contacts = rows.friction.size(), .bilaterals = rows.compliance.size(), .columns = at(rows.column_count())};
        lists_.column_start.upload(rows.column_start);
        lists_.unknowns.upload(rows.unknowns);
        lists_.weights.upload(rows.weights);
        lists_.frames.upload(rows.frames);
        lists_.constants.upload(rows.constants);
        lists_.friction.upload(rows.friction);
        lists_.share.upload(rows.share);
        lists_.compliance.upload(rows.compliance);
        lists_.one_sided.upload(rows.one_sided);
        lists_.term_start.upload(rows.term_start);
        lists_.term_columns.upload(rows.term_columns);
        lists_.term_directions.upload(rows.term_directions);
        upload_unknowns(rows, unknown_count);
        upload_column_terms(rows);
    }
    RowsView view() const {
        RowsView rows = shape_;
        rows.column_start = lists_.column_start.data();
        rows.unknowns = lists_.unknowns.data();
        rows.weights = lists_.weights.data();
        rows.frames = lists_.frames.data();
        rows.constants = lists_.constants.data();
        rows.friction = lists_.friction.data();
        rows.share = lists_.share.data();
        rows.compliance = lists_.compliance.data();
        rows.one_sided = lists_.one_sided.data();
        rows.term_start = lists_.term_start.data();
        rows.term_columns = lists_.term_columns.data();
        rows.term_directions = lists_.term_directions.data();
        return rows;
    }

    ColumnTerms column_terms() const { return {column_start_.data(), column_rows_.data(), column_directions_.data()}; }

    /// Rows.
    std::size_t count() const { return shape_.rows(); }

    // What runs bodies is public: a CUDA compiler asks for it.

    /// u_c of every column from positions (n x 3).
    void column_values(const double* q, double* u) {
        const RowsView rows = view();
        device_.for_each(rows.columns,
                         [=] STICTION_BODY(std::size_t c) { Eigen::Map<Vec3>(u + 3 * c) = column_value(rows, c, q); });
    }
    /// out = D u (+ constant if `with_constant`).
    void row_values(const double* u, bool with_constant, double* out) {
        const RowsView rows = view();
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_BODY(std::size_t k) {
            if (k < rows.contacts) {
                const Vec3 constant = with_constant ? Vec3(vector_at(rows.constants, k)) : Vec3(Vec3::Zero());
                Eigen::Map<Vec3>(out + 3 * k) = frame_at(rows, k) * vector_at(u, k) + constant;
            } else {
                const std::size_t b = k - rows.contacts, j = 3 * rows.contacts + b;
                out[j] = bilateral_value(rows, b, u) + (with_constant ? rows.constants[j] : 0.0);
            }
        });
    }
    /// out = D^T in: a 3-vector a column.
    void column_forces(const double* in, double* out) {
        const RowsView rows = view();
        const ColumnTerms terms = column_terms();
        device_.for_each(rows.columns, [=] STICTION_BODY(std::size_t c) {
            const Vec3 of_contact = c < rows.contacts ? Vec3(vector_at(in, c)) : Vec3(Vec3::Zero());
            Eigen::Map<Vec3>(out + 3 * c) = column_force(rows, terms, c, of_contact, NumberList{in});
        });
    }
    /// out = B f, n x 3, for a 3-vector f a column.
    void unknown_forces(const double* f, double* out) {
        const Index *start = unknown_start_.data(), *columns = unknown_columns_.data();
        const double* weights = unknown_weights_.data();
        device_.for_each(unknown_count_, [=] STICTION_BODY(std::size_t i) {
            Vec3 sum = Vec3::Zero();
            for (Index k = start[i]; k < start[i + 1]; ++k)
                sum += weights[k] * vector_at(f, static_cast<std::size_t>(columns[k]));
            Eigen::Map<Vec3>(out + 3 * i) = sum;
        });
    }

private:
    /// B by rows: the columns of each unknown, ascending, so that sums have a fixed order.
    void upload_unknowns(const ContactRows& rows, std::size_t unknown_count) {
        unknown_count_ = unknown_count;
        std::vector<Index> start(unknown_count + 1, 0), columns(rows.unknowns.size());
        std::vector<double> weights(rows.unknowns.size());
        for (const Index unknown : rows.unknowns) ++start[at(unknown) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<Index> next(start.begin(), start.end() - 1);
        for (Index c = 0; c < rows.column_count(); ++c) {
            for (Index k = rows.column_start[at(c)]; k < rows.column_start[at(c) + 1]; ++k) {
                const auto to = at(next[at(rows.unknowns[at(k)])]++);
                columns[to] = c;
                weights[to] = rows.weights[at(k)];
            }
        }
        unknown_start_.upload(start);
        unknown_columns_.upload(columns);
        unknown_weights_.upload(weights);
    }
    /// The terms of bilateral rows, by columns.
    void upload_column_terms(const ContactRows& rows) {
        std::vector<Index> start(shape_.columns + 1, 0), of_rows(rows.term_columns.size());
        std::vector<double> directions(rows.term_directions.size());
        for (const Index column : rows.term_columns) ++start[at(column) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<Index> next(start.begin(), start.end() - 1);
        for (Index b = 0; b < rows.bilateral_count(); ++b) {
            for (Index t = rows.term_start[at(b)]; t < rows.term_start[at(b) + 1]; ++t) {
                const auto to = at(next[at(rows.term_columns[at(t)])]++);
                of_rows[to] = b;
                std::copy_n(rows.term_directions.begin() + 3 * t, 3,
                            directions.begin() + static_cast<std::ptrdiff_t>(3 * to));
            }
        }
        column_start_.upload(start);
        column_rows_.upload(of_rows);
        column_directions_.upload(directions);
    }

    struct Lists {
        Array<Index> column_start, unknowns, term_start, term_columns;
        Array<double> weights, frames, constants, friction, share, compliance, term_directions;
        Array<char> one_sided;
    };

    Device& device_;
    std::size_t unknown_count_ = 0;
    RowsView shape_;  ///< counts; no pointers
    Lists lists_;
    Array<Index> unknown_start_, unknown_columns_, column_start_, column_rows_;
    Array<double> unknown_weights_, column_directions_;
};

}  // namespace stiction::local_global
