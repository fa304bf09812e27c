#include "stiction/methods/local_global/contact/contact_solver.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

/// Fraction of W's diagonal that is added to Newton's matrix, in rows of rigid bodies. A rigid face on a rigid obstacle
/// has six independent rows. Without the addition, rounding moves forces freely among its contacts.
constexpr double rigid_damping = 1e-3;

}  // namespace

void ContactSolver::prepare(const ContactRows& rows, const FactoredOperator& system, double h, const double* masses,
                            const InverseModes* modes) {
    rows_ = &rows;
    masses_ = masses;
    h_squared_ = h * h;
    delassus_.prepare(rows, system, options_.delassus,
                      options_.expected_solves * options_.newton_iterations * (options_.linear_iterations + 2), modes);
    const std::size_t count = at(rows.row_count());
    for (auto* list : {&scale_, &z_, &force_, &omega_, &compliance_, &value_, &sigma_, &diagonal_, &rhs_, &step_,
                       &weighted_, &product_, &turned_, &turned_free_, &free_values_, &values_, &last_values_}) {
        list->resize(count);
    }
    columns_.resize(3 * at(rows.column_count()));
    axes_.resize(2 * at(rows.contact_count()));
    set_scales();
    sweep_.prepare(rows, delassus_, h_squared_);
}

void ContactSolver::modes_changed() {
    delassus_.modes_changed();
    set_scales();
}

void ContactSolver::set_scales() {
    scale_ = delassus_.diagonal();
    for (std::size_t k = 0; k < at(rows_->contact_count()); ++k)
        std::fill_n(scale_.begin() + static_cast<std::ptrdiff_t>(3 * k), 3, delassus_.block_norm(k));
    if (options_.scale == ComplementarityScale::mass_inverse) {
        for (std::size_t k = 0; k < at(rows_->contact_count()); ++k) {
            double sum = 0.0;
            for (Index i = rows_->column_start[k]; i < rows_->column_start[k + 1]; ++i)
                sum += rows_->weights[at(i)] * rows_->weights[at(i)] / masses_[at(rows_->unknowns[at(i)])];
            std::fill_n(scale_.begin() + static_cast<std::ptrdiff_t>(3 * k), 3, sum);
        }
    }
    // Where W_jj = 0 no force changes the row: r must not divide by zero.
    for (double& r : scale_) r = r > 0.0 ? r : 1.0;
}

/// Sets the forces of contacts that pull, and of cables that push, to zero. Friction may leave its cone between
/// iterations: the NCP functions lead it back.
void ContactSolver::drop_adhesion() {
    const std::size_t contacts = at(rows_->contact_count());
    for (std::size_t k = 0; k < contacts; ++k) z_[3 * k] = std::max(z_[3 * k], 0.0);
    for (std::size_t b = 0; b < rows_->compliance.size(); ++b) {
        if (rows_->one_sided[b]) z_[3 * contacts + b] = std::max(z_[3 * contacts + b], 0.0);
    }
}

/// |lambda_f| <= mu lambda_n.
void ContactSolver::project_friction(std::vector<double>& z) const {
    for (std::size_t k = 0; k < at(rows_->contact_count()); ++k)
        project_onto_cone(rows_->friction[k], z.data() + 3 * k);
}

/// Turns the tangential rows into the axes that linearise() chose (along = 1), or back (along = -1).
void ContactSolver::turn(double along, double* rows) const {
    if (!turns()) return;
    for (std::size_t k = 0; k < at(rows_->contact_count()); ++k)
        turn_tangents(axes_.data() + 2 * k, along, rows + 3 * k);
}

/// out = W in, both in the turned axes.
void ContactSolver::multiply(const std::vector<double>& in, double* out) {
    turned_ = in;
    turn(-1.0, turned_.data());
    delassus_.multiply(turned_.data(), out);
    turn(1.0, out);
}

void ContactSolver::values_of(const double* positions, std::vector<double>& values) {
    rows_->column_values(positions, columns_.data());
    rows_->row_values(columns_.data(), true, values.data());
}

/// The rows of a contact whose gap no force changes: their forces are zero.
void ContactSolver::leave_out(std::size_t first_row) {
    for (std::size_t j = first_row; j < first_row + 3; ++j) {
        omega_[j] = 0.0;
        compliance_[j] = 1.0;
        value_[j] = z_[j];
    }
    axes_[2 * (first_row / 3)] = 1.0;
    axes_[2 * (first_row / 3) + 1] = 0.0;
}

