// The system of a Newton step of the contact solver on a device.
#pragma once

#include "stiction/methods/local_global/device/device_delassus.hpp"

namespace stiction::local_global {

/// The rows of a Newton step by pointers, for bodies. An item is a contact, or the bilateral row with the number of the
/// item less the contacts. Forces and values of contacts that slide have axes of their own.
struct NewtonRows {
    RowsView rows;
    ColumnTerms terms;
    bool turned;
    const double *sigma, *compliance;  ///< root of the indicator, and E, of each row
    const double* axes;                ///< 2 a contact
    double *forces, *moved;            ///< 3 a column: forces, and G times them

    STICTION_HD std::size_t items() const { return rows.contacts + rows.bilaterals; }
    STICTION_HD std::size_t first_row(std::size_t item) const {
        return item < rows.contacts ? 3 * item : 2 * rows.contacts + item;
    }
    STICTION_HD void turn(std::size_t contact, double along, double* three) const {
        if (turned) turn_tangents(axes + 2 * contact, along, three);
    }
    /// forces = D^T z for z in the axes of contacts.
    template <class Numbers>
    STICTION_HD void put_forces(std::size_t column, const Numbers& z) const {
        Vec3 of_contact = Vec3::Zero();
        if (column < rows.contacts) {
            const std::size_t j = 3 * column;
            of_contact = Vec3(z(j), z(j + 1), z(j + 2));
            turn(column, -1.0, of_contact.data());
        }
        Eigen::Map<Vec3>(forces + 3 * column) = column_force(rows, terms, column, of_contact, z);
    }
    /// D moved of an item, up to three numbers, in its axes.
    STICTION_HD Vec3 moved_values(std::size_t item) const {
        if (item >= rows.contacts) return Vec3(bilateral_value(rows, item - rows.contacts, moved), 0.0, 0.0);
        Vec3 result = frame_at(rows, item) * vector_at(moved, item);
        turn(item, 1.0, result.data());
        return result;
    }
};

/// The matrix sigma W sigma + E by its parts, as DeviceResidual takes a product.
struct NewtonParts {
    NewtonRows all;

    struct Weighted {
        const double *sigma, *scale, *in;
        STICTION_HD double operator()(std::size_t j) const { return sigma[j] * (scale[j] * in[j]); }
    };
    template <class Team>
    STICTION_HD void before(const Team& team, const double* scale, const double* in) const {
        for (std::size_t c = team.rank(); c < all.rows.columns; c += team.size())
            all.put_forces(c, Weighted{all.sigma, scale, in});
    }
    template <class Team>
    STICTION_HD void after(const Team& team, const double* scale, const double* in, double* out) const {
        for (std::size_t item = team.rank(); item < all.items(); item += team.size()) {
            const Vec3 values = all.moved_values(item);
            const std::size_t first = all.first_row(item), count = item < all.rows.contacts ? 3 : 1;
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t j = first + k;
                out[j] =
                    scale[j] * (all.sigma[j] * values[static_cast<Index>(k)] + all.compliance[j] * (scale[j] * in[j]));
            }
        }
    }
};

/// That matrix with its product with G.
template <class Device>
struct NewtonProduct {
    DeviceDelassus<Device>& delassus;
    NewtonRows rows;
    NewtonParts parts() const { return {rows}; }
    void apply() const { delassus.respond(rows.forces, rows.moved); }
};

}  // namespace stiction::local_global
