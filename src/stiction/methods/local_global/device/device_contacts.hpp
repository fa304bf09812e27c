// The constraints of a step on a device: rows, Delassus operator, non-smooth Newton.
#pragma once

#include "stiction/methods/local_global/contact/contact_solver.hpp"
#include "stiction/methods/local_global/device/device_delassus.hpp"
#include "stiction/methods/local_global/device/device_residual.hpp"

#include <vector>

namespace stiction::local_global {

/// ContactSolver for a device, with the same bodies, for Newton's indicators and the scale system_inverse. W is always
/// applied from the dense matrix G = B^T A^-1 B.
template <class Device>
class DeviceContacts {
public:
    template <class T>
    using Array = typename Device::template Array<T>;
    using LargeTeam = typename Device::LargeTeam;

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
            sweep(sweeps_before);
            newton();
            sweep(sweeps_after);
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

    /// ContactSweep::run(): block Gauss-Seidel over the contacts, then over the bilateral rows.
    void sweep(int times) {
        project_friction(z_.data());
        rows_.column_forces(z_.data(), columns_.data());
        delassus_.respond(columns_.data(), moved_.data());
        for (int k = 0; k < times; ++k) one_by_one();
    }
    /// The threads share the response of the columns to a force that changed. What it changes to, each of them
    /// computes.
    void one_by_one() {
        const RowsView rows = rows_.view();
        const double *free = free_values_.data(), *diagonal = delassus_.diagonal(), *G = delassus_.matrix();
        const double h_squared = h_squared_;
        double *z = z_.data(), *f = columns_.data(), *u = moved_.data();
        device_.run_team([=] STICTION_HD(const LargeTeam& team) {
            for (std::size_t k = 0; k < rows.contacts; ++k)
                solve_in_turn(team, rows, G, k, diagonal[3 * k], free + 3 * k, z + 3 * k, f, u);
            for (std::size_t b = 0; b < rows.bilaterals; ++b) {
                const std::size_t j = 3 * rows.contacts + b;
                step_in_turn(team, rows, G, b, diagonal[j], rows.compliance[b] / h_squared, free[j], z + j, f, u);
            }
        });
    }
    STICTION_HD static void solve_in_turn(const LargeTeam& team, const RowsView& rows, const double* G, std::size_t k,
                                          double diagonal, const double* free, double* z, double* f, double* u) {
        const Vec3 value = frame_at(rows, k) * vector_at(u, k) + vector_at(free, 0);
        Vec3 end = vector_at(z, 0);
        solve_contact(rows.friction[k], diagonal, value.data(), end.data());
        const Vec3 force = frame_at(rows, k).transpose() * end, change = force - vector_at(f, k);
        if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) return;
        team.sync();  // all have read what is written now
        if (team.rank() == 0) {
            Eigen::Map<Vec3>(z + 0) = end;
            Eigen::Map<Vec3>(f + 3 * k) = force;
        }
        add_response(team, rows.columns, G + k * rows.columns, change, u);
        team.sync();
    }
    STICTION_HD static void step_in_turn(const LargeTeam& team, const RowsView& rows, const double* G, std::size_t b,
                                         double diagonal, double compliance, double free, double* z, double* f,
                                         double* u) {
        const double step =
            bilateral_step(rows.one_sided[b], diagonal, compliance, free + bilateral_value(rows, b, u), *z);
        if (step == 0.0) return;
        team.sync();
        if (team.rank() == 0) *z += step;
        for (Index t = rows.term_start[b]; t < rows.term_start[b + 1]; ++t) {
            const auto column = static_cast<std::size_t>(rows.term_columns[t]);
            const Vec3 change = step * vector_at(rows.term_directions, static_cast<std::size_t>(t));
            if (team.rank() == 0) Eigen::Map<Vec3>(f + 3 * column) += change;
            add_response(team, rows.columns, G + column * rows.columns, change, u);
        }
        team.sync();
    }
    /// u += G times the change of the force of one column; each thread has columns of its own.
    STICTION_HD static void add_response(const LargeTeam& team, std::size_t columns, const double* row,
                                         const Vec3& change, double* u) {
        for (std::size_t d = team.rank(); d < columns; d += team.size()) Eigen::Map<Vec3>(u + 3 * d) += row[d] * change;
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
        moved_.resize(3 * rows.columns);
        load_.resize(3 * inverse_.unknown_count());
    }

    Device& device_;
    DeviceInverse<Device>& inverse_;
    DeviceConstraintRows<Device> rows_;
    DeviceDelassus<Device> delassus_;
    DeviceResidual<Device> linear_;
    ContactSolverOptions options_;
    double h_squared_ = 0.0;
    Array<double> z_, force_, omega_, compliance_, value_, sigma_, diagonal_scale_, rhs_, step_, weighted_, product_,
        turned_, free_values_, values_, axes_, columns_, moved_, load_;
};

}  // namespace stiction::local_global