/// omega, E and phi of every row at these values. Values and z come out in the axes that are chosen here.
void ContactSolver::linearise(std::vector<double>& values) {
    const std::size_t contacts = at(rows_->contact_count());
    for (std::size_t k = 0; k < contacts; ++k) {
        const std::size_t j = 3 * k;
        if (!(delassus_.block_norm(k) > 0.0)) {
            leave_out(j);
            continue;
        }
        const Linearised out{omega_.data() + j, compliance_.data() + j, value_.data() + j};
        linearise_normal(options_.function, scale_[j], z_.data() + j, values.data() + j, out);
        if (turns()) {
            linearise_projection(rows_->friction[k], scale_[j + 1], z_.data() + j, values.data() + j,
                                 axes_.data() + 2 * k, out);
        } else {
            linearise_secant(options_.function, rows_->friction[k], scale_[j + 1], z_.data() + j, values.data() + j,
                             out);
        }
    }
    for (std::size_t b = 0; b < rows_->compliance.size(); ++b) {
        const std::size_t j = 3 * contacts + b;
        const NcpRow row = linearise_bilateral(options_.function, rows_->one_sided[b],
                                               rows_->compliance[b] / h_squared_, scale_[j], z_[j], values[j]);
        omega_[j] = row.omega;
        compliance_[j] = row.compliance;
        value_[j] = row.value;
    }
}

/// out = W force + free values: the values of the rows under a force, in the turned axes.
void ContactSolver::values_under(const std::vector<double>& force, std::vector<double>& out) {
    multiply(force, out.data());
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += turned_free_[j];
}

/// Sets sigma, the square root of the indicator or, for as_printed, the indicator itself. An inactive row, whose
/// indicator vanishes, does not depend on the others: its step is E dz = -phi.
/// @return whether any of these steps is not zero
bool ContactSolver::step_inactive_rows() {
    bool moved = false;
    for (std::size_t j = 0; j < z_.size(); ++j) {
        sigma_[j] = omega_[j] > smallest_indicator ? (printed() ? omega_[j] : std::sqrt(omega_[j])) : 0.0;
        if (sigma_[j] > 0.0) continue;
        const double dz = -value_[j] / compliance_[j];
        moved = moved || dz != 0.0;
        z_[j] += dz;
    }
    return moved;
}

/// Diagonal of W in the turned axes.
double ContactSolver::turned_diagonal(std::size_t j) const {
    const bool tangential = j < 3 * at(rows_->contact_count()) && j % 3 != 0;
    if (!tangential || !turns() || delassus_.mode_rows().empty()) return delassus_.diagonal()[j];
    return delassus_.turned_diagonal(j / 3, axes_.data() + 2 * (j / 3), j % 3);
}

/// Right-hand side of Newton's system, and the square roots that scale its diagonal to 1.
void ContactSolver::assemble(const std::vector<double>& linearised_at, const std::vector<double>& present) {
    for (std::size_t j = 0; j < z_.size(); ++j) {
        const bool active = sigma_[j] > 0.0;
        const double rhs = omega_[j] * (linearised_at[j] - present[j]) - value_[j];
        rhs_[j] = active ? (printed() ? rhs : rhs / sigma_[j]) : 0.0;
        if (active && delassus_.mode_rows().moves_rigid(j))
            compliance_[j] += rigid_damping * sigma_[j] * sigma_[j] * turned_diagonal(j);
        const double diagonal = sigma_[j] * sigma_[j] * turned_diagonal(j) + compliance_[j];
        diagonal_[j] = active && diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
    }
}

