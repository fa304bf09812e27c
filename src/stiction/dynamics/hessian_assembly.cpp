#include "stiction/dynamics/hessian_assembly.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/krylov/truncated_cg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

/// Conjugate gradients end at this part of the step, in the norm of the preconditioner, which is close to that of the
/// energy: the decrease of the quadratic model falls short by its square.
constexpr double cg_tolerance = 1e-4;
/// A factor in single precision usually takes one iteration. As many as this take longer than a factor in double.
constexpr int most_mixed_iterations = 8;
/// `mixed` keeps to double precision below so many nodes: a factor is quick there.
constexpr Index min_mixed_nodes = 500;

/// A cycle is a rougher inverse than a factor: as good a direction takes more iterations.
constexpr TruncatedCgOptions refinement_by_multigrid{.tolerance = 0.01, .max_iterations = 60};

/// `automatic` keeps to a factor below so many nodes: there it wins or both are fast.
constexpr Index min_multigrid_nodes = 4000;
/// ... and where the factor's work beside a product with A is less than this. Below `large_nodes` levels and threads
/// count for more than operations: it takes more work there, by the square.
constexpr double min_factor_work = 900.0, large_nodes = 12000.0;
/// A factor takes about as long as multigrid's set-up and an iteration for each so much of its work.
constexpr double work_an_iteration = 36.0;
/// Iterations left at least, and at most, to a solve that `automatic` gave to multigrid.
constexpr double fewest_iterations = 25.0, most_iterations = 500.0;

/// The sparse matrix with its rank-one terms.
struct Product {
    const BlockSystem& sparse;
    const LowRankUpdate& rank_one;
    void multiply(const VecX& x, VecX& y) const {
        sparse.multiply(x, y);
        rank_one.add_product(x, y);
    }
};

}  // namespace

const std::vector<std::string>& system_solver_names() {
    static const std::vector<std::string> names{"auto", "direct", "mixed", "multigrid"};
    return names;
}

SystemSolver system_solver_from_name(const std::string& name) {
    return enum_from_name<SystemSolver>(system_solver_names(), name);
}

SystemSolver HessianAssembly::factor_solver() const {
    return map_->node_count() < min_mixed_nodes ? SystemSolver::direct : SystemSolver::mixed;
}

void HessianAssembly::choose(SystemSolver wanted, int max_cg_iterations) {
    gave_up_ = {};
    max_cg_iterations_ = max_cg_iterations;
    solver_ = wanted == SystemSolver::mixed ? factor_solver() : wanted;
    if (wanted != SystemSolver::automatic) return;
    const Index nodes = map_->node_count();
    const double work =
        nodes < min_multigrid_nodes ? 0.0 : element_orders_.factor_work(map_->driven_axes(), *element_pattern_);
    const double small = std::max(1.0, large_nodes / std::max<Index>(nodes, 1));
    solver_ = work > small * small * min_factor_work ? SystemSolver::multigrid : factor_solver();
    // Where the system is so ill conditioned that the factor costs less, the factor takes over.
    const double iterations = std::clamp(work / work_an_iteration, fewest_iterations, most_iterations);
    max_cg_iterations_ = std::min(max_cg_iterations, static_cast<int>(iterations));
}

void HessianAssembly::set_positions(const VecX& x) {
    if (!uses_multigrid()) return;
    node_positions_.setZero(3 * static_cast<Eigen::Index>(map_->node_count()));
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        if (const Index node = map_->node(vertex); node >= 0)
            node_positions_.segment<3>(3 * static_cast<Eigen::Index>(node)) =
                x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
    }
}

bool HessianAssembly::moves(const Stencil& vertices, int count) const {
    return std::any_of(vertices.begin(), vertices.begin() + count,
                       [&](Index vertex) { return !map_->entries(vertex).empty(); });
}

void HessianAssembly::add_mass(double scale) {
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        if (world_.has_lumped_inertia(vertex)) add_diagonal(vertex, Vec3::Constant(scale * world_.mass[vertex]));
    }
    for (std::size_t g = 0; g < world_.elastic.size(); ++g) {
        if (world_.elastic[g].consistent_mass.size() > 0)
            add_elements(g, world_.elastic[g].consistent_mass.matrices, scale);
    }
}

