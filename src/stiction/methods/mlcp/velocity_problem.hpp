// The velocity step without contact: A v = b of one linearisation, and what velocities of its nodes do to the vertices.
#pragma once

#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include <array>

namespace stiction::mlcp {

/// Nodes are the free vertices of deformable bodies, then two a rigid body: velocity of its centre of mass and angular
/// velocity. For backward Euler, A = M + h C + h^2 K, b = M v^t + h (f(x) + K (x - x^t)) with K projected to be
/// positive semi-definite (Verschoor and Jalba 2019, equation 4; theirs has x = x^t).
class VelocityProblem {
public:
    /// @param assembly  scratch that may be kept from step to step; everything is kept by reference
    VelocityProblem(const World& world, const State& state, const StepInput& input, HessianAssembly& assembly);

    /// Linearises at positions x, stacked, all vertices; driven ones count as where the step leaves them.
    void linearise(const VecX& x);
    /// A (kg) of the last linearisation, equation 4.
    const VelocityMatrix& matrix() const { return matrix_; }
    /// b (kg m/s) of it.
    const VecX& rhs() const { return rhs_; }
    /// What residuals are small against (kg m/s): |b| or what the external forces do in the step, but at most a hundred
    /// times what changes in it.
    double momentum_scale() const;
    /// x = A^-1 r with a factor that is made at the first call after linearise(). Throws nothing: false when A is not
    /// positive definite.
    bool factorise();
    /// Over all nodes; factorise() has to have said true.
    void solve(const VecX& r, VecX& x);

    /// The motion without contact at velocities v, elasticity as it is where they lead.
    struct Balance {
        VecX v;
        VecX x;  ///< m: positions(v), rigid vertices where they start
        PotentialValues values;
        VecX gradient;           ///< kg m/s: A v - b of a linearisation at positions(v)
        double force_sum = 0.0;  ///< kg m: see IncrementalPotential::difference
    };
    /// At velocities v of the nodes.
    Balance balance(const VecX& v) const;
    /// Change of the energy (J) whose gradient in v is Balance::gradient; infinite where the second has none.
    EnergyDifference energy_difference(const Balance& from, const Balance& to) const;

    /// Velocities of the nodes in the state.
    VecX start_velocity() const;
    /// Velocities of all vertices as the step begins: the state's, and of what is driven those it has in this step
    /// (stacked, m/s).
    VecX initial_velocities() const;
    /// Where velocities of the nodes take all vertices (m): driven ones to their targets, rigid ones turned without
    /// being deformed.
    VecX positions(const VecX& v) const;
    /// The state's velocities at the end: what moved the vertices; a rigid body keeps the angular momentum that its
    /// rotation was solved with.
    VecX end_velocity(const VecX& v, const VecX& x_end) const;

    /// Displacement of a vertex, linear in the velocities: sum of block * v[node] (s).
    struct Part {
        Index node = -1;
        Mat3 block;
    };
    /// Two parts, node -1 = unused.
    std::array<Part, 2> parts(Index vertex) const;
    /// What of the displacement positions(v) of a vertex its parts leave out (m): driven motion, and what a rotation
    /// does beyond first order.
    Vec3 remainder(Index vertex, const VecX& v, const VecX& x_end) const;

    /// Whether driven vertices of deformable bodies move in this step.
    bool is_driven() const { return driven_moves_; }
    /// Whether a part of the step is a step too: nothing is driven to a target, and no rigid body turns, whose vertices
    /// do not go on straight lines.
    bool may_be_shortened() const { return driven_move_.isZero(0.0) && world_.rigid_bodies.empty(); }
    double h() const { return input_.h; }

private:
    Index rigid_node(const Body& body) const { return assembly_.map().node_count() + 2 * body.rigid; }
    /// (A u) at the free vertices for a displacement u of the driven ones, at positions x.
    VecX driven_coupling(const VecX& x, const VecX& u) const;

    const World& world_;
    const State& state_;
    const StepInput& input_;
    HessianAssembly& assembly_;
    Stage stage_;
    IncrementalPotential potential_;
    std::vector<RigidPose> poses_;  ///< at the start
    std::vector<Mat3> inertia_;     ///< world frame, at the start (kg m^2)
    VecX driven_move_;              ///< stacked: what driven coordinates move in the step
    bool driven_moves_ = false;     ///< whether a driven vertex of a deformable body does
    VelocityMatrix matrix_;
    VecX rhs_;
    bool factorised_ = false;
};

}  // namespace stiction::mlcp
