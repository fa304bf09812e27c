#include "stiction/methods/implicit/jacobian_solver.hpp"

#include "stiction/linalg/krylov/bicgstab.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <limits>

namespace stiction {
namespace {

/// BiCGSTAB that needs more than this is slower than an LU.
constexpr int most_iterations = 60;

struct Factor {
    HessianAssembly& assembly;
    void apply(const VecX& r, VecX& z) const { assembly.apply_factor(r, z); }
};

}  // namespace

bool JacobianSolver::precondition(HessianAssembly& assembly) {
    preconditioner_ = &assembly;
    if (assembly.factorize()) return true;
    failure_ = assembly.system().failure();
    return false;
}

void JacobianSolver::take_symmetric(const HessianAssembly& assembly) {
    jacobian_.set_pattern(assembly.system().pattern());
    jacobian_.copy_symmetric(assembly.system());
}

bool JacobianSolver::finish() {
    if (solver_ == LinearSolver::iterative) return true;
    if (jacobian_.factorize()) return true;
    failure_ = jacobian_.failure();
    return false;
}

bool JacobianSolver::solve(const HessianAssembly& assembly, const VecX& r, double sigma, VecX& p) {
    VecX b, x;
    assembly.map().restrict_gradient(r, b);
    b = -b;
    x.setZero(b.size());
    bool solved = false;
    if (solver_ == LinearSolver::iterative) {
        const BicgstabResult result = bicgstab(jacobian_, Factor{*preconditioner_}, b, x, {sigma, most_iterations, 5});
        iterations_ += result.iterations;
        solved = result.end == BicgstabResult::End::converged;
        if (!solved) {
            ++rescues_;
            if (!jacobian_.factorize()) {
                failure_ = jacobian_.failure();
                return false;
            }
        }
    }
    if (!solved) jacobian_.solve(b, x);
    assembly.map().expand_step(x, p);
    return p.allFinite();
}

double JacobianSolver::measure(const VecX& r, HessianAssembly& assembly) {
    VecX b, x;
    assembly.map().restrict_gradient(r, b);
    if (!b.allFinite()) return std::numeric_limits<double>::infinity();
    if (solver_ == LinearSolver::iterative) {
        assembly.apply_factor(b, x);
    } else {
        jacobian_.solve(b, x);
    }
    return x.allFinite() ? norm(x) : std::numeric_limits<double>::infinity();
}

}  // namespace stiction
