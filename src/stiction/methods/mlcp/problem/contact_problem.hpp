// The frictional contact problem of one step as plain data: a mixed complementarity problem, whatever it came from.
#pragma once

#include "stiction/linalg/block_system.hpp"
#include "stiction/linalg/low_rank_update.hpp"

#include <array>
#include <vector>

namespace stiction::mlcp {

/// A of A v = b: symmetric positive definite on nodes of three unknowns. The first nodes are those of a block system
/// (with what rank-one terms it has beside it), the others are coupled to nothing: translation and rotation of rigid
/// bodies.
struct VelocityMatrix {
    const BlockSystem* elastic = nullptr;     ///< may be null: no such nodes
    const LowRankUpdate* rank_one = nullptr;  ///< on the nodes of `elastic`; may be null
    std::vector<Mat3> rigid;                  ///< diagonal blocks of the nodes behind

    Index elastic_nodes() const { return elastic == nullptr ? 0 : elastic->nodes(); }
    Index nodes() const { return elastic_nodes() + static_cast<Index>(rigid.size()); }
    /// y = A x, both of size 3 nodes(); y must not be x.
    void multiply(const VecX& x, VecX& y) const;
    /// Block (node, node), without rank-one terms.
    Mat3 diagonal_block(Index node) const;
};

/// One contact: relative motion u = sum_i jacobian[i] v[nodes[i]] of its two sides over the step (m); row 0 along the
/// normal, positive when they part, rows 1 and 2 along two orthonormal tangents. What it asks for, with lambda the
/// normal force and gamma the friction that the first side exerts along its slip (Verschoor and Jalba 2019, equations 9
/// and 14, signs as in docs/physics/mlcp.md):
///     0 <= u_n - c_n  perp  lambda >= 0,     |gamma| <= mu lambda,  u_t - c_t = 0 or gamma = mu_k lambda (u_t - c_t) /
///     |u_t - c_t|, mu_k = mu but for a kinetic ratio
struct ContactConstraint {
    static constexpr int max_nodes = 5;  ///< a vertex of a rigid body, with its two nodes, and the three of a triangle
    int node_count = 0;                  ///< used entries below; 0 where both sides are driven
    std::array<Index, max_nodes> nodes{-1, -1, -1, -1, -1};  ///< all different
    std::array<Mat3, max_nodes> jacobian;                    ///< s: metres per m/s
    Vec3 target = Vec3::Zero();                              ///< c = (c_n, c_t) (m)
    double friction = 0.0;                                   ///< mu >= 0: up to mu lambda it sticks
    double kinetic_ratio = 1.0;                              ///< in [0, 1]: what of mu acts while it slides
    /// What the compliance of the diagonal of A lacks at least (m/N): that of the bodies as wholes, which diagonals of
    /// a stiff body do not show.
    double body_compliance = 0.0;
    double duplicates =
        1.0;  ///< >= 1: how many constraints say about the same as this one, itself included (their section 3.4.1)
};

/// A v + L^T m = b with L v = c on the active rows; m = (-lambda, gamma) a contact.
struct ContactProblem {
    const VelocityMatrix* matrix = nullptr;
    VecX rhs;  ///< b (kg m/s), size 3 nodes
    std::vector<ContactConstraint> contacts;
    double momentum_scale = 0.0;  ///< scale() of the problem (kg m/s); 0: |b|

    /// Norm that residuals of the momentum balance are compared with (kg m/s).
    double scale() const;
};

/// What a contact does in a solution.
enum class ContactMode : std::uint8_t {
    open,      ///< no force
    sticking,  ///< gamma is an unknown, the slip zero
    sliding,   ///< gamma is given: a friction force of size mu lambda' along `direction`
};

/// The unknowns of one contact.
struct ContactUnknowns {
    ContactMode mode = ContactMode::open;
    double normal = 0.0;               ///< lambda (N)
    Vec2 sticking = Vec2::Zero();      ///< gamma (N); of a sliding contact only across `direction`; zero of an open one
    Vec2 sliding = Vec2::Zero();       ///< gamma' (N), along `direction`; zero unless sliding
    Vec2 direction = Vec2::Zero();     ///< delta, of unit length while sliding; zero: no slip seen yet
    double turning_compliance = -1.0;  ///< of the row across the slip of a sliding contact (m/N); negative: it has none
    double last_normal = 0.0;          ///< what the moving average of lambda remembers (N)

    /// Friction along the slip (N).
    Vec2 friction() const { return sticking + sliding; }
};

/// Velocities of the nodes and what every contact does.
struct ContactSolution {
    VecX v;  ///< m/s, size 3 nodes
    std::vector<ContactUnknowns> contacts;
};

/// u - c of a contact at velocities v (m).
Vec3 relative_motion(const ContactConstraint& contact, const VecX& v);

/// How well a solution solves its problem, computed from nothing but the two.
struct ContactErrors {
    double momentum = 0.0;  ///< |b - A v - L^T m| over the problem's scale
    double normal = 0.0;    ///< largest |Fischer-Burmeister function| of (S lambda, u_n - c_n) (m), equation 24
    double sticking = 0.0;  ///< largest of sticking contacts: slip, or what friction has beyond mu lambda, times S (m)
    double sliding = 0.0;   ///< largest of sliding contacts: |gamma - P(gamma + u_t / S)| S, P the projection onto the
                            ///< disk of radius mu lambda (m)
};

/// @param compliance      S of every contact (m/N): normal, tangent 1, tangent 2
ContactErrors contact_errors(const ContactProblem& problem, const ContactSolution& solution,
                             const std::vector<Vec3>& compliance);

}  // namespace stiction::mlcp
