#include "stiction/methods/implicit/jacobian_solver.hpp"

#include "stiction/linalg/krylov/bicgstab.hpp"
#include "stiction/linalg/rank_one_product.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <limits>

namespace stiction::implicit {
namespace {

/// BiCGSTAB that needs more than this is slower than an LU.
constexpr int most_iterations = 60;
/// Of a direction: Newton's method leaves a larger error of its own in all but the last iteration.
constexpr double direction_accuracy = 1e-9;

struct Factor {
    HessianAssembly& assembly;
    void apply(const VecX& r, VecX& z) const { assembly.newton().apply_factor(r, z); }
};

/// -r in unknowns.
VecX right_hand_side(const HessianAssembly& assembly, const VecX& r) {
    VecX b;
    assembly.map().restrict_gradient(r, b);
    return -b;
}

}  // namespace

bool JacobianSolver::precondition(HessianAssembly& assembly) {
    preconditioner_ = &assembly;
    if (assembly.newton().factorize()) return true;
    failure_ = assembly.newton().failure();
    return false;
}

void JacobianSolver::take_symmetric(const HessianAssembly& assembly) {
    jacobian_.set_pattern(assembly.system().pattern());
    jacobian_.copy_symmetric(assembly.system());
    rank_one_ = assembly.newton().rank_one();
    has_lu_ = false;
}

bool JacobianSolver::finish() {
    return solver_ == LinearSolver::iterative || factorize();
}

bool JacobianSolver::factorize() {
    failure_.clear();
    has_lu_ = jacobian_.factorize() && rank_one_.factorize([&](const VecX& b, VecX& x) { jacobian_.solve(b, x); });
    if (has_lu_) return true;
    failure_ = jacobian_.failure().empty() ? rank_one_.failure() : jacobian_.failure();
    return false;
}

void JacobianSolver::apply_inverse(double accuracy, const VecX& b, VecX& x) {
    // Terms of rank one may cancel most of what the sparse part gives.
    if (rank_one_.terms() > 0) accuracy = 0.0;
    rank_one_.solve([&](const VecX& from, VecX& to) { jacobian_.solve(from, to, accuracy); }, b, x);
}

double JacobianSolver::residual_norm(const HessianAssembly& assembly, const VecX& r) const {
    VecX b;
    assembly.map().restrict_gradient(r, b);
    return norm(b);
}

bool JacobianSolver::solve(const HessianAssembly& assembly, const VecX& r, double sigma, VecX& p) {
    failure_.clear();
    const VecX b = right_hand_side(assembly, r);
    VecX x;
    bool solved = false;
    if (solver_ == LinearSolver::iterative) {
        solved = iterate(b, sigma, x);
        if (!solved) {
            ++rescues_;
            if (!factorize()) return false;
        }
    }
    if (!solved) apply_inverse(direction_accuracy, b, x);
    return take_solution(assembly, x, p);
}

bool JacobianSolver::solve_again(const HessianAssembly& assembly, const VecX& r, double sigma, VecX& p) {
    const VecX b = right_hand_side(assembly, r);
    VecX x;
    if (has_lu_) {
        apply_inverse(measure_accuracy, b, x);
    } else if (!iterate(b, sigma, x)) {
        return false;
    }
    return take_solution(assembly, x, p);
}

bool JacobianSolver::take_solution(const HessianAssembly& assembly, const VecX& x, VecX& p) {
    assembly.map().expand_step(x, p);
    solved_length_ = norm(x);
    return p.allFinite();
}

bool JacobianSolver::iterate(const VecX& b, double sigma, VecX& x) const {
    x.setZero(b.size());
    const BicgstabResult result = bicgstab(RankOneProduct<GeneralBlockSystem>{jacobian_, rank_one_},
                                           Factor{*preconditioner_}, b, x, {sigma, most_iterations, 5});
    return result.end == BicgstabResult::End::converged;
}

double JacobianSolver::measure_of_solved(const VecX& r, HessianAssembly& assembly) {
    return solver_ == LinearSolver::iterative ? measure(r, assembly) : solved_length_;
}

double JacobianSolver::measure(const VecX& r, HessianAssembly& assembly, double accuracy) {
    VecX b, x;
    assembly.map().restrict_gradient(r, b);
    if (!b.allFinite()) return std::numeric_limits<double>::infinity();
    if (solver_ == LinearSolver::iterative) {
        assembly.newton().apply_factor(b, x);
    } else {
        apply_inverse(accuracy, b, x);
    }
    return x.allFinite() ? norm(x) : std::numeric_limits<double>::infinity();
}

}  // namespace stiction::implicit
