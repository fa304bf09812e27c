// The constant matrix of the global step, factored, for one step size and one set of driven vertices.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/contact/inverse_modes.hpp"
#include "stiction/methods/local_global/objective.hpp"
#include "stiction/methods/local_global/options.hpp"

#include <memory>
#include <string>

namespace stiction::local_global {

/// A = M + h C + h^2 (B + sum w G^T G) over the vertices that are neither driven nor embedded in others. It acts on
/// each coordinate alike, so it is a scalar matrix for three right-hand sides.
class GlobalSystem {
public:
    /// Throws NotPositiveDefinite.
    /// @param world  its embedded vertices are kept by pointer
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
    /// The unknown of a vertex; -1 for driven and embedded ones.
    Index unknown_of(Index vertex) const { return unknown_of_[static_cast<std::size_t>(vertex)]; }
    /// What carries an embedded vertex; null for all others.
    const EmbeddedVertex* embedded(Index vertex) const {
        return embedded_.empty() ? nullptr : embedded_[static_cast<std::size_t>(vertex)];
    }
    /// Whether unknowns move a vertex.
    bool moves(Index vertex) const;
    /// Differs between any two systems that are alive.
    const std::shared_ptr<const char>& identity() const { return identity_; }
    const Eigen::SparseMatrix<double>& matrix() const { return matrix_; }
    const FactoredOperator& inverse() const { return *inverse_; }
    /// A note for the report if a file of the operator cache could not be used or written; else "".
    const std::string& note() const { return note_; }
    /// One axis each: the coordinates along it that are driven while others of their vertex are free; null where there
    /// are none.
    const std::array<InverseModes::DrivenCoordinates, 3>* driven_coordinates() const {
        return driven_.empty() ? nullptr : driven_.data();
    }
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
    void hold_driven_coordinates();
    void assemble(const World& world, const ElementArrays& elements, const Objective& objective);
    void measure_jacobi(double relaxation);

    std::shared_ptr<const char> identity_ = std::make_shared<const char>('\0');
    double h_;
    std::vector<std::uint8_t> driven_axes_;
    std::vector<Index> unknowns_, unknown_of_;
    std::vector<const EmbeddedVertex*> embedded_;  ///< of each vertex; empty where none is embedded
    Eigen::SparseMatrix<double> matrix_;
    std::unique_ptr<FactoredOperator> inverse_;
    std::string note_;
    std::vector<std::array<InverseModes::DrivenCoordinates, 3>> driven_;  ///< one or none
    std::vector<double> masses_;
    VecX jacobi_;  ///< gamma D^-1
    double jacobi_radius_ = 0.0;
};

}  // namespace stiction::local_global
