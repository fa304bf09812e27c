#include "stiction/methods/mlcp/solvers/constraint_anticipation.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/krylov/cg.hpp"
#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"

#include <Eigen/LU>

#include <algorithm>

namespace stiction::mlcp {
namespace {

/// The splitting of A for Gauss-Seidel: the diagonal blocks D, and sweeps with the lower triangle.
class SplitMatrix {
public:
    explicit SplitMatrix(const VelocityMatrix& matrix)
        : matrix_(matrix), inverse_(static_cast<std::size_t>(matrix.nodes())) {
        parallel_for(inverse_.size(), [&](std::size_t node) {
            inverse_[node] = matrix.diagonal_block(static_cast<Index>(node)).inverse();
        });
    }
    const Mat3& inverse_diagonal(Index node) const { return inverse_[static_cast<std::size_t>(node)]; }
    /// z = D^-1 r
    void apply(const VecX& r, VecX& z) const {
        z.resize(r.size());
        parallel_for(
            inverse_.size(),
            [&](std::size_t node) {
                const auto at = 3 * static_cast<Eigen::Index>(node);
                z.segment<3>(at) = inverse_[node] * r.segment<3>(at);
            },
            512);
    }
    /// One step of block Gauss-Seidel for A x = b; rank-one terms are taken at the old x.
    void sweep(VecX b, VecX& x) const {
        if (matrix_.rank_one != nullptr && matrix_.rank_one->terms() > 0) {
            const auto soft = 3 * static_cast<Eigen::Index>(matrix_.elastic_nodes());
            VecX product = VecX::Zero(soft);
            matrix_.rank_one->add_product(x.head(soft), product);
            b.head(soft) -= product;
        }
        for (Index column = 0; column < matrix_.nodes(); ++column) {
            const auto at = 3 * static_cast<Eigen::Index>(column);
            if (column >= matrix_.elastic_nodes()) {
                x.segment<3>(at) = inverse_[static_cast<std::size_t>(column)] * b.segment<3>(at);
                continue;
            }
            const BlockPattern& pattern = *matrix_.elastic->pattern();
            const auto begin = static_cast<std::size_t>(pattern.column_begin[static_cast<std::size_t>(column)]) + 1;
            const auto end = static_cast<std::size_t>(pattern.column_begin[static_cast<std::size_t>(column) + 1]);
            const std::vector<Mat3>& values = matrix_.elastic->values();
            Vec3 right = b.segment<3>(at);
            for (std::size_t slot = begin; slot < end; ++slot)
                right -= values[slot].transpose() * x.segment<3>(3 * static_cast<Eigen::Index>(pattern.rows[slot]));
            const Vec3 now = inverse_[static_cast<std::size_t>(column)] * right;
            x.segment<3>(at) = now;
            for (std::size_t slot = begin; slot < end; ++slot)
                b.segment<3>(3 * static_cast<Eigen::Index>(pattern.rows[slot])) -= values[slot] * now;
        }
    }

private:
    const VelocityMatrix& matrix_;
    std::vector<Mat3> inverse_;
};

}  // namespace

SolverReport solve_with_constraint_anticipation(const SolverTask& task, ContactSolution& solution) {
    constexpr int max_sweeps = 30;
    constexpr double part = 0.1;  // of the tolerances, for the inner solves
    SolverReport report;
    const VelocityMatrix& matrix = *task.problem.matrix;
    const double scale = task.problem.scale();
    const SplitMatrix split(matrix);
    const AnticipatedContacts contacts(task.constraints, [&](Index node) { return split.inverse_diagonal(node); });
    VecX f = cone_forces(task.problem, solution), forced = task.problem.rhs;
    task.constraints.add_transposed(f, forced);
    const double length = norm(forced);
    const CgOptions unconstrained{.tolerance = length > 0.0 ? part * task.options.tolerance * scale / length : 0.0,
                                  .max_iterations = task.options.max_iterations,
                                  .go_on = [&](int iterations) { return !task.options.interrupted(iterations, 0.0); }};
    report.iterations = conjugate_gradient(matrix, split, forced, solution.v, unconstrained).iterations;
    report.products = report.iterations + 1;
    VecX product, anticipated;
    while (true) {
        if (task.options.interrupted(report.iterations, report.residual)) {
            report.end = SolverEnd::interrupted;
            break;
        }
        matrix.multiply(solution.v, product);
        ++report.products;
        const VecX residual = task.problem.rhs - product;
        VecX whole = residual;
        task.constraints.add_transposed(f, whole);
        take_forces(task.problem, f, solution);
        report.residual = scale > 0.0 ? norm(whole) / scale : norm(whole);
        if (report.residual <= task.options.tolerance && is_solution(task, solution, report)) {
            report.end = SolverEnd::converged;
            break;
        }
        if (!solution.v.allFinite()) {
            report.end = SolverEnd::breakdown;
            break;
        }
        if (report.iterations >= task.options.max_iterations) break;
        ++report.iterations;
        split.apply(whole, anticipated);
        anticipated += solution.v;
        report.sweeps += contacts.solve(part * task.options.distance_tolerance, max_sweeps, anticipated, f);
        forced = task.problem.rhs;
        task.constraints.add_transposed(f, forced);
        split.sweep(forced, solution.v);
        ++report.products;
    }
    return report;
}

}  // namespace stiction::mlcp
