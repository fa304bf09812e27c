#include "stiction/methods/local_global/contact/contact_rows.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

namespace stiction::local_global {
namespace {

using Frame = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using ConstVec3 = Eigen::Map<const Vec3>;
using MutableVec3 = Eigen::Map<Vec3>;

}  // namespace

void ContactRows::clear() {
    for (auto* list : {&unknowns, &term_columns}) list->clear();
    for (auto* list : {&weights, &frames, &constants, &friction, &share, &compliance, &term_directions}) list->clear();
    one_sided.clear();
    column_start.assign(1, 0);
    term_start.assign(1, 0);
}

Index ContactRows::add_column(std::span<const Index> column_unknowns, std::span<const double> column_weights) {
    STICTION_CHECK(column_unknowns.size() == column_weights.size(), "a weight for every unknown");
    unknowns.insert(unknowns.end(), column_unknowns.begin(), column_unknowns.end());
    weights.insert(weights.end(), column_weights.begin(), column_weights.end());
    column_start.push_back(static_cast<Index>(unknowns.size()));
    return column_count() - 1;
}

void ContactRows::add_contact(std::span<const Index> contact_unknowns, std::span<const double> contact_weights,
                              const Mat3& frame, double gap_constant, const Vec2& slip_constant, double mu,
                              double tolerance_share) {
    STICTION_CHECK(column_count() == contact_count() && compliance.empty(), "contacts come before bilateral rows");
    add_column(contact_unknowns, contact_weights);
    frames.resize(frames.size() + 9);
    Eigen::Map<Frame>(frames.data() + frames.size() - 9) = frame;
    constants.insert(constants.end(), {gap_constant, slip_constant[0], slip_constant[1]});
    friction.push_back(mu);
    share.push_back(tolerance_share);
}

void ContactRows::add_bilateral(std::span<const Index> columns, std::span<const Vec3> directions, double constant,
                                double row_compliance, bool only_pushes) {
    STICTION_CHECK(columns.size() == directions.size(), "a direction for every column");
    for (std::size_t k = 0; k < columns.size(); ++k) {
        term_columns.push_back(columns[k]);
        term_directions.insert(term_directions.end(), directions[k].data(), directions[k].data() + 3);
    }
    term_start.push_back(static_cast<Index>(term_columns.size()));
    constants.push_back(constant);
    compliance.push_back(row_compliance);
    one_sided.push_back(only_pushes);
}

RowsView ContactRows::view() const {
    return {.contacts = friction.size(),
            .bilaterals = compliance.size(),
            .columns = at(column_count()),
            .column_start = column_start.data(),
            .unknowns = unknowns.data(),
            .weights = weights.data(),
            .frames = frames.data(),
            .constants = constants.data(),
            .friction = friction.data(),
            .share = share.data(),
            .compliance = compliance.data(),
            .one_sided = one_sided.data(),
            .term_start = term_start.data(),
            .term_columns = term_columns.data(),
            .term_directions = term_directions.data()};
}

void ContactRows::column_values(const double* q, double* u) const {
    const RowsView rows = view();
    parallel_for(
        rows.columns, [&](std::size_t c) { MutableVec3(u + 3 * c) = column_value(rows, c, q); }, 256);
}

void ContactRows::row_values(const double* u, bool with_constant, double* rows) const {
    const RowsView all = view();
    parallel_for(
        all.contacts, [&](std::size_t k) { MutableVec3(rows + 3 * k) = frame_at(all, k) * vector_at(u, k); }, 256);
    for (std::size_t b = 0; b < all.bilaterals; ++b) rows[3 * all.contacts + b] = bilateral_value(all, b, u);
    if (!with_constant) return;
    for (std::size_t j = 0; j < constants.size(); ++j) rows[j] += constants[j];
}

void ContactRows::column_forces(const double* rows, double* f) const {
    const std::size_t contacts = at(contact_count());
    const RowsView all = view();
    parallel_for(
        contacts, [&](std::size_t k) { MutableVec3(f + 3 * k) = frame_at(all, k).transpose() * vector_at(rows, k); },
        256);
    std::fill(f + 3 * contacts, f + 3 * at(column_count()), 0.0);
    for (std::size_t k = 0; k < compliance.size(); ++k) {
        for (Index t = term_start[k]; t < term_start[k + 1]; ++t) {
            MutableVec3(f + 3 * at(term_columns[at(t)])) +=
                rows[3 * contacts + k] * ConstVec3(term_directions.data() + 3 * at(t));
        }
    }
}

void ContactRows::add_to_unknowns(const double* f, double* b) const {
    for (std::size_t c = 0; c + 1 < column_start.size(); ++c) {
        for (Index k = column_start[c]; k < column_start[c + 1]; ++k)
            MutableVec3(b + 3 * at(unknowns[at(k)])) += weights[at(k)] * ConstVec3(f + 3 * c);
    }
}

}  // namespace stiction::local_global
