#include "stiction/methods/local_global/global_system.hpp"

#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/local_global/operator_cache.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Collects entries of the lower triangle; skips those of driven vertices.
class Assembly {
public:
    explicit Assembly(const std::vector<Index>& unknown_of) : unknown_of_(unknown_of) {}

    void add(Index vertex, Index other, double value) {
        const Index row = unknown_of_[static_cast<std::size_t>(vertex)],
                    column = unknown_of_[static_cast<std::size_t>(other)];
        if (row < 0 || column < 0 || row < column) return;
        entries_.emplace_back(row, column, value);
    }
    void add_rows(const ScalarRows& rows, double scale) {
        for (Eigen::Index row = 0; row < rows.outerSize(); ++row) {
            for (ScalarRows::InnerIterator entry(rows, row); entry; ++entry)
                add(static_cast<Index>(row), static_cast<Index>(entry.col()), scale * entry.value());
        }
    }
    void set(Eigen::SparseMatrix<double>& matrix) const { matrix.setFromTriplets(entries_.begin(), entries_.end()); }

private:
    const std::vector<Index>& unknown_of_;
    std::vector<Eigen::Triplet<double>> entries_;
};

/// Gradients of the shape functions, one row a corner: rows of Dm^-1 for corners 1, 2, ..., minus their sum for 0.
template <int Dimension, class Block>
Eigen::Matrix<double, Dimension + 1, Dimension> shape_gradients(const Block& block, std::size_t e) {
    Eigen::Matrix<double, Dimension + 1, Dimension> result;
    for (int row = 0; row < Dimension; ++row) {
        for (int column = 0; column < Dimension; ++column)
            result(row + 1, column) =
                block.rest_inverse[static_cast<std::size_t>(Dimension * column + row) * block.count + e];
    }
    result.row(0) = -result.bottomRows(Dimension).colwise().sum();
    return result;
}

template <int Dimension, class Block>
void add_block(const Block& block, const std::vector<double>& scale, Assembly& assembly) {
    for (std::size_t e = 0; e < block.count; ++e) {
        const auto gradients = shape_gradients<Dimension>(block, e);
        const Eigen::Matrix<double, Dimension + 1, Dimension + 1> local =
            scale[e] * block.weight[e] * gradients * gradients.transpose();
        for (int a = 0; a <= Dimension; ++a) {
            for (int b = 0; b <= Dimension; ++b) {
                assembly.add(block.corner[static_cast<std::size_t>(a) * block.count + e],
                             block.corner[static_cast<std::size_t>(b) * block.count + e], local(a, b));
            }
        }
    }
}

}  // namespace

GlobalSystem::GlobalSystem(const World& world, const ElementArrays& elements, const Objective& objective,
                           const Options& options, double h, const std::vector<std::uint8_t>& driven_axes)
    : h_(h), driven_axes_(driven_axes), unknown_of_(driven_axes.size(), -1) {
    if (!world.embedded.empty()) embedded_.assign(driven_axes.size(), nullptr);
    for (const EmbeddedVertex& entry : world.embedded) embedded_[static_cast<std::size_t>(entry.vertex)] = &entry;
    for (std::size_t v = 0; v < driven_axes.size(); ++v) {
        if (driven_axes[v] == 7 || embedded(static_cast<Index>(v)) != nullptr) continue;
        unknown_of_[v] = static_cast<Index>(unknowns_.size());
        unknowns_.push_back(static_cast<Index>(v));
        masses_.push_back(world.mass[static_cast<Eigen::Index>(v)]);
    }
    const auto n = static_cast<Eigen::Index>(unknowns_.size());
    matrix_.resize(n, n);
    assemble(world, elements, objective);
    CachedOperator made = factor_with_cache(matrix_, options.factors, options.cache);
    inverse_ = std::move(made.factored);
    note_ = std::move(made.note);
    hold_driven_coordinates();
    if (is_incomplete(options.global_step)) measure_jacobi(options.jacobi_relaxation);
}

/// The modes A^-1 E L^-T of unit vectors E, three of which a solve takes.
void GlobalSystem::hold_driven_coordinates() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<Index> held;
        for (std::size_t i = 0; i < unknowns_.size(); ++i) {
            if (driven_axes_[static_cast<std::size_t>(unknowns_[i])] >> axis & 1) held.push_back(static_cast<Index>(i));
        }
        if (held.empty()) continue;
        driven_.resize(1);
        InverseModes::DrivenCoordinates& driven = driven_[0][axis];
        const auto n = static_cast<Eigen::Index>(unknowns_.size()), count = static_cast<Eigen::Index>(held.size());
        driven.response.resize(n, count);
        Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> columns(n, 3);
        for (Eigen::Index k = 0; k < count; k += 3) {
            columns.setZero();
            for (Eigen::Index c = 0; c < std::min<Eigen::Index>(3, count - k); ++c)
                columns(held[static_cast<std::size_t>(k + c)], c) = 1.0;
            inverse_->solve(columns.data(), columns.data());
            for (Eigen::Index c = 0; c < std::min<Eigen::Index>(3, count - k); ++c)
                driven.response.col(k + c) = columns.col(c);
        }
        Eigen::MatrixXd between(count, count);
        for (Eigen::Index k = 0; k < count; ++k)
            between.row(k) = driven.response.row(held[static_cast<std::size_t>(k)]);
        driven.lower = between.selfadjointView<Eigen::Lower>().llt().matrixL();
        driven.lower.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(driven.response);
        driven.unknowns = std::move(held);
    }
}

