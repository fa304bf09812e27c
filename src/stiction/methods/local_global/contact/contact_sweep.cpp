#include "stiction/methods/local_global/contact/contact_sweep.hpp"

#include "stiction/methods/local_global/contact/contact_bodies.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

using ConstVec3 = Eigen::Map<const Vec3>;
using ConstFrame = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

}  // namespace

void ContactSweep::prepare(const ContactRows& rows, DelassusOperator& delassus, double h_squared) {
    rows_ = &rows;
    delassus_ = &delassus;
    h_squared_ = h_squared;
    forces_.resize(3 * static_cast<std::size_t>(rows.column_count()));
    for (auto* list : {&value_, &direction_, &image_}) list->resize(static_cast<std::size_t>(rows.row_count()));
}

void ContactSweep::run(const std::vector<double>& free, std::vector<double>& z, int times) {
    if (delassus_->formed() && times > 0) {
        rows_->column_forces(z.data(), forces_.data());
        delassus_->formed_values(forces_.data(), moved_);
        delassus_->mode_rows().sums_of(z.data(), mode_sums_);
    }
    for (int k = 0; k < times; ++k) {
        if (delassus_->formed()) {
            one_by_one(free, z);
        } else {
            all_at_once(free, z);
        }
    }
}

double ContactSweep::step_of(std::size_t b, double value, double z) const {
    return bilateral_step(rows_->one_sided[b], delassus_->diagonal()[3 * rows_->friction.size() + b],
                          rows_->compliance[b] / h_squared_, value, z);
}

/// The response of all columns follows every force that changes. Most do not: contacts that stay open.
void ContactSweep::change_force(std::size_t column, const Vec3& force) {
    Eigen::Map<Vec3> present(forces_.data() + 3 * column);
    const Vec3 change = force - present;
    if (change.isZero(0.0)) return;
    delassus_->add_formed(column, change, moved_);
    present = force;
}

/// One contact, while the others are held.
/// @param z  the multipliers of its rows
void ContactSweep::solve_one(std::size_t contact, const std::vector<double>& free, double* z) {
    const ModeRows& modes = delassus_->mode_rows();
    const ConstFrame frame(rows_->frames.data() + 9 * contact);
    Vec3 value = frame * delassus_->formed_value(moved_, contact) + ConstVec3(free.data() + 3 * contact);
    const Vec3 before = ConstVec3(z);
    if (!modes.empty()) {
        for (std::size_t d = 0; d < 3; ++d)
            value[static_cast<Eigen::Index>(d)] -= modes.value(3 * contact + d, mode_sums_);
    }
    solve_contact(rows_->friction[contact], inverse_scale(delassus_->block_norm(contact)), value.data(), z);
    change_force(contact, frame.transpose() * ConstVec3(z));
    if (modes.empty()) return;
    for (std::size_t d = 0; d < 3; ++d)
        modes.add(3 * contact + d, z[d] - before[static_cast<Eigen::Index>(d)], mode_sums_);
}

void ContactSweep::one_by_one(const std::vector<double>& free, std::vector<double>& z) {
    const ModeRows& modes = delassus_->mode_rows();
    const std::size_t contacts = rows_->friction.size();
    for (std::size_t k = 0; k < contacts; ++k) solve_one(k, free, z.data() + 3 * k);
    for (std::size_t b = 0; b < rows_->compliance.size(); ++b) {
        const auto begin = static_cast<std::size_t>(rows_->term_start[b]),
                   end = static_cast<std::size_t>(rows_->term_start[b + 1]);
        const auto direction = [&](std::size_t t) { return ConstVec3(rows_->term_directions.data() + 3 * t); };
        const auto column = [&](std::size_t t) { return static_cast<std::size_t>(rows_->term_columns[t]); };
        double value = free[3 * contacts + b];
        for (std::size_t t = begin; t < end; ++t) value += direction(t).dot(delassus_->formed_value(moved_, column(t)));
        if (!modes.empty()) value -= modes.value(3 * contacts + b, mode_sums_);
        const double step = step_of(b, value, z[3 * contacts + b]);
        z[3 * contacts + b] += step;
        for (std::size_t t = begin; t < end; ++t)
            change_force(column(t), ConstVec3(forces_.data() + 3 * column(t)) + step * direction(t));
        if (!modes.empty()) modes.add(3 * contacts + b, step, mode_sums_);
    }
}

void ContactSweep::all_at_once(const std::vector<double>& free, std::vector<double>& z) {
    const std::size_t contacts = rows_->friction.size();
    delassus_->multiply(z.data(), value_.data());
    for (std::size_t j = 0; j < z.size(); ++j) value_[j] += free[j];
    direction_ = z;
    for (std::size_t k = 0; k < contacts; ++k)
        solve_contact(rows_->friction[k], inverse_scale(delassus_->block_norm(k)), value_.data() + 3 * k,
                      direction_.data() + 3 * k);
    for (std::size_t j = 0; j < z.size(); ++j) direction_[j] -= z[j];
    double slope = 0.0, curvature = 0.0;
    for (std::size_t b = 0; b < rows_->compliance.size(); ++b) {
        const std::size_t j = 3 * contacts + b;
        const double compliance = rows_->compliance[b] / h_squared_;
        direction_[j] = step_of(b, value_[j], z[j]);
        slope += compliance * z[j] * direction_[j];
        curvature += compliance * direction_[j] * direction_[j];
    }
    delassus_->multiply(direction_.data(), image_.data());
    for (std::size_t j = 0; j < z.size(); ++j) {
        slope += value_[j] * direction_[j];
        curvature += image_[j] * direction_[j];
    }
    if (!(slope < 0.0) || !(curvature > 0.0)) return;
    const double length = std::min(1.0, -slope / curvature);
    for (std::size_t j = 0; j < z.size(); ++j) z[j] += length * direction_[j];
}

}  // namespace stiction::local_global
