// The constraints of a step on a device: rows, Delassus operator, non-smooth Newton.
#pragma once

#include "stiction/methods/local_global/contact/contact_solver.hpp"
#include "stiction/methods/local_global/device/device_delassus.hpp"
#include "stiction/methods/local_global/device/device_residual.hpp"

#include <vector>

namespace stiction::local_global {

/// ContactSolver for a device, with the same bodies. Differences: W is always applied from the dense matrix
/// G = B^T A^-1 B. Sweeps act on all contacts at once, as ContactSweep does where W is applied: Gauss-Seidel goes from
/// contact to contact and would keep a GPU idle. Newton's indicators and the scale system_inverse only.
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
            sweep();
            newton();
            sweep();
        }
        copy(z_.data(), force_.data(), count());
        project_friction(force_.data());
        forces_on_unknowns(load_.data());
        inverse_.solve(load_.data(), q);
        add(free, q);
    }
    /// out = h^2 H^T lambda of the forces that act after solve(), n x 3 (kg m).
    void forces_on_unknowns(double* out) {
        rows_.column_forces(force_.data(), columns_.data());
        rows_.unknown_forces(columns_.data(), out);
    }
    /// Residual of the conditions at positions q (n x 3), under the forces that act.
    ContactResidual residual(const double* q) {
        values_of(q, values_.data());
        const RowsView rows = rows_.view();
        const double *z = force_.data(), *values = values_.data(), *diagonal = delassus_.diagonal(),
                     h_squared = h_squared_;
        ContactResidual result;
        result.normal = device_.largest(rows.contacts, [=] STICTION_HD(std::size_t k) {
            return diagonal[3 * k] > 0.0
                       ? contact_errors(rows.friction[k], diagonal[3 * k], z + 3 * k, values + 3 * k)[0]
                       : 0.0;
        });
        result.friction = device_.largest(rows.contacts, [=] STICTION_HD(std::size_t k) {
            return diagonal[3 * k] > 0.0
                       ? contact_errors(rows.friction[k], diagonal[3 * k], z + 3 * k, values + 3 * k)[1]
                       : 0.0;
        });
        result.penetration = device_.largest(
            rows.contacts, [=] STICTION_HD(std::size_t k) { return diagonal[3 * k] > 0.0 ? -values[3 * k] : 0.0; });
        result.bilateral = device_.largest(rows.bilaterals, [=] STICTION_HD(std::size_t b) {
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

    /// Compliance of a row over h^2 (1/kg).
    STICTION_HD static double own_compliance(const RowsView& rows, std::size_t j, double h_squared) {
        return j < 3 * rows.contacts ? 0.0 : rows.compliance[j - 3 * rows.contacts] / h_squared;
    }
    void copy(const double* from, double* to, std::size_t size) {
        device_.for_each(size, [=] STICTION_HD(std::size_t j) { to[j] = from[j]; });
    }
    void add(const double* from, double* to) {
        device_.for_each(3 * inverse_.unknown_count(), [=] STICTION_HD(std::size_t j) { to[j] += from[j]; });
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
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_HD(std::size_t k) {
            const std::size_t j = k < rows.contacts ? 3 * k : 2 * rows.contacts + k;
            if ((k < rows.contacts || rows.one_sided[k - rows.contacts]) && !(z[j] > 0.0)) z[j] = 0.0;
        });
    }
    void project_friction(double* z) {
        const RowsView rows = rows_.view();
        device_.for_each(rows.contacts,
                         [=] STICTION_HD(std::size_t k) { project_onto_cone(rows.friction[k], z + 3 * k); });
    }
    void turn(double along, double* rows) {
        if (!turns()) return;
        const double* axes = axes_.data();
        device_.for_each(rows_.view().contacts,
                         [=] STICTION_HD(std::size_t k) { turn_tangents(axes + 2 * k, along, rows + 3 * k); });
    }

    /// Block Jacobi with a line search on 1/2 z.Wz + z.free: ContactSweep::all_at_once().
    void sweep() {
        project_friction(z_.data());
        const RowsView rows = rows_.view();
        double *z = z_.data(), *values = values_.data(), *direction = step_.data(), *image = product_.data();
        const double *free = free_values_.data(), *diagonal = delassus_.diagonal(), h_squared = h_squared_;
        delassus_.multiply(z, values);
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_HD(std::size_t k) {
            if (k < rows.contacts) {
                double end[3], value[3];
                for (std::size_t d = 0; d < 3; ++d) {
                    value[d] = values[3 * k + d] += free[3 * k + d];
                    end[d] = z[3 * k + d];
                }
                solve_contact(rows.friction[k], diagonal[3 * k], value, end);
                for (std::size_t d = 0; d < 3; ++d) direction[3 * k + d] = end[d] - z[3 * k + d];
            } else {
                const std::size_t b = k - rows.contacts, j = 3 * rows.contacts + b;
                values[j] += free[j];
                direction[j] =
                    bilateral_step(rows.one_sided[b], diagonal[j], rows.compliance[b] / h_squared, values[j], z[j]);
            }
        });
        delassus_.multiply(direction, image);
        double* scalars = scalars_.data();
        device_.sum(
            count(),
            [=] STICTION_HD(std::size_t j) {
                return (values[j] + own_compliance(rows, j, h_squared) * z[j]) * direction[j];
            },
            scalars);
        device_.sum(
            count(),
            [=] STICTION_HD(std::size_t j) {
                return (image[j] + own_compliance(rows, j, h_squared) * direction[j]) * direction[j];
            },
            scalars + 1);
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) {
            if (!(scalars[0] < 0.0) || !(scalars[1] > 0.0)) return;
            const double length = -scalars[0] / scalars[1];
            z[j] += (length < 1.0 ? length : 1.0) * direction[j];
        });
    }

    /// omega, E and phi of every row; z and values come out in the axes that are chosen here.
    void linearise() {
        const RowsView rows = rows_.view();
        const NcpFunction function = options_.function;
        const bool turned = turns();
        const double h_squared = h_squared_, *scale = delassus_.scale();
        double *z = z_.data(), *values = values_.data(), *axes = axes_.data(), *omega = omega_.data(),
               *compliance = compliance_.data(), *value = value_.data();
        device_.for_each(rows.contacts + rows.bilaterals, [=] STICTION_HD(std::size_t k) {
            const std::size_t j = k < rows.contacts ? 3 * k : 2 * rows.contacts + k;
            const Linearised out{omega + j, compliance + j, value + j};
            if (k >= rows.contacts) {
                const std::size_t b = k - rows.contacts;
                const NcpRow row = linearise_bilateral(function, rows.one_sided[b], rows.compliance[b] / h_squared,
                                                       scale[j], z[j], values[j]);
                *out.omega = row.omega;
                *out.compliance = row.compliance;
                *out.value = row.value;
                return;
            }
            linearise_normal(function, scale[j], z + j, values + j, out);
            if (turned) {
                linearise_projection(rows.friction[k], scale[j + 1], z + j, values + j, axes + 2 * k, out);
            } else {
                linearise_secant(function, rows.friction[k], scale[j + 1], z + j, values + j, out);
            }
        });
    }

    /// A name for newton_product(): a CUDA compiler takes no local type where bodies run.
    struct NewtonProduct {
        DeviceContacts& contacts;
        void operator()(const double* in, double* out) const { contacts.newton_product(in, out); }
    };

    /// ContactSolver::newton() for Newton's indicators.
    void newton() {
        double *z = z_.data(), *values = values_.data(), *present = product_.data();
        const double* free = free_values_.data();
        delassus_.multiply(z, values);
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) { values[j] += free[j]; });
        linearise();
        step_inactive_rows();
        multiply_turned(z, present);
        turned_free();
        assemble();
        linear_.solve(count(), diagonal_scale_.data(), NewtonProduct{*this}, options_.linear_iterations,
                      options_.linear_tolerance, rhs_.data(), step_.data());
        const double *sigma = sigma_.data(), *step = step_.data();
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) { z[j] += sigma[j] * step[j]; });
        turn(-1.0, z);
        drop_adhesion();
    }
    void step_inactive_rows() {
        double *z = z_.data(), *sigma = sigma_.data();
        const double *omega = omega_.data(), *value = value_.data(), *compliance = compliance_.data();
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) {
            sigma[j] = omega[j] > smallest_indicator ? std::sqrt(omega[j]) : 0.0;
            if (!(sigma[j] > 0.0)) z[j] -= value[j] / compliance[j];
        });
    }
    /// product_ += free values, in the turned axes.
    void turned_free() {
        const double* free = free_values_.data();
        double *turned = turned_.data(), *present = product_.data();
        copy(free, turned, count());
        turn(1.0, turned);
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) { present[j] += turned[j]; });
    }
    void assemble() {
        const double *omega = omega_.data(), *sigma = sigma_.data(), *value = value_.data(), *at_rows = values_.data(),
                     *present = product_.data(), *diagonal = delassus_.diagonal(), *compliance = compliance_.data();
        double *rhs = rhs_.data(), *scale = diagonal_scale_.data();
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) {
            const bool active = sigma[j] > 0.0;
            rhs[j] = active ? (omega[j] * (at_rows[j] - present[j]) - value[j]) / sigma[j] : 0.0;
            const double sum = sigma[j] * sigma[j] * diagonal[j] + compliance[j];
            scale[j] = active && sum > 0.0 ? 1.0 / std::sqrt(sum) : 0.0;
        });
    }
    /// out = W in, both in the turned axes.
    void multiply_turned(const double* in, double* out) {
        double* turned = turned_.data();
        copy(in, turned, count());
        turn(-1.0, turned);
        delassus_.multiply(turned, out);
        turn(1.0, out);
    }
    void newton_product(const double* in, double* out) {
        const double *sigma = sigma_.data(), *compliance = compliance_.data();
        double* weighted = weighted_.data();
        device_.for_each(count(), [=] STICTION_HD(std::size_t j) { weighted[j] = sigma[j] * in[j]; });
        multiply_turned(weighted, out);
        device_.for_each(count(),
                         [=] STICTION_HD(std::size_t j) { out[j] = sigma[j] * out[j] + compliance[j] * in[j]; });
    }

private:
    bool turns() const { return options_.friction == FrictionLinearisation::projection; }
    std::size_t count() const { return z_.size(); }

    void resize() {
        const RowsView rows = rows_.view();
        for (auto* list : {&omega_, &compliance_, &value_, &sigma_, &diagonal_scale_, &rhs_, &step_, &weighted_,
                           &product_, &turned_, &free_values_, &values_}) {
            list->resize(rows.rows());
        }
        axes_.resize(2 * rows.contacts);
        columns_.resize(3 * rows.columns);
        load_.resize(3 * inverse_.unknown_count());
        scalars_.resize(2);
    }

    Device& device_;
    DeviceInverse<Device>& inverse_;
    DeviceConstraintRows<Device> rows_;
    DeviceDelassus<Device> delassus_;
    DeviceResidual<Device> linear_;
    ContactSolverOptions options_;
    double h_squared_ = 0.0;
    Array<double> z_, force_, omega_, compliance_, value_, sigma_, diagonal_scale_, rhs_, step_, weighted_, product_,
        turned_, free_values_, values_, axes_, columns_, load_, scalars_;
};

}  // namespace stiction::local_global
