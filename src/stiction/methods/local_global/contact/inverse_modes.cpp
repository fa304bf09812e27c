#include "stiction/methods/local_global/contact/inverse_modes.hpp"

#include <Eigen/Dense>

#include <algorithm>

namespace stiction::local_global {
namespace {

/// One coordinate of all unknowns.
auto along(double* d, std::size_t axis, Eigen::Index unknowns) {
    return Eigen::Map<VecX, 0, Eigen::InnerStride<3>>(d + axis, unknowns);
}

void hold(const InverseModes::DrivenCoordinates& driven, std::size_t axis, double* d) {
    if (driven.unknowns.empty()) return;
    VecX parts(static_cast<Eigen::Index>(driven.unknowns.size()));
    for (std::size_t k = 0; k < driven.unknowns.size(); ++k)
        parts[static_cast<Eigen::Index>(k)] = d[3 * at(driven.unknowns[k]) + axis];
    driven.lower.triangularView<Eigen::Lower>().solveInPlace(parts);
    along(d, axis, driven.response.rows()) -= driven.response * parts;
    for (const Index unknown : driven.unknowns) d[3 * at(unknown) + axis] = 0.0;
}

void keep_rigid(const InverseModes::RigidModes& body, double* d) {
    Vec12 move;
    for (std::size_t k = 0; k < 4; ++k)
        move.segment<3>(3 * static_cast<Eigen::Index>(k)) = Eigen::Map<const Vec3>(d + 3 * at(body.unknowns[k]));
    const Eigen::Matrix<double, 6, 1> parts = body.scaled.transpose() * move;
    move -= body.deformations * parts;
    for (std::size_t k = 0; k < 4; ++k)
        Eigen::Map<Vec3>(d + 3 * at(body.unknowns[k])) = move.segment<3>(3 * static_cast<Eigen::Index>(k));
}

}  // namespace

void InverseModes::project(double* d) const {
    for (std::size_t axis = 0; driven != nullptr && axis < 3; ++axis) hold((*driven)[axis], axis, d);
    for (const RigidModes& body : rigid) keep_rigid(body, d);
    for (const Filling& filling : fillings) {
        const double part = filling.part_of(d);
        if (part != 0.0) Eigen::Map<VecX>(d, filling.response.size()) -= part * filling.response;
    }
}

double InverseModes::Filling::part_of(const double* d) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < unknowns.size(); ++i)
        sum += weights[i].dot(Eigen::Map<const Vec3>(d + 3 * at(unknowns[i])));
    return sum;
}

void ModeRows::set(const ContactRows& rows, const InverseModes* modes) {
    terms_.clear();
    values_.clear();
    start_.assign(1, 0);
    if (modes == nullptr || modes->empty()) return;
    rigid_modes_ = 6 * modes->rigid.size();
    modes_ = rigid_modes_ + modes->fillings.size();
    for (std::size_t axis = 0; modes->driven != nullptr && axis < 3; ++axis)
        modes_ += (*modes->driven)[axis].unknowns.size();
    mark_driven(*modes);
    const std::size_t contacts = at(rows.contact_count());
    for (std::size_t k = 0; k < contacts; ++k) {
        for (std::size_t row = 0; row < 3; ++row) {
            all_driven_.push_back(1);
            add_column(rows, *modes, k, Eigen::Map<const Vec3>(rows.frames.data() + 9 * k + 3 * row));
            end_row();
        }
    }
    for (std::size_t b = 0; b < rows.compliance.size(); ++b) {
        all_driven_.push_back(1);
        for (Index t = rows.term_start[b]; t < rows.term_start[b + 1]; ++t)
            add_column(rows, *modes, at(rows.term_columns[at(t)]),
                       Eigen::Map<const Vec3>(rows.term_directions.data() + 3 * at(t)));
        end_row();
    }
}

void ModeRows::mark_driven(const InverseModes& modes) {
    all_driven_.clear();
    has_driven_.clear();
    for (std::size_t axis = 0; modes.driven != nullptr && axis < 3; ++axis) {
        const InverseModes::DrivenCoordinates& driven = (*modes.driven)[axis];
        has_driven_.resize(std::max(has_driven_.size(), static_cast<std::size_t>(driven.response.rows())), 0);
        for (const Index unknown : driven.unknowns) has_driven_[at(unknown)] = 1;
    }
}

