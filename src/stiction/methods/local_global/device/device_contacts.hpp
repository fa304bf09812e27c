// The constraints of a step on a device: rows, Delassus operator, non-smooth Newton.
#pragma once

#include "stiction/methods/local_global/contact/contact_solver.hpp"
#include "stiction/methods/local_global/device/device_newton.hpp"
#include "stiction/methods/local_global/device/device_residual.hpp"
#include "stiction/methods/local_global/device/device_sweep.hpp"

#include <vector>

namespace stiction::local_global {

/// ContactSolver for a device, with the same bodies, for Newton's indicators and the scale system_inverse. W is always
/// applied from the dense matrix G = B^T A^-1 B.
template <class Device>
class DeviceContacts {
public:
    template <class T>
    using Array = typename Device::template Array<T>;

    DeviceContacts(Device& device, DeviceInverse<Device>& inverse, const ContactSolverOptions& options)
        : device_(device),
          inverse_(inverse),
          rows_(device),
          delassus_(device, inverse, rows_),
          sweep_(device, delassus_, rows_),
          linear_(device),
          options_(options) {}

    /// Once a step.
    /// @param lambda  multipliers (N), one a row
    /// @param h       step size (s)
    void prepare(const ContactRows& rows, const std::vector<double>& lambda, double h) {
        h_squared_ = h * h;
        rows_.upload(rows, inverse_.unknown_count());
        resize();
        restart(lambda);
        delassus_.prepare(rows);
    }
    bool any() const { return count() > 0; }
    /// Multipliers to start from (N).
    void restart(const std::vector<double>& lambda) {
        std::vector<double> z(lambda);
        for (double& value : z) value *= h_squared_;
        z_.upload(z);
        force_.upload(z);
    }

    /// q = free + A^-1 H^T z under the conditions of the rows, as ContactSolver::solve(); q must not be free.
    void solve(const double* free, double* q) {
        drop_adhesion();
        values_of(free, free_values_.data());
        for (int k = 0; k < options_.newton_iterations; ++k) {
            sweep_.run(free_values_.data(), h_squared_, sweeps_before, z_);
            newton();
            sweep_.run(free_values_.data(), h_squared_, sweeps_after, z_);
        }
        admissible_force();
        rows_.column_forces(force_.data(), columns_.data());
        rows_.unknown_forces(columns_.data(), load_.data());
        inverse_.solve(load_.data(), q);
        add(free, q);
    }
    /// h^2 H^T lambda of the forces that act after solve(), n x 3 (kg m).
    const double* force_on_unknowns() const { return load_.data(); }
    /// Residual of the conditions at positions q (n x 3), under the forces that act.
    ContactResidual residual(const double* q) {
        values_of(q, values_.data());
        const RowsView rows = rows_.view();
        const double *z = force_.data(), *values = values_.data(), *diagonal = delassus_.diagonal(),
                     h_squared = h_squared_;
        ContactResidual result;
        result.normal = device_.largest(rows.contacts, [=] STICTION_BODY(std::size_t k) {
            return diagonal[3 * k] > 0.0
                       ? contact_errors(rows.friction[k], diagonal[3 * k], z + 3 * k, values + 3 * k)[0] / rows.share[k]
                       : 0.0;
        });
        result.friction = device_.largest(rows.contacts, [=] STICTION_BODY(std::size_t k) {
            return diagonal[3 * k] > 0.0
                       ? contact_errors(rows.friction[k], diagonal[3 * k], z + 3 * k, values + 3 * k)[1] / rows.share[k]
                       : 0.0;
        });
        result.penetration = device_.largest(rows.contacts, [=] STICTION_BODY(std::size_t k) {
            return diagonal[3 * k] > 0.0 ? -values[3 * k] / rows.share[k] : 0.0;
        });
        result.bilateral = device_.largest(rows.bilaterals, [=] STICTION_BODY(std::size_t b) {
            const std::size_t j = 3 * rows.contacts + b;
            const double value = values[j] + rows.compliance[b] / h_squared * z[j], scaled = diagonal[j] * z[j];
            return std::abs(rows.one_sided[b] && scaled < value ? scaled : value);
        });
        return result;
    }
    /// Multipliers, and the forces that act, after solve() (N): one a row.
    void download(std::vector<double>& lambda, std::vector<double>& acting) const {
        lambda.resize(count());
        acting.resize(count());
        z_.download(lambda.data());
        force_.download(acting.data());
        for (auto* list : {&lambda, &acting}) {
            for (double& value : *list) value /= h_squared_;
        }
    }

