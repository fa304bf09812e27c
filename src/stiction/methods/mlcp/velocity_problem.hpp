// The velocity step without contact: A v = b of one linearisation, and the motion of the vertices at given velocities.
#pragma once

#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include <span>

namespace stiction::mlcp {

/// Nodes are the free vertices of deformable bodies, then two for each rigid body: the velocity of its centre of mass,
/// and its angular velocity. For backward Euler, A = M + h C + h^2 K, b = M v^t + h (f(x) + K (x - x^t)) with K
/// projected to be positive semi-definite (Verschoor and Jalba 2019, equation 4; theirs has x = x^t). K is physics
/// here, so translations are in its null space: A moves a body without forces by its mass alone.
class VelocityProblem {
public:
    /// @param assembly, rounded  scratch that may be kept from step to step; everything is kept by reference
    VelocityProblem(const World& world, const State& state, const StepInput& input, HessianAssembly& assembly,
                    SinglePrecisionRows& rounded);

    /// Linearises at positions x of all vertices (stacked, m). Driven vertices count as at their targets.
    void linearise(const VecX& x);
    /// A (kg) of the last linearisation, equation 4.
    const VelocityMatrix& matrix() const { return matrix_; }
    /// Whether the Hessian of fillings in A is a projected one: the exact one would leave too little inertia.
    bool projects_fillings() const { return fillings_ == FillingMatrix::by_triangles; }
    /// Makes matrix().rounded, once a linearisation.
    void round();
    /// b (kg m/s) of the last linearisation.
    const VecX& rhs() const { return rhs_; }
    /// Norm that residuals are compared with (kg m/s): |b| or the impulse of the external forces, whichever is larger,
    /// but at most a hundred times the change of momentum in the step.
    /// @param least_speed  (m/s): the scale is at least the momentum of all bodies at it, since where all are at rest
    ///                     the others are rounding
    /// @param share        of every body, what it has of this speed; empty: the whole
    double momentum_scale(double least_speed, std::span<const double> share = {}) const;
    /// Of each body the momentum_scale() that it would have alone, or ten times its share of `scale` by mass (norm over
    /// the nodes), whichever is larger. At most a hundred times the change of its momentum in the step or the impulse
    /// of its external forces, whichever is larger; at least its momentum at `least_speed`.
    /// Angular momenta of rigid bodies are left to the norm over all.
    /// @param scale  momentum_scale() (kg m/s)
    std::vector<BodyMomentum> body_momenta(double scale, double least_speed, std::span<const double> share = {}) const;
    /// Sets bodies and groups of a problem, with the scales that each group of bodies would have alone.
    /// @param group  of every body of the world; below `count`
    void measure_groups(std::span<const std::size_t> group, std::size_t count, double least_speed,
                        std::span<const double> share, ContactProblem& problem) const;
    /// Largest entry of velocities of the nodes (m/s, rad/s), that of each body over its share.
    double largest_speed(const VecX& v, std::span<const double> share) const;
    /// Factors A, once after each linearise(). False: A is not positive definite.
    bool factorise();
    /// x = A^-1 r over all nodes; factorise() must have returned true.
    void solve(const VecX& r, VecX& x);

    /// The momentum balance without contact at velocities v, with the elasticity of the positions that v leads to.
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
    /// Velocities of the nodes at the end if they change as fast as in the last step, but by no more than there: a
    /// first guess. Those of rigid bodies, and all in the first step, are as in the state.
    VecX predicted_velocity() const;
    /// Velocities of all vertices at the start (stacked, m/s): those of the state, and of driven vertices those of this
    /// step.
    VecX initial_velocities() const;
    /// Positions of all vertices at the end of the step (m). Driven vertices are at their targets; rigid bodies rotate
    /// without deformation.
    VecX positions(const VecX& v) const;
    /// Velocities of all vertices at the end: displacement over h. A rigid body keeps the angular momentum of its
    /// solution.
    VecX end_velocity(const VecX& v, const VecX& x_end) const;

    /// visit(node, block) for the terms of the displacement of a vertex that are linear in the velocities:
    /// block * v[node] (s). A vertex of a rigid body has a translation, then a rotation; one that hangs in an element
    /// has the nodes that carry it.
    template <class Visit>
    void for_each_displacement_term(Index vertex, const Visit& visit) const;
    /// Displacement of a vertex beyond its linear terms (m): driven motion, and the higher orders of a rotation.
    Vec3 displacement_remainder(Index vertex, const VecX& v, const VecX& x_end) const;
    /// How far the gap of a pair follows its sides where those may move: 1 where all of a side does, 0 where prescribed
    /// motions alone decide the gap, in between where part of a triangle or an edge is driven.
    double lever(const ContactPair& pair) const;
    /// Whether forces can change the gap of a pair by more than rounding.
    bool can_separate(const ContactPair& pair) const { return lever(pair) > 1e-6; }

    /// Whether driven vertices of deformable bodies move in this step.
    bool is_driven() const { return driven_moves_; }
    /// Whether the step may end before h: no vertex is driven to a target, and there are no rigid bodies, whose
    /// vertices do not move on straight lines.
    bool may_be_shortened() const { return driven_move_.isZero(0.0) && world_.rigid_bodies.empty(); }
    double h() const { return input_.h; }

private:
    void assemble(const VecX& x);
    BodyMomentum nodes_of(std::size_t k) const;
    /// Momentum_scale() and mass_norm() of a group of bodies.
    struct GroupScale {
        double momentum = 0.0, mass = 0.0;
    };
    std::vector<BodyMomentum> body_momenta(std::span<const std::size_t> group, std::span<const GroupScale> scales,
                                           double least_speed, std::span<const double> share) const;
    double momentum_norm(double speed, std::span<const double> share) const;
    double mass_norm() const;
    double mass_norm(const Body& body) const;
    Index rigid_node(const Body& body) const { return assembly_.map().node_count() + 2 * body.rigid; }
    /// Block of the translation of a node: h, but for its prescribed coordinates.
    Mat3 translation(Index node) const;
    /// From the centre of its rigid body to a vertex at the start (m), as the matrix of r x.
    Mat3 arm(Index vertex) const;
    /// How a vertex follows where all nodes move at the same velocity, rigid bodies without a turn (s).
    Mat3 followed_translation(Index vertex) const;
    VecX external_impulse() const;
    VecX momentum_change() const;
    VecX missing_move(const VecX& moved) const;
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
    VecX driven_move_;              ///< displacement of driven coordinates in the step (stacked, m)
    bool driven_moves_ = false;     ///< whether a driven vertex of a deformable body moves
    VelocityMatrix matrix_;
    SinglePrecisionRows& rounded_;  ///< of matrix_.elastic
    VecX rhs_;
    bool factorised_ = false;
    FillingMatrix fillings_ = FillingMatrix::exact;  ///< in A of the last linearisation
};

template <class Visit>
void VelocityProblem::for_each_displacement_term(Index vertex, const Visit& visit) const {
    if (world_.is_rigid(vertex)) {
        const Index node = rigid_node(world_.body_at(vertex));
        visit(node, Mat3(input_.h * Mat3::Identity()));
        visit(node + 1, Mat3(-input_.h * arm(vertex)));
        return;
    }
    for (const DofMap::Entry& entry : assembly_.map().entries(vertex))
        visit(entry.node, Mat3(entry.weight * translation(entry.node)));
}

}  // namespace stiction::mlcp