/// Adds what the modes are in a column to the row that is being made.
void ModeRows::add_column(const ContactRows& rows, const InverseModes& modes, std::size_t column,
                          const Vec3& direction) {
    for (Index i = rows.column_start[column]; i < rows.column_start[column + 1]; ++i) {
        const Index unknown = rows.unknowns[at(i)];
        const double weight = rows.weights[at(i)];
        all_driven_.back() &= !has_driven_.empty() && has_driven_[at(unknown)] != 0;
        const Index body = modes.rigid.empty() ? -1 : modes.rigid_of_unknown[at(unknown)];
        if (body >= 0) {
            const InverseModes::RigidModes& rigid = modes.rigid[at(body)];
            const auto corner =
                std::find(rigid.unknowns.begin(), rigid.unknowns.end(), unknown) - rigid.unknowns.begin();
            add_term(6 * at(body), weight, rigid.deformations.middleRows<3>(3 * corner).transpose() * direction);
        }
        std::size_t mode = rigid_modes_;
        for (const InverseModes::Filling& filling : modes.fillings) {
            const double moved = filling.response.segment<3>(3 * static_cast<Eigen::Index>(unknown)).dot(direction);
            if (moved != 0.0) add_term(mode, weight, Eigen::Matrix<double, 1, 1>(moved));
            ++mode;
        }
        for (std::size_t axis = 0; modes.driven != nullptr && axis < 3; ++axis) {
            const InverseModes::DrivenCoordinates& driven = (*modes.driven)[axis];
            const double part = weight * direction[static_cast<Eigen::Index>(axis)];
            // Zero on all bodies but those with such coordinates.
            if (part != 0.0 && !driven.unknowns.empty() && !driven.response.row(unknown).isZero(0.0))
                add_term(mode, part, driven.response.row(unknown).transpose());
            mode += driven.unknowns.size();
        }
    }
}

template <class Values>
void ModeRows::add_term(std::size_t mode, double scale, const Values& values) {
    const auto begin = terms_.begin() + static_cast<std::ptrdiff_t>(start_.back());
    const auto place = std::lower_bound(begin, terms_.end(), mode,
                                        [](const Term& term, std::size_t wanted) { return term.mode < wanted; });
    const auto count = static_cast<std::size_t>(values.size());
    if (place == terms_.end() || place->mode != mode) {
        const Term made{mode, count, values_.size()};
        values_.resize(values_.size() + count, 0.0);
        Eigen::Map<VecX>(values_.data() + made.values, values.size()) = scale * values;
        terms_.insert(place, made);
        return;
    }
    Eigen::Map<VecX>(values_.data() + place->values, values.size()) += scale * values;
}

void ModeRows::sums_of(const double* z, Sums& sums) const {
    sums.assign(empty() ? 0 : modes_, 0.0);
    for (std::size_t j = 0; j + 1 < start_.size(); ++j) {
        if (z[j] != 0.0) add(j, z[j], sums);
    }
}

double ModeRows::value(std::size_t j, const Sums& sums) const {
    double sum = 0.0;
    for (std::size_t t = start_[j]; t < start_[j + 1]; ++t) {
        const Eigen::Map<const VecX> values = of(terms_[t]);
        sum += values.dot(Eigen::Map<const VecX>(sums.data() + terms_[t].mode, values.size()));
    }
    return sum;
}

void ModeRows::add(std::size_t j, double change, Sums& sums) const {
    for (std::size_t t = start_[j]; t < start_[j + 1]; ++t) {
        const Eigen::Map<const VecX> values = of(terms_[t]);
        Eigen::Map<VecX>(sums.data() + terms_[t].mode, values.size()) += change * values;
    }
}

double ModeRows::product(std::size_t i, std::size_t j) const {
    double sum = 0.0;
    std::size_t t = start_[j];
    for (std::size_t s = start_[i]; s < start_[i + 1]; ++s) {
        while (t < start_[j + 1] && terms_[t].mode < terms_[s].mode) ++t;
        if (t < start_[j + 1] && terms_[t].mode == terms_[s].mode) sum += of(terms_[s]).dot(of(terms_[t]));
    }
    return sum;
}

void ModeRows::subtract(const double* z, double* out) {
    if (empty()) return;
    sums_of(z, sums_);
    for (std::size_t j = 0; j + 1 < start_.size(); ++j) out[j] -= value(j, sums_);
}

}  // namespace stiction::local_global
