// The constant matrix of the global step, factored, for one step size and one set of driven vertices.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/objective.hpp"
#include "stiction/methods/local_global/options.hpp"

#include <memory>
#include <string>

namespace stiction::local_global {

/// A = M + h C + h^2 (B + sum w G^T G) over the vertices that are not driven. It acts on each coordinate alike, so it
/// is a scalar matrix for three right-hand sides.
class GlobalSystem {
public:
    /// Throws NotPositiveDefinite.
    GlobalSystem(const World& world, const ElementArrays& elements, const Objective& objective, const Options& options,
                 double h, const std::vector<std::uint8_t>& driven_axes);

    /// Whether it belongs to this step size (s) and these driven vertices.
    bool fits(double h, const std::vector<std::uint8_t>& driven_axes) const {
        return h == h_ && driven_axes == driven_axes_;
    }
    /// Step size (s).
    double step() const { return h_; }
    /// The vertex of each unknown, ascending.
    const std::vector<Index>& unknowns() const { return unknowns_; }
    /// The unknown of a vertex; -1 for driven ones.
    Index unknown_of(Index vertex) const { return unknown_of_[static_cast<std::size_t>(vertex)]; }
    /// Differs between any two systems that are alive.
    const std::shared_ptr<const char>& identity() const { return identity_; }
    const Eigen::SparseMatrix<double>& matrix() const { return matrix_; }
    const FactoredOperator& inverse() const { return *inverse_; }
    /// A note for the report if a file of the operator cache could not be used or written; else "".
    const std::string& note() const { return note_; }
    /// Lumped mass of each unknown (kg).
    const std::vector<double>& masses() const { return masses_; }

    /// out = -A^-1 r, stacked over the unknowns.
    void solve_negative(const VecX& r, VecX& out) const;
    /// One Jacobi iteration, out = -gamma D^-1 r, with the diagonal D of A. gamma = 2 / (largest + smallest eigenvalue
    /// of D^-1 A) has the fastest convergence. Only for an incomplete global step.
    void jacobi_negative(const VecX& r, VecX& out) const;
    /// Spectral radius of the iteration matrix 1 - gamma D^-1 A.
    double jacobi_radius() const { return jacobi_radius_; }

private:
    void assemble(const World& world, const ElementArrays& elements, const Objective& objective);
    void measure_jacobi(double relaxation);

    std::shared_ptr<const char> identity_ = std::make_shared<const char>('\0');
    double h_;
    std::vector<std::uint8_t> driven_axes_;
    std::vector<Index> unknowns_, unknown_of_;
    Eigen::SparseMatrix<double> matrix_;
    std::unique_ptr<FactoredOperator> inverse_;
    std::string note_;
    std::vector<double> masses_;
    VecX jacobi_;  ///< gamma D^-1
    double jacobi_radius_ = 0.0;
};

}  // namespace stiction::local_global