bool GlobalSystem::moves(Index vertex) const {
    const EmbeddedVertex* entry = embedded(vertex);
    if (entry == nullptr) return unknown_of(vertex) >= 0;
    return std::ranges::any_of(entry->carriers(), [&](const Carrier& c) { return unknown_of(c.vertex) >= 0; });
}

void GlobalSystem::assemble(const World& world, const ElementArrays& elements, const Objective& objective) {
    Assembly assembly(unknown_of_);
    for (const Index v : unknowns_) {
        double diagonal = world.has_lumped_inertia(v) ? world.mass[v] : 0.0;
        // A vertex that no element uses, of which a motion drives some axes, has no row otherwise.
        if (world.mass[v] == 0.0) diagonal = world.mean_mass;
        if (v < world.sheet_damping.size()) diagonal += h_ * world.sheet_damping[v];
        assembly.add(v, v, diagonal);
    }
    assembly.add_rows(objective.consistent_mass(), 1.0);
    assembly.add_rows(objective.bending(), h_ * h_);
    assembly.add_rows(objective.hinge_weights(), h_ * h_);
    std::size_t block = 0;
    std::vector<double> scale;
    for (const ElasticGroup& group : world.elastic) {
        if (group.frames || group.elements.size() == 0) continue;
        scale.assign(group.elements.size(), h_ * h_);
        for (std::size_t e = 0; e < scale.size(); ++e) {
            scale[e] += h_ * group.damping[e].beta;
            const double share = h_ * group.damping[e].alpha * 0.25 * group.density[e] * group.elements.volume[e];
            if (share == 0.0) continue;
            for (const Index vertex : group.elements.vertices[e]) assembly.add(vertex, vertex, share);
        }
        add_block<3>(elements.tets[block++], scale, assembly);
    }
    for (const TriangleArrays& triangles : elements.triangles) {
        scale.assign(triangles.count, h_ * h_);
        add_block<2>(triangles, scale, assembly);
    }
    assembly.set(matrix_);
}

void GlobalSystem::solve_negative(const VecX& r, VecX& out) const {
    out = -r;
    inverse_->solve(out.data(), out.data());
}

void GlobalSystem::jacobi_negative(const VecX& r, VecX& out) const {
    out.resize(r.size());
    for (Eigen::Index i = 0; i < jacobi_.size(); ++i) out.segment<3>(3 * i) = -jacobi_[i] * r.segment<3>(3 * i);
}

/// Largest and smallest eigenvalue of D^-1 A by power and inverse iteration. The energy may be stiffer than A by
/// largest_stiffness_by_weight.
void GlobalSystem::measure_jacobi(double relaxation) {
    const Eigen::Index n = matrix_.rows();
    const VecX diagonal = matrix_.diagonal();
    constexpr int iterations = 200;
    VecX u(n);
    for (Eigen::Index i = 0; i < n; ++i)
        u[i] = (i % 2 == 0 ? 1.0 : -1.0) + 0.3 * std::sin(1.7 * static_cast<double>(i));
    double largest = 0.0;
    for (int k = 0; k < iterations; ++k) {
        const VecX next = (matrix_.selfadjointView<Eigen::Lower>() * u).cwiseQuotient(diagonal);
        largest = next.norm() / u.norm();
        u = next / next.norm();
    }
    VecX columns = VecX::Zero(3 * n);
    u = VecX::Ones(n) / std::sqrt(static_cast<double>(n));
    double smallest = 0.0;
    for (int k = 0; k < iterations / 4; ++k) {
        columns.setZero();
        for (Eigen::Index i = 0; i < n; ++i) columns[3 * i] = diagonal[i] * u[i];
        inverse_->solve(columns.data(), columns.data());
        for (Eigen::Index i = 0; i < n; ++i) u[i] = columns[3 * i];
        smallest = 1.0 / u.norm();
        u *= smallest;
    }
    const double gamma = relaxation * 2.0 / (1.05 * largest_stiffness_by_weight * largest + smallest);
    jacobi_ = gamma * diagonal.cwiseInverse();
    jacobi_radius_ = 1.0 - gamma * smallest;
}

}  // namespace stiction::local_global