    // What runs bodies is public: a CUDA compiler asks for it.

    void add(const double* from, double* to) {
        device_.for_each(3 * inverse_.unknown_count(), [=] STICTION_BODY(std::size_t j) { to[j] += from[j]; });
    }

    /// Values of the rows at positions, n x 3.
    void values_of(const double* q, double* out) {
        rows_.column_values(q, columns_.data());
        rows_.row_values(columns_.data(), true, out);
    }
    /// out = W in; out must not be in.
    void multiply(const double* in, double* out) { delassus_.multiply(in, out); }

    void drop_adhesion() {
        const RowsView rows = rows_.view();
        double* z = z_.data();
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_BODY(std::size_t k) {
            const std::size_t j = k < rows.contacts ? 3 * k : 2 * rows.contacts + k;
            if ((k < rows.contacts || rows.one_sided[k - rows.contacts]) && !(z[j] > 0.0)) z[j] = 0.0;
        });
    }
    /// force_ = z_ with friction in its cone.
    void admissible_force() {
        const RowsView rows = rows_.view();
        const double* z = z_.data();
        double* force = force_.data();
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_BODY(std::size_t k) {
            if (k >= rows.contacts) {
                force[2 * rows.contacts + k] = z[2 * rows.contacts + k];
                return;
            }
            Eigen::Map<Vec3>(force + 3 * k) = vector_at(z, k);
            project_onto_cone(rows.friction[k], force + 3 * k);
        });
    }

    /// ContactSolver::newton() for Newton's indicators.
    void newton() {
        rows_.column_forces(z_.data(), columns_.data());
        delassus_.respond(columns_.data(), moved_.data());
        linearise();
        respond_in_axes();
        assemble();
        linear_.solve(diagonal_scale_.data(), NewtonProduct<Device>{delassus_, newton_rows()},
                      options_.linear_iterations, options_.linear_tolerance, rhs_.data(), step_.data());
        take_step();
    }
    /// omega, E and phi of every row under z, whose response is in moved_; z and values come out in the axes that are
    /// chosen here. Inactive rows take their step.
    void linearise() {
        const RowsView rows = rows_.view();
        const NcpFunction function = options_.function;
        const bool turned = turns();
        const double h_squared = h_squared_, *scale = delassus_.scale(), *free = free_values_.data(),
                     *moved = moved_.data();
        double *z = z_.data(), *values = values_.data(), *axes = axes_.data(), *omega = omega_.data(),
               *compliance = compliance_.data(), *value = value_.data(), *sigma = sigma_.data();
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_BODY(std::size_t k) {
            const std::size_t j = k < rows.contacts ? 3 * k : 2 * rows.contacts + k;
            const Linearised out{omega + j, compliance + j, value + j};
            if (k >= rows.contacts) {
                const std::size_t b = k - rows.contacts;
                values[j] = bilateral_value(rows, b, moved) + free[j];
                const NcpRow row = linearise_bilateral(function, rows.one_sided[b], rows.compliance[b] / h_squared,
                                                       scale[j], z[j], values[j]);
                *out.omega = row.omega;
                *out.compliance = row.compliance;
                *out.value = row.value;
                step_inactive(out, z + j, sigma + j);
                return;
            }
            Eigen::Map<Vec3>(values + j) = frame_at(rows, k) * vector_at(moved, k) + vector_at(free, k);
            linearise_normal(function, scale[j], z + j, values + j, out);
            if (turned) {
                linearise_projection(rows.friction[k], scale[j + 1], z + j, values + j, axes + 2 * k, out);
            } else {
                linearise_secant(function, rows.friction[k], scale[j + 1], z + j, values + j, out);
            }
            for (std::size_t d = 0; d < 3; ++d)
                step_inactive({out.omega + d, out.compliance + d, out.value + d}, z + j + d, sigma + j + d);
        });
    }
    STICTION_HD static void step_inactive(const Linearised& row, double* z, double* sigma) {
        *sigma = *row.omega > smallest_indicator ? std::sqrt(*row.omega) : 0.0;
        if (!(*sigma > 0.0)) *z -= *row.value / *row.compliance;
    }
    /// moved_ = G D^T z, with z in the axes.
    void respond_in_axes() {
        const NewtonRows all = newton_rows();
        const NumberList z{z_.data()};
        device_.for_each(all.rows.columns, [=] STICTION_BODY(std::size_t c) { all.put_forces(c, z); });
        delassus_.respond(columns_.data(), moved_.data());
    }
    /// Right-hand side and diagonal; `present` are the values under z after the steps of inactive rows.
    void assemble() {
        const NewtonRows all = newton_rows();
        const double *free = free_values_.data(), *omega = omega_.data(), *value = value_.data(),
                     *linearised_at = values_.data(), *diagonal = delassus_.diagonal();
        double *rhs = rhs_.data(), *scale = diagonal_scale_.data();
        device_.for_each(all.items(), [=] STICTION_BODY(std::size_t k) {
            const std::size_t first = all.first_row(k), size = k < all.rows.contacts ? 3 : 1;
            Vec3 without = Vec3::Zero();
            for (std::size_t d = 0; d < size; ++d) without[static_cast<Index>(d)] = free[first + d];
            if (size == 3) all.turn(k, 1.0, without.data());
            const Vec3 present = all.moved_values(k) + without;
            for (std::size_t d = 0; d < size; ++d) {
                const std::size_t j = first + d;
                const double sigma = all.sigma[j], sum = sigma * sigma * diagonal[j] + all.compliance[j];
                const double change = linearised_at[j] - present[static_cast<Index>(d)];
                rhs[j] = sigma > 0.0 ? (omega[j] * change - value[j]) / sigma : 0.0;
                scale[j] = sigma > 0.0 && sum > 0.0 ? 1.0 / std::sqrt(sum) : 0.0;
            }
        });
    }
    /// Adds the solution to z, and turns z back.
    void take_step() {
        const NewtonRows all = newton_rows();
        const double* step = step_.data();
        double* z = z_.data();
        device_.for_each(all.items(), [=] STICTION_BODY(std::size_t k) {
            const std::size_t first = all.first_row(k), size = k < all.rows.contacts ? 3 : 1;
            for (std::size_t d = 0; d < size; ++d) z[first + d] += all.sigma[first + d] * step[first + d];
            if (size == 3) all.turn(k, -1.0, z + first);
        });
        drop_adhesion();
    }