/// (Omega W Omega + E) dz = Omega (values - W z - free values) - phi: equation 22 with the sign of algorithms 3 and 4,
/// where h = Omega H q - phi and H A^-1 g = W z + free values.
/// @param evaluated  as_printed: the values at which rows are linearised. Otherwise rows are linearised at the values
/// of z, which make the bracket vanish
void ContactSolver::newton(std::vector<double>& evaluated) {
    const std::size_t count = z_.size();
    if (!printed()) {
        delassus_.multiply(z_.data(), values_.data());
        for (std::size_t j = 0; j < count; ++j) values_[j] += free_values_[j];
    }
    std::vector<double>& linearised_at = printed() ? evaluated : values_;
    linearise(linearised_at);
    turned_free_ = free_values_;
    turn(1.0, turned_free_.data());
    const bool inactive_moved = step_inactive_rows();
    const std::vector<double>* present = &values_;
    if (printed()) {
        for (std::size_t j = 0; j < count; ++j) force_[j] = omega_[j] * z_[j];
        values_under(force_, product_);
        present = &product_;
    } else if (inactive_moved) {
        values_under(z_, product_);
        present = &product_;
    }
    assemble(linearised_at, *present);
    delassus_.select(sigma_);
    const auto product = [&](const double* in, double* out) {
        for (std::size_t j = 0; j < count; ++j) weighted_[j] = sigma_[j] * in[j];
        turned_ = weighted_;
        turn(-1.0, turned_.data());
        delassus_.multiply_selected(turned_.data(), out);
        turn(1.0, out);
        for (std::size_t j = 0; j < count; ++j) out[j] = sigma_[j] * out[j] + compliance_[j] * in[j];
    };
    linear_.solve(diagonal_, product, options_.linear_iterations, options_.linear_tolerance, rhs_, step_);
    for (std::size_t j = 0; j < count; ++j) z_[j] += printed() ? step_[j] : sigma_[j] * step_[j];
    turn(-1.0, z_.data());
    drop_adhesion();
    for (std::size_t j = 0; j < count; ++j) force_[j] = printed() ? omega_[j] * z_[j] : z_[j];
}

void ContactSolver::sweep(int times) {
    if (printed()) return;
    project_friction(z_);
    sweep_.run(free_values_, z_, times);
    force_ = z_;
}

void ContactSolver::values_without_forces(const ContactIterate& iterate) {
    if (iterate.half == nullptr) return values_of(iterate.free, free_values_);
    STICTION_CHECK(takes_half(), "half a solve needs S B");
    values_of(iterate.last, free_values_);
    delassus_.values_of_half(iterate.half, values_.data());
    for (std::size_t j = 0; j < values_.size(); ++j) free_values_[j] += values_[j];
}

ContactResidual ContactSolver::solve(const ContactIterate& iterate) {
    const std::size_t count = z_.size();
    for (std::size_t j = 0; j < count; ++j) z_[j] = h_squared_ * iterate.lambda[j];
    drop_adhesion();
    force_ = z_;
    values_without_forces(iterate);
    if (printed()) values_of(iterate.last, last_values_);
    for (int k = 0; k < options_.newton_iterations; ++k) {
        sweep(sweeps_before);
        newton(last_values_);
        sweep(delassus_.formed() ? sweeps_after : 1);
        if (!printed() || k + 1 == options_.newton_iterations) continue;
        delassus_.multiply(force_.data(), last_values_.data());
        for (std::size_t j = 0; j < count; ++j) last_values_[j] += free_values_[j];
    }
    project_friction(force_);
    if (iterate.half != nullptr)
        delassus_.positions_of_half(iterate.last, iterate.half, force_.data(), iterate.q);
    else
        delassus_.positions(iterate.free, force_.data(), iterate.q);
    for (std::size_t j = 0; j < count; ++j) iterate.lambda[j] = z_[j] / h_squared_;
    return residual(iterate.q);
}

ContactResidual ContactSolver::residual(const double* q) {
    values_of(q, values_);
    ContactResidual result;
    const std::size_t contacts = at(rows_->contact_count());
    for (std::size_t k = 0; k < contacts; ++k) {
        if (!(delassus_.block_norm(k) > 0.0)) continue;
        const Vec2 errors =
            contact_errors(rows_->friction[k], delassus_.block_norm(k), force_.data() + 3 * k, values_.data() + 3 * k) /
            rows_->share[k];
        result.normal = std::max(result.normal, errors[0]);
        result.friction = std::max(result.friction, errors[1]);
        result.penetration = std::max(result.penetration, -values_[3 * k] / rows_->share[k]);
    }
    for (std::size_t b = 0; b < rows_->compliance.size(); ++b) {
        const std::size_t j = 3 * contacts + b;
        const double value = values_[j] + rows_->compliance[b] / h_squared_ * force_[j];
        result.bilateral =
            std::max(result.bilateral,
                     std::abs(rows_->one_sided[b] ? std::min(value, delassus_.diagonal()[j] * force_[j]) : value));
    }
    return result;
}

void ContactSolver::row_forces(double* out) const {
    for (std::size_t j = 0; j < force_.size(); ++j) out[j] = force_[j] / h_squared_;
}

void ContactSolver::forces(double* out) {
    row_forces(weighted_.data());
    rows_->column_forces(weighted_.data(), columns_.data());
    std::fill_n(out, 3 * at(delassus_.unknown_count()), 0.0);
    rows_->add_to_unknowns(columns_.data(), out);
}

}  // namespace stiction::local_global