void HessianAssembly::mask(const Tet& vertices, Mat12& hessian) const {
    for (int a = 0; a < 4; ++a) {
        if (vertices[static_cast<std::size_t>(a)] < 0) continue;
        const Index node = map_->node(vertices[static_cast<std::size_t>(a)]);
        if (node < 0) continue;
        for (int axis = 0; axis < 3; ++axis) {
            if (map_->masked_axes(node) >> axis & 1) {
                hessian.row(3 * a + axis).setZero();
                hessian.col(3 * a + axis).setZero();
            }
        }
    }
}

void HessianAssembly::add_elements(std::size_t group, const std::vector<Mat12>& hessians, double scale) {
    if (!map_->any_masked()) {
        scatters_[group].add(hessians, scale, system_);
        return;
    }
    STICTION_CHECK(hessians.size() == scatters_[group].elements(), "another number of Hessians than of elements");
    const ElementScatter::Fill copy = [&](std::span<const Index> elements, Mat12* out) {
        for (std::size_t k = 0; k < elements.size(); ++k) out[k] = hessians[at(elements[k])];
    };
    add_elements(group, copy, scale);
}

void HessianAssembly::add_elements(std::size_t group, const ElementScatter::Fill& fill, double scale) {
    if (!map_->any_masked()) {
        scatters_[group].add(fill, scale, system_, scratch_);
        return;
    }
    const std::vector<Tet>& stencils = *element_stencils()[group];
    const ElementScatter::Fill masked = [&](std::span<const Index> elements, Mat12* out) {
        fill(elements, out);
        parallel_for(elements.size(), [&](std::size_t k) { mask(stencils[at(elements[k])], out[k]); });
    };
    scatters_[group].add(masked, scale, system_, scratch_);
}

void HessianAssembly::add_rank_one(double c, const VecX& vertex_vector) {
    VecX node_vector;
    map_->restrict_gradient(vertex_vector, node_vector);
    rank_one_.add(c, node_vector, node_vector);
}

void HessianAssembly::spread_symmetric(Index a, Index b, const Mat3& block, ColumnShare share) {
    for (const auto& left : map_->entries(a)) {
        for (const auto& right : map_->entries(b)) {
            if (!share.owns(std::min(left.node, right.node))) continue;
            const Mat3 part = weighted(left, right, block);
            if (left.node != right.node) {
                // On the diagonal of the stencil both orders of a pair of nodes occur: each carries half of the pair.
                if (a != b || left.node < right.node) system_.add(left.node, right.node, part);
            } else {
                system_.add_diagonal(left.node, a == b ? part : Mat3(part + part.transpose()));
            }
        }
    }
}

void HessianAssembly::add_stencil(const Stencil& vertices, int count, const Mat12& hessian, ColumnShare share) {
    for (int a = 0; a < count; ++a) {
        for (int b = a; b < count; ++b) {
            spread_symmetric(vertices[static_cast<std::size_t>(a)], vertices[static_cast<std::size_t>(b)],
                             hessian.block<3, 3>(3 * a, 3 * b), share);
        }
    }
}

std::vector<double> HessianAssembly::vertex_stiffness() const {
    std::vector<double> result(at(world_.vertex_count()));
    parallel_for(result.size(), [&](std::size_t vertex) {
        double compliance = 0.0;
        for (const DofMap::Entry& entry : map_->entries(static_cast<Index>(vertex)))
            compliance += entry.weight * entry.weight / (system_.block(entry.node, entry.node).trace() / 3.0);
        result[vertex] = 1.0 / compliance;
    });
    return result;
}

void HessianAssembly::add_diagonal(Index vertex, const Vec3& value) {
    const auto entries = map_->entries(vertex);
    for (const auto& left : entries) {
        for (const auto& right : entries) {
            if (left.node == right.node) {  // a diagonal couples nothing: prescribed coordinates may keep theirs
                system_.add_diagonal(left.node, (left.weight * right.weight * value).asDiagonal());
            } else if (left.node < right.node) {
                system_.add(left.node, right.node, weighted(left, right, value.asDiagonal()));
            }
        }
    }
}

void HessianAssembly::finish() {
    for (const Index node : map_->masked_nodes()) {
        Mat3 identity = Mat3::Zero();
        for (int axis = 0; axis < 3; ++axis) identity(axis, axis) = (map_->masked_axes(node) >> axis & 1) ? 1.0 : 0.0;
        system_.add_diagonal(node, identity);
    }
}

