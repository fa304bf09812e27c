// Block Gauss-Seidel over the contacts, then over the bilateral rows, on a device.
#pragma once

#include "stiction/methods/local_global/device/contact_turns.hpp"
#include "stiction/methods/local_global/device/device_delassus.hpp"

#include <utility>

namespace stiction::local_global {

/// ContactSweep for a device, where W is formed: one row after the other.
template <class Device>
class DeviceSweep {
public:
    template <class T>
    using Array = typename Device::template Array<T>;
    using LargeTeam = typename Device::LargeTeam;

    /// @param delassus, rows  kept by reference
    DeviceSweep(Device& device, DeviceDelassus<Device>& delassus, DeviceConstraintRows<Device>& rows)
        : device_(device), delassus_(delassus), rows_(rows) {}

    /// Makes room for the rows. Before run().
    void resize() {
        const RowsView rows = rows_.view();
        for (auto* list : {&forces_, &moved_, &next_moved_}) list->resize(3 * rows.columns);
        next_z_.resize(rows.rows());
    }
    /// @param free       values of the rows without forces
    /// @param h_squared  square of the step size (s^2)
    /// @param z          h^2 times the multipliers; its memory is another's on return
    void run(const double* free, double h_squared, int times, Array<double>& z) {
        project(z.data(), forces_.data());
        delassus_.respond(forces_.data(), moved_.data());
        for (int k = 0; k < times; ++k) {
            sweep_contacts(free, z.data());
            sweep_bilaterals(free, h_squared, z.data());
            std::swap(z, next_z_);
        }
    }

    // What runs bodies is public: a CUDA compiler asks for it.

    /// Projects the forces of contacts onto their cones; the forces on columns.
    void project(double* z, double* forces) {
        const RowsView rows = rows_.view();
        const ColumnTerms terms = rows_.column_terms();
        device_.for_each(rows.columns, [=] STICTION_BODY(std::size_t c) {
            Vec3 of_contact = Vec3::Zero();
            if (c < rows.contacts) {
                project_onto_cone(rows.friction[c], z + 3 * c);
                of_contact = vector_at(z, c);
            }
            Eigen::Map<Vec3>(forces + 3 * c) = column_force(rows, terms, c, of_contact, NumberList{z});
        });
    }
    void sweep_contacts(const double* free, const double* z) {
        const RowsView rows = rows_.view();
        for (std::size_t first = 0; first < rows.contacts; first += ContactTurns<Device>::group) {
            device_.run_teams(rows.columns, ContactTurns<Device>{.rows = rows,
                                                                 .matrix = delassus_.matrix(),
                                                                 .diagonal = delassus_.diagonal(),
                                                                 .free = free,
                                                                 .first = first,
                                                                 .z = z,
                                                                 .moved = moved_.data(),
                                                                 .next_z = next_z_.data(),
                                                                 .next_moved = next_moved_.data()});
            std::swap(moved_, next_moved_);
        }
    }
    /// The threads share the response of the columns to a force that changed. What it changes to, each of them
    /// computes.
    void sweep_bilaterals(const double* free, double h_squared, const double* z) {
        const RowsView rows = rows_.view();
        if (rows.bilaterals == 0) return;
        const double *diagonal = delassus_.diagonal(), *G = delassus_.matrix();
        double *u = moved_.data(), *next_z = next_z_.data();
        device_.run_team([=] STICTION_BODY(const LargeTeam& team) {
            for (std::size_t b = 0; b < rows.bilaterals; ++b) {
                const std::size_t j = 3 * rows.contacts + b;
                const double value = free[j] + bilateral_value(rows, b, u);
                const double step =
                    bilateral_step(rows.one_sided[b], diagonal[j], rows.compliance[b] / h_squared, value, z[j]);
                if (team.rank() == 0) next_z[j] = z[j] + step;
                if (step != 0.0) respond_in_turn(team, rows, G, b, step, u);
            }
        });
    }
    /// u += G times the change of the forces of a bilateral row; each thread has columns of its own.
    STICTION_HD static void respond_in_turn(const LargeTeam& team, const RowsView& rows, const double* G, std::size_t b,
                                            double step, double* u) {
        team.sync();  // all have read what is written now
        for (Index t = rows.term_start[b]; t < rows.term_start[b + 1]; ++t) {
            const double* row = G + static_cast<std::size_t>(rows.term_columns[t]) * rows.columns;
            const Vec3 change = step * vector_at(rows.term_directions, static_cast<std::size_t>(t));
            for (std::size_t d = team.rank(); d < rows.columns; d += team.size())
                Eigen::Map<Vec3>(u + 3 * d) += row[d] * change;
        }
        team.sync();
    }

private:
    Device& device_;
    DeviceDelassus<Device>& delassus_;
    DeviceConstraintRows<Device>& rows_;
    Array<double> forces_, moved_, next_moved_, next_z_;
};

}  // namespace stiction::local_global
