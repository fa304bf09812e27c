// The Delassus operator on a device.
#pragma once

#include "stiction/methods/local_global/device/device_inverse.hpp"
#include "stiction/methods/local_global/device/device_rows.hpp"

namespace stiction::local_global {

/// W = H A^-1 H^T by the dense matrix G = B^T A^-1 B, as DelassusOperator where W is formed.
template <class Device>
class DeviceDelassus {
public:
    template <class T>
    using Array = typename Device::template Array<T>;
    using Team = typename Device::Team;

    /// @param inverse, rows  kept by reference
    DeviceDelassus(Device& device, DeviceInverse<Device>& inverse, DeviceConstraintRows<Device>& rows)
        : device_(device), inverse_(inverse), rows_(rows) {}

    /// Once a step, after the rows are on the device.
    void prepare(const ContactRows& rows) {
        diagonal_.resize(rows_.count());
        scale_.resize(rows_.count());
        columns_.resize(3 * at(rows.column_count()));
        moved_.resize(3 * at(rows.column_count()));
        form(rows);
        make_diagonal();
    }
    /// G, symmetric.
    const double* matrix() const { return matrix_.data(); }
    /// Diagonal of W (1/kg, when A is a mass), and the scales r: 1 for a row that no force moves.
    const double* diagonal() const { return diagonal_.data(); }
    const double* scale() const { return scale_.data(); }

    // What runs bodies is public: a CUDA compiler asks for it.

    /// u = G f: a 3-vector a column.
    void respond(const double* f, double* u) {
        const std::size_t m = rows_.view().columns;
        const double* G = matrix_.data();
        device_.for_each_team(m, [=] STICTION_BODY(const Team& team, std::size_t c) {
            double sum[3] = {0.0, 0.0, 0.0};
            for (std::size_t d = team.rank(); d < m; d += team.size()) {
                for (std::size_t k = 0; k < 3; ++k) sum[k] += G[c * m + d] * f[3 * d + k];
            }
            for (std::size_t k = 0; k < 3; ++k) {
                const double total = team.sum(sum[k]);
                if (team.rank() == 0) u[3 * c + k] = total;
            }
        });
    }
    /// out = W in; out must not be in.
    void multiply(const double* in, double* out) {
        rows_.column_forces(in, columns_.data());
        respond(columns_.data(), moved_.data());
        rows_.row_values(moved_.data(), false, out);
    }

    /// G from the entries of A^-1 between the unknowns that columns use.
    void form(const ContactRows& rows) {
        std::vector<Index> used(rows.unknowns);
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        std::vector<Index> positions, places;
        for (const Index unknown : used) positions.push_back(inverse_.position_of(unknown));
        for (const Index unknown : rows.unknowns)
            places.push_back(static_cast<Index>(std::lower_bound(used.begin(), used.end(), unknown) - used.begin()));
        positions_.upload(positions);
        places_.upload(places);
        const std::size_t n = used.size(), m = at(rows.column_count());
        used_inverse_.resize(n * n);
        matrix_.resize(m * m);
        fill_used_inverse(n);
        fill_matrix(n, m);
    }
    void fill_used_inverse(std::size_t n) {
        const InverseColumns columns = inverse_.columns();
        const Index* positions = positions_.data();
        double* out = used_inverse_.data();
        device_.for_each_team(n * n, [=] STICTION_BODY(const Team& team, std::size_t pair) {
            const std::size_t i = pair / n, j = pair % n;
            if (j > i) return;
            const Index a = positions[i], b = positions[j];
            const std::size_t count = columns.common(a, b);
            const double *u = columns.values + columns.end[a] - count, *v = columns.values + columns.end[b] - count;
            double sum = 0.0;
            for (std::size_t k = team.rank(); k < count; k += team.size()) sum += u[k] * v[k];
            sum = team.sum(sum);
            if (team.rank() == 0) out[i * n + j] = out[j * n + i] = sum;
        });
    }
    void fill_matrix(std::size_t n, std::size_t m) {
        const RowsView rows = rows_.view();
        const Index* places = places_.data();
        const double* entries = used_inverse_.data();
        double* out = matrix_.data();
        device_.for_each(m * m, [=] STICTION_BODY(std::size_t pair) {
            const std::size_t c = pair / m, d = pair % m;
            if (d > c) return;
            double sum = 0.0;
            for (Index i = rows.column_start[c]; i < rows.column_start[c + 1]; ++i) {
                const double* row = entries + n * static_cast<std::size_t>(places[i]);
                for (Index j = rows.column_start[d]; j < rows.column_start[d + 1]; ++j)
                    sum += rows.weights[i] * rows.weights[j] * row[places[j]];
            }
            out[c * m + d] = out[d * m + c] = sum;
        });
    }
    /// Diagonal of W, and the scales r: a contact that no force moves has r = 1, which divides by nothing.
    void make_diagonal() {
        const RowsView rows = rows_.view();
        const double* G = matrix_.data();
        double *diagonal = diagonal_.data(), *scale = scale_.data();
        device_.for_each(rows_.count(), [=] STICTION_BODY(std::size_t j) {
            double sum = 0.0;
            if (j < 3 * rows.contacts) {
                sum = G[(j / 3) * rows.columns + j / 3];
            } else {
                const std::size_t b = j - 3 * rows.contacts;
                for (Index s = rows.term_start[b]; s < rows.term_start[b + 1]; ++s) {
                    for (Index t = rows.term_start[b]; t < rows.term_start[b + 1]; ++t) {
                        const double along = vector_at(rows.term_directions, static_cast<std::size_t>(s))
                                                 .dot(vector_at(rows.term_directions, static_cast<std::size_t>(t)));
                        sum += along * G[static_cast<std::size_t>(rows.term_columns[s]) * rows.columns +
                                         static_cast<std::size_t>(rows.term_columns[t])];
                    }
                }
            }
            diagonal[j] = sum;
            scale[j] = sum > 0.0 ? sum : 1.0;
        });
    }

private:
    Device& device_;
    DeviceInverse<Device>& inverse_;
    DeviceConstraintRows<Device>& rows_;
    Array<Index> positions_, places_;
    Array<double> used_inverse_, matrix_, diagonal_, scale_, columns_, moved_;
};

}  // namespace stiction::local_global