private:
    bool turns() const { return options_.friction == FrictionLinearisation::projection; }
    std::size_t count() const { return z_.size(); }
    NewtonRows newton_rows() {
        return {.rows = rows_.view(),
                .terms = rows_.column_terms(),
                .turned = turns(),
                .sigma = sigma_.data(),
                .compliance = compliance_.data(),
                .axes = axes_.data(),
                .forces = columns_.data(),
                .moved = moved_.data()};
    }

    void resize() {
        const RowsView rows = rows_.view();
        for (auto* list :
             {&omega_, &compliance_, &value_, &sigma_, &diagonal_scale_, &rhs_, &step_, &free_values_, &values_}) {
            list->resize(rows.rows());
        }
        sweep_.resize();
        linear_.resize(rows.rows());
        axes_.resize(2 * rows.contacts);
        columns_.resize(3 * rows.columns);
        moved_.resize(3 * rows.columns);
        load_.resize(3 * inverse_.unknown_count());
    }

    Device& device_;
    DeviceInverse<Device>& inverse_;
    DeviceConstraintRows<Device> rows_;
    DeviceDelassus<Device> delassus_;
    DeviceSweep<Device> sweep_;
    DeviceResidual<Device> linear_;
    ContactSolverOptions options_;
    double h_squared_ = 0.0;
    Array<double> z_, force_, omega_, compliance_, value_, sigma_, diagonal_scale_, rhs_, step_, free_values_, values_,
        axes_, columns_, moved_, load_;
};

}  // namespace stiction::local_global
