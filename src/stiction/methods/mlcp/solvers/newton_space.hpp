// The unknowns over which Newton's method minimises the augmented Lagrangian: velocities, or forces of few contacts.
#pragma once

#include "stiction/methods/mlcp/solvers/penalised_system.hpp"
#include "stiction/methods/mlcp/solvers/solver_task.hpp"

#include <functional>
#include <span>

namespace stiction::mlcp {

/// A place, and a direction from it, as far as contacts see them. The gradient of the augmented Lagrangian is
/// w - L^T f with w = A v - b and the forces f at u = L v - c.
class NewtonSpace {
public:
    virtual ~NewtonSpace() = default;
    NewtonSpace(const NewtonSpace&) = delete;
    NewtonSpace& operator=(const NewtonSpace&) = delete;

    /// Shows the place of velocities v, without going there: begin() has to follow.
    void look_at(const VecX& v);
    /// Begins at velocities v, or at those that the forces lead to.
    virtual void begin(const VecX& v, const VecX& forces) = 0;
    /// Computes u and w from the unknowns, without the rounding of the updates. The direction is zero then.
    virtual void refresh() = 0;
    /// The Newton direction of the Hessian A + L^T D L.
    /// @param stiffness  D, a symmetric positive semidefinite block a contact (N/m)
    /// @param gradient   w - L^T f of the forces f
    /// @return false: there is no direction
    virtual bool find_direction(std::span<const Mat3> stiffness, const VecX& gradient, const VecX& forces) = 0;
    /// Derivative along the direction at a part t of it, where the gradient and the forces are these.
    virtual double slope(double t, const VecX& gradient, const VecX& forces) const = 0;
    /// Goes a part t of the direction.
    virtual void advance(double t) = 0;
    virtual VecX velocity() = 0;
    /// Solves Coulomb's law with mu |u_t| as an unknown, from forces y on. They stay as they are where that does not
    /// succeed.
    /// @param tolerance  of a contact (m), which has its share of it
    /// @param rounds     sweeps over the contacts, as many as there are contacts, and Newton's method again, at most so
    ///                   often where Newton's method fails
    /// @param may_go_on  asked before every factorisation, and before as many sweeps as there are contacts, which take
    ///                   as long
    virtual void solve_law(double /*tolerance*/, int /*rounds*/, const std::function<bool()>& /*may_go_on*/,
                           VecX& /*y*/) const {}

    const VecX& motion() const { return u_; }     ///< u, 3 entries a contact (m)
    const VecX& imbalance() const { return w_; }  ///< w, over the nodes (kg m/s)
    const VecX& motion_step() const { return du_; }
    const VecX& imbalance_step() const { return dw_; }

protected:
    explicit NewtonSpace(const ContactProblem& problem) : problem_(problem) {}
    void clear_direction();

    const ContactProblem& problem_;
    VecX u_, w_, du_, dw_;
};

/// Unknowns v. A direction takes a Cholesky factor of A + L^T D L.
class VelocitySpace final : public NewtonSpace {
public:
    /// @param problem  kept by reference
    explicit VelocitySpace(const ContactProblem& problem);
    void begin(const VecX& v, const VecX& forces) override;
    void refresh() override;
    bool find_direction(std::span<const Mat3> stiffness, const VecX& gradient, const VecX& forces) override;
    double slope(double t, const VecX& gradient, const VecX& forces) const override;
    void advance(double t) override;
    VecX velocity() override { return v_; }

private:
    PenalisedSystem system_;
    VecX v_, step_;
};

/// Unknowns y with v = A^-1 (b + L^T y), so that w = L^T y. The Newton step of v is A^-1 L^T dy with
/// (1 + D W) dy = f - y and W = L A^-1 L^T. A direction takes a dense factor of the size of W.
class ForceSpace final : public NewtonSpace {
public:
    /// @param task  kept by reference; its responses are those of the problem
    explicit ForceSpace(const SolverTask& task);
    void begin(const VecX& v, const VecX& forces) override;
    void refresh() override;
    bool find_direction(std::span<const Mat3> stiffness, const VecX& gradient, const VecX& forces) override;
    double slope(double t, const VecX& gradient, const VecX& forces) const override;
    void advance(double t) override;
    VecX velocity() override;
    void solve_law(double tolerance, int rounds, const std::function<bool()>& may_go_on, VecX& y) const override;

private:
    const SolverTask& task_;
    VecX free_motion_;  ///< L A^-1 b - c (m)
    VecX y_, dy_;
};

/// L v - c of all contacts (m).
VecX relative_motions(const ContactProblem& problem, const VecX& v);

}  // namespace stiction::mlcp