void HessianAssembly::add_shift(double shift) {
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        add_diagonal(vertex,
                     Vec3::Constant(shift * (world_.mass[vertex] > 0.0 ? world_.mass[vertex] : world_.mean_mass)));
    }
}

bool HessianAssembly::solve(const VecX& vertex_gradient, VecX& vertex_step) {
    map_->restrict_gradient(vertex_gradient, node_gradient_);
    if (node_gradient_.size() == 0) {
        vertex_step.setZero(vertex_gradient.size());
        return true;
    }
    node_gradient_ = -node_gradient_;
    if (!factorize()) return false;
    while (solver_ != SystemSolver::direct && !solve_by_cg()) {
        if (!cg_failure_.empty() || !fall_back()) return false;
    }
    if (solver_ == SystemSolver::direct) apply_factor(node_gradient_, node_step_);
    map_->expand_step(node_step_, vertex_step);
    return vertex_step.allFinite();
}

bool HessianAssembly::solve_by_cg() {
    const TruncatedCgResult result = truncated_conjugate_gradient(
        Product{system_, rank_one_}, [&](const VecX& r, VecX& z) { apply_factor(r, z); }, node_gradient_, node_step_,
        {.tolerance = cg_tolerance,
         .max_iterations = uses_multigrid() ? max_cg_iterations_ : most_mixed_iterations,
         .min_curvature = 0.0});
    cg_iterations_ += result.iterations;
    // Whether the matrix is positive definite can be told with a hierarchy, but not in single precision.
    if (result.end == TruncatedCgResult::End::negative_curvature && uses_multigrid())
        cg_failure_ = fmt::format("negative curvature in conjugate gradients, iteration {}", result.iterations);
    return result.end == TruncatedCgResult::End::converged;
}

bool HessianAssembly::fall_back() {
    const SystemSolver before = solver_;
    solver_ = uses_multigrid() ? factor_solver() : SystemSolver::direct;
    const bool is_factored = factorize();
    if (is_factored) {
        gave_up_[static_cast<std::size_t>(before)] = true;
    } else {
        solver_ = before;
    }
    return is_factored;
}

const std::string& HessianAssembly::failure() const {
    if (uses_multigrid() && !multigrid_.failure().empty()) return multigrid_.failure();
    if (uses_multigrid() && !cg_failure_.empty()) return cg_failure_;
    return system_.failure().empty() ? factored_rank_one_.failure() : system_.failure();
}

bool HessianAssembly::factorize() {
    if (factorize_sparse() && factorize_rank_one()) return true;
    return solver_ == SystemSolver::mixed && fall_back();
}

bool HessianAssembly::factorize_sparse() {
    cg_failure_.clear();
    if (uses_multigrid()) return multigrid_.set_up(system_, node_positions_);
    keep_order();
    return system_.factorize(solver_ == SystemSolver::mixed ? Precision::single : Precision::full);
}

bool HessianAssembly::factorize_rank_one() {
    factored_rank_one_ = rank_one_;
    return factored_rank_one_.factorize([&](const VecX& b, VecX& x) { apply_sparse(b, x); });
}

void HessianAssembly::apply_sparse(const VecX& b, VecX& x) {
    if (uses_multigrid()) {
        multigrid_.apply(b, x);
    } else {
        system_.solve(b, x);
    }
}

void HessianAssembly::apply_factor(const VecX& r, VecX& z) {
    factored_rank_one_.solve([&](const VecX& b, VecX& x) { apply_sparse(b, x); }, r, z);
}

void HessianAssembly::refine(const VecX& vertex_gradient, VecX& vertex_step) {
    map_->restrict_gradient(vertex_gradient, node_gradient_);
    node_gradient_ = -node_gradient_;
    // One cycle is no solve: the first direction of its own would be worse than the step that is there.
    const VecX solved = node_step_;
    truncated_conjugate_gradient(
        Product{system_, rank_one_}, [&](const VecX& r, VecX& z) { apply_factor(r, z); }, node_gradient_, node_step_,
        uses_multigrid() ? refinement_by_multigrid : TruncatedCgOptions{}, uses_multigrid() ? &solved : nullptr);
    map_->expand_step(node_step_, vertex_step);
}

}  // namespace stiction
