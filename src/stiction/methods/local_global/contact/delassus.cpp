#include "stiction/methods/local_global/contact/delassus.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact/row_product.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <numeric>

namespace stiction::local_global {
namespace {

/// Of a row whose vertices are all driven along some axes, the part of W's diagonal below which it is left out: its
/// force would have to be a thousand times the one that moves the vertices.
constexpr double least_share = 1e-6;
/// Time of a product with an entry of C over that of half a solve with an entry of the factor
/// (bench/results/local_global_scenes.md).
constexpr double half_per_product = 5.0;
/// Of any other row: so small a part is rounding.
constexpr double rounding = 1e-12;

}  // namespace

void DelassusOperator::prepare(const ContactRows& rows, const FactoredOperator& system, DelassusKind kind, int products,
                               const InverseModes* modes) {
    rows_ = &rows;
    system_ = &system;
    modes_ = modes;
    columns_ = at(rows.column_count());
    collect_unknowns();
    of_unknowns_.set_unknowns(system, used_);
    const double length =
        used_.empty() ? 0.0 : static_cast<double>(of_unknowns_.entries()) / static_cast<double>(used_.size());
    const double basis = static_cast<double>(std::min(columns_, used_.size())), times = 3.0 * products;
    const double factor_entries = static_cast<double>(system.bytes()) / 8.0;
    formed_ = kind == DelassusKind::formed || (kind == DelassusKind::automatic &&
                                               basis * basis * (0.5 * length + times) < 2.0 * times * factor_entries);
    keeps_half_ = false;
    diagonal_.resize(at(rows.row_count()));
    forces_.resize(3 * columns_);
    values_.resize(3 * columns_);
    for (auto* list : {&work_, &half_}) list->resize(3 * at(system.size()));
    if (formed_) {
        form();
    } else {
        apply();
    }
    if (any_modes()) plain_diagonal_ = diagonal_;
    modes_changed();
}

void DelassusOperator::modes_changed() {
    if (!any_modes()) {
        mode_rows_.set(*rows_, nullptr);
        return;
    }
    mode_rows_.set(*rows_, modes_);
    for (std::size_t j = 0; j < diagonal_.size(); ++j) {
        const double left = plain_diagonal_[j] - mode_rows_.product(j, j);
        diagonal_[j] = left > (mode_rows_.all_driven(j) ? least_share : rounding) * plain_diagonal_[j] ? left : 0.0;
    }
    block_norms_.resize(at(rows_->contact_count()));
    for (std::size_t k = 0; k < block_norms_.size(); ++k) block_norms_[k] = block_norm_of(k);
}

double DelassusOperator::turned_diagonal(std::size_t contact, const double* axis, std::size_t tangent) const {
    const double first = diagonal_[3 * contact + 1], second = diagonal_[3 * contact + 2], c = axis[0], s = axis[1];
    const double across = -mode_rows_.product(3 * contact + 1, 3 * contact + 2);
    return tangent == 1 ? c * c * first + 2.0 * c * s * across + s * s * second
                        : s * s * first - 2.0 * c * s * across + c * c * second;
}

double DelassusOperator::block_norm_of(std::size_t contact) const {
    if (diagonal_[3 * contact] == 0.0) return 0.0;
    Mat3 taken;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
            taken(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                mode_rows_.product(3 * contact + i, 3 * contact + j);
    }
    return plain_diagonal_[3 * contact] -
           Eigen::SelfAdjointEigenSolver<Mat3>(taken, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

void DelassusOperator::collect_unknowns() {
    place_.assign(at(system_->size()), -1);
    used_.clear();
    for (const Index unknown : rows_->unknowns) {
        if (place_[at(unknown)] >= 0) continue;
        place_[at(unknown)] = 0;
        used_.push_back(unknown);
    }
    // In the elimination order, all columns of S that meet a row stand next to each other (GramMatrix).
    std::sort(used_.begin(), used_.end(),
              [&](Index a, Index b) { return system_->position(a) < system_->position(b); });
    for (std::size_t k = 0; k < used_.size(); ++k) place_[at(used_[k])] = static_cast<Index>(k);
    column_places_.resize(rows_->unknowns.size());
    for (std::size_t k = 0; k < column_places_.size(); ++k) column_places_[k] = place_[at(rows_->unknowns[k])];
}

void DelassusOperator::form() {
    const std::size_t contacts = at(rows_->contact_count());
    if (used_.size() < columns_) {
        basis_start_ = rows_->column_start;
        basis_places_ = column_places_;
        basis_weights_ = rows_->weights;
        gram_.form(of_unknowns_, system_->size());
    } else {
        basis_start_.resize(columns_ + 1);
        basis_places_.resize(columns_);
        std::iota(basis_start_.begin(), basis_start_.end(), 0);
        std::iota(basis_places_.begin(), basis_places_.end(), 0);
        basis_weights_.assign(columns_, 1.0);
        of_columns_.set_sums(of_unknowns_, sums(), 0, squares_);
        gram_.form(of_columns_, system_->size());
    }
    keeps_half_ = !any_modes() && half_per_product * static_cast<double>(gram_.entries()) <= system_->entries();
    basis_forces_.resize(3 * gram_.size());
    const auto entry = [&](std::size_t s, std::size_t t) { return between(s, t); };
    for (std::size_t c = 0; c < contacts; ++c)
        std::fill_n(diagonal_.begin() + static_cast<std::ptrdiff_t>(3 * c), 3, between(c, c));
    for (Index j = 0; j < rows_->bilateral_count(); ++j) diagonal_[3 * contacts + at(j)] = bilateral_diagonal(j, entry);
}

void DelassusOperator::apply() {
    const std::size_t contacts = at(rows_->contact_count());
    of_columns_.set_sums(of_unknowns_, sums(), contacts, squares_);
    system_->find_part(used_, contact_part_);
    selected_part_ = contact_part_;  // all rows, until select(); and its memory
    selected_unknowns_.reserve(rows_->unknowns.size());
    for (std::size_t c = 0; c < contacts; ++c)
        std::fill_n(diagonal_.begin() + static_cast<std::ptrdiff_t>(3 * c), 3, squares_[c]);
    const auto entry = [&](std::size_t s, std::size_t t) { return sparse_dot(of_columns_[s], of_columns_[t]); };
    for (Index j = 0; j < rows_->bilateral_count(); ++j) diagonal_[3 * contacts + at(j)] = bilateral_diagonal(j, entry);
}

double DelassusOperator::between(std::size_t s, std::size_t t) const {
    double sum = 0.0;
    for (Index i = basis_start_[s]; i < basis_start_[s + 1]; ++i) {
        const double* const row = gram_.row(at(basis_places_[at(i)]));
        for (Index j = basis_start_[t]; j < basis_start_[t + 1]; ++j)
            sum += basis_weights_[at(i)] * basis_weights_[at(j)] * row[basis_places_[at(j)]];
    }
    return sum;
}

template <class Entry>
double DelassusOperator::bilateral_diagonal(Index row, const Entry& entry) const {
    const auto direction = [&](Index t) { return Eigen::Map<const Vec3>(rows_->term_directions.data() + 3 * at(t)); };
    double sum = 0.0;
    for (Index s = rows_->term_start[at(row)]; s < rows_->term_start[at(row) + 1]; ++s) {
        for (Index t = rows_->term_start[at(row)]; t <= s; ++t) {
            const double along = direction(s).dot(direction(t));
            if (along == 0.0) continue;
            sum += (s == t ? 1.0 : 2.0) * along * entry(at(rows_->term_columns[at(s)]), at(rows_->term_columns[at(t)]));
        }
    }
    return sum;
}

/// basis_forces += P forces
void DelassusOperator::add_basis_forces(const double* forces, double* basis_forces) const {
    for (std::size_t c = 0; c < columns_; ++c) {
        const Eigen::Map<const Vec3> force(forces + 3 * c);
        if (force.isZero(0.0)) continue;
        for (Index i = basis_start_[c]; i < basis_start_[c + 1]; ++i)
            Eigen::Map<Vec3>(basis_forces + 3 * at(basis_places_[at(i)])) += basis_weights_[at(i)] * force;
    }
}

void DelassusOperator::formed_values(const double* forces, PlanarColumns& values) {
    std::fill(basis_forces_.begin(), basis_forces_.end(), 0.0);
    add_basis_forces(forces, basis_forces_.data());
    gram_.multiply(basis_forces_.data(), values);
}

void DelassusOperator::add_formed(std::size_t column, const Vec3& force, PlanarColumns& values) const {
    for (Index i = basis_start_[column]; i < basis_start_[column + 1]; ++i)
        gram_.add(at(basis_places_[at(i)]), basis_weights_[at(i)] * force, values);
}

Vec3 DelassusOperator::formed_value(const PlanarColumns& values, std::size_t column) const {
    Vec3 sum = Vec3::Zero();
    for (Index i = basis_start_[column]; i < basis_start_[column + 1]; ++i)
        sum += basis_weights_[at(i)] * values[at(basis_places_[at(i)])];
    return sum;
}

/// Calls visit(column) for the columns of selected contacts and for those of bilateral rows.
template <class Visit>
void DelassusOperator::for_each_selected(const std::vector<double>& rows, const Visit& visit) const {
    const std::size_t contacts = at(rows_->contact_count());
    for (std::size_t c = 0; c < columns_; ++c) {
        if (c < contacts && rows[3 * c] == 0.0 && rows[3 * c + 1] == 0.0 && rows[3 * c + 2] == 0.0) continue;
        visit(c);
    }
}

void DelassusOperator::select(const std::vector<double>& rows) {
    if (!formed_) return select_part(rows);
    const std::size_t size = gram_.size();
    place_selected_.assign(size, -1);
    for_each_selected(rows, [&](std::size_t c) {
        for (Index i = basis_start_[c]; i < basis_start_[c + 1]; ++i) place_selected_[at(basis_places_[at(i)])] = 0;
    });
    selected_.clear();
    for (std::size_t b = 0; b < size; ++b) {
        if (place_selected_[b] == 0) selected_.push_back(b);
    }
    const std::size_t n = selected_.size();
    if (selected_matrix_.size() < n * n) selected_matrix_.resize(n * n);
    parallel_for(
        n,
        [&](std::size_t i) {
            const double* row = gram_.row(selected_[i]);
            double* out = selected_matrix_.data() + i * n;
            for (std::size_t j = 0; j < n; ++j) out[j] = row[selected_[j]];
        },
        64);
    planar_.resize(n);
    moved_.set_zero(size);
}

void DelassusOperator::select_part(const std::vector<double>& rows) {
    selected_unknowns_.clear();
    for_each_selected(rows, [&](std::size_t c) {
        const auto begin = rows_->unknowns.begin();
        selected_unknowns_.insert(selected_unknowns_.end(), begin + rows_->column_start[c],
                                  begin + rows_->column_start[c + 1]);
    });
    system_->find_part(selected_unknowns_, selected_part_);
}

void DelassusOperator::multiply_selected(const double* z, double* out) {
    if (!formed_) return multiply_applied(z, selected_part_, out);
    rows_->column_forces(z, forces_.data());
    std::fill(basis_forces_.begin(), basis_forces_.end(), 0.0);
    add_basis_forces(forces_.data(), basis_forces_.data());
    const std::size_t n = selected_.size();
    for (std::size_t i = 0; i < n; ++i) planar_.set(i, basis_forces_.data() + 3 * selected_[i]);
    parallel_for(
        n,
        [&](std::size_t i) {
            const Vec3 move =
                row_product(selected_matrix_.data() + i * n, planar_.list(0), planar_.list(1), planar_.list(2), n);
            moved_.set(selected_[i], move.data());
        },
        64);
    values_to_rows(out);
    mode_rows_.subtract(z, out);
}

/// rows = D P^T moves
void DelassusOperator::values_to_rows(double* rows) {
    for (std::size_t c = 0; c < columns_; ++c) Eigen::Map<Vec3>(values_.data() + 3 * c) = formed_value(moved_, c);
    rows_->row_values(values_.data(), false, rows);
}

void DelassusOperator::multiply(const double* z, double* out) {
    if (formed_) {
        rows_->column_forces(z, forces_.data());
        formed_values(forces_.data(), moved_);
        values_to_rows(out);
        return mode_rows_.subtract(z, out);
    }
    multiply_applied(z, contact_part_, out);
}

void DelassusOperator::multiply_applied(const double* z, const OperatorPart& part, double* out) {
    respond(z, any_modes() ? nullptr : &part);
    rows_->column_values(work_.data(), values_.data());
    rows_->row_values(values_.data(), false, out);
}

void DelassusOperator::positions(const double* free, const double* z, double* q) {
    respond(z, nullptr);
    for (std::size_t i = 0; i < work_.size(); ++i) q[i] = free[i] + work_[i];
}

/// work = A^-1 H^T z
/// @param part  null: at all unknowns
void DelassusOperator::respond(const double* z, const OperatorPart* part) {
    rows_->column_forces(z, forces_.data());
    std::fill(work_.begin(), work_.end(), 0.0);
    rows_->add_to_unknowns(forces_.data(), work_.data());
    if (part != nullptr)
        system_->solve_part(*part, work_.data(), work_.data());
    else
        system_->solve(work_.data(), work_.data());
    if (any_modes()) modes_->project(work_.data());
}

void DelassusOperator::values_of_half(const double* y, double* rows) {
    gram_.products(y, moved_);
    values_to_rows(rows);
}

void DelassusOperator::positions_of_half(const double* present, const double* y, const double* z, double* q) {
    std::copy_n(y, half_.size(), half_.begin());
    rows_->column_forces(z, forces_.data());
    std::fill(basis_forces_.begin(), basis_forces_.end(), 0.0);
    add_basis_forces(forces_.data(), basis_forces_.data());
    gram_.add_columns(basis_forces_.data(), half_.data());
    system_->solve_second_half(half_.data(), work_.data());
    for (std::size_t i = 0; i < work_.size(); ++i) q[i] = present[i] + work_[i];
}

}  // namespace stiction::local_global
