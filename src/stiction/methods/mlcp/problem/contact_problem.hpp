// The frictional contact problem of a step as plain data: a mixed linear complementarity problem.
#pragma once

#include "stiction/linalg/block_system.hpp"
#include "stiction/linalg/low_rank_update.hpp"
#include "stiction/linalg/single_precision_rows.hpp"

#include <boost/container/small_vector.hpp>

#include <vector>

namespace stiction::mlcp {

/// A of A v = b: symmetric positive definite, on nodes of three unknowns. The first nodes are those of a block system
/// and its rank-one terms. The others are the translations and rotations of rigid bodies; A couples them to nothing.
struct VelocityMatrix {
    const BlockSystem* elastic = nullptr;          ///< may be null: no such nodes
    const LowRankUpdate* rank_one = nullptr;       ///< on the nodes of `elastic`; may be null
    std::vector<Mat3> rigid;                       ///< diagonal blocks of the other nodes
    const SinglePrecisionRows* rounded = nullptr;  ///< of `elastic`; null: not made

    Index elastic_nodes() const { return elastic == nullptr ? 0 : elastic->nodes(); }
    Index nodes() const { return elastic_nodes() + static_cast<Index>(rigid.size()); }
    /// y = A x, both of size 3 nodes(); y must not be x.
    void multiply(const VecX& x, VecX& y) const;
    /// The same with the entries of `rounded`, where they are made.
    void multiply_rounded(const VecX& x, VecX& y) const;
    /// Block (node, node), without rank-one terms.
    Mat3 diagonal_block(Index node) const;

private:
    template <class Matrix>
    void multiply_with(const Matrix* soft_part, const VecX& x, VecX& y) const;
};

/// What a contact has of each of its nodes. Without allocation for a vertex of a rigid body (two nodes) and a triangle
/// (three); vertices that hang in elements bring the nodes of those.
template <class T>
using ContactNodes = boost::container::small_vector<T, 5>;

/// One contact. The relative motion of its two sides over the step is u = sum_i jacobian[i] v[nodes[i]] (m). Row 0 is
/// along the normal, positive when the sides separate; rows 1 and 2 are along two orthonormal tangents. With the normal
/// force lambda and the friction gamma that the first side exerts along its slip (Verschoor and Jalba 2019, equations 9
/// and 14; signs as in docs/physics/mlcp.md):
///     0 <= u_n - c_n  perp  lambda >= 0,   |gamma| <= mu lambda,
///     u_t - c_t = 0   or   gamma = mu_k lambda (u_t - c_t) / |u_t - c_t|,   mu_k = kinetic_ratio mu
struct ContactConstraint {
    ContactNodes<Index> nodes;    ///< all different; none where both sides are driven
    ContactNodes<Mat3> jacobian;  ///< one a node (s: metres per m/s)
    Vec3 target = Vec3::Zero();   ///< c = (c_n, c_t) (m)
    double friction = 0.0;        ///< static coefficient mu, >= 0
    double kinetic_ratio = 1.0;   ///< kinetic over static coefficient, in [0, 1]
    /// Compliance of the bodies as wholes (m/N): a part that the diagonal of A does not show where a body is stiff.
    double body_compliance = 0.0;
    double share = 1.0;       ///< of the tolerances of rows, above 0
    double duplicates = 1.0;  ///< >= 1: constraints that repeat this one, itself included (section 3.4.1)

    std::size_t node_count() const { return nodes.size(); }
    /// Adds to the matrix of a node, which may be new.
    void add(Index node, const Mat3& matrix);
};

/// Nodes of one body, and the momentum that errors of its balance are compared with.
struct BodyMomentum {
    Index first_node = 0, node_count = 0;
    double scale = 0.0;            ///< > 0 (kg m/s)
    double change_bound = 0.0;     ///< what `scale` is at most, by the change in the step (kg m/s)
    std::size_t body = 0;          ///< in World::bodies
    std::size_t group = 0;         ///< in ContactProblem::groups
    bool turns = false;            ///< the next node is its rotation
    std::uint8_t driven_axes = 0;  ///< bits of the axes along which vertices are driven: that momentum is not its own
};

/// A v + L^T m = b, and L v = c on the active rows, where m = (-lambda, gamma) of every contact.
struct ContactProblem {
    const VelocityMatrix* matrix = nullptr;
    VecX rhs;  ///< b (kg m/s), size 3 nodes
    std::vector<ContactConstraint> contacts;
    double momentum_scale = 0.0;  ///< scale() of the problem (kg m/s); 0: |b|

    /// Bodies whose momentum has to balance by itself. A light one may be far off where the sum over all is small.
    std::vector<BodyMomentum> bodies;
    /// Scales of the groups of bodies that contacts connect (kg m/s): |r| of each group is compared with its own, so
    /// that no group knows of the others. Empty: scale() is that of all.
    std::vector<double> groups;

    /// Norm that residuals of the momentum balance are compared with (kg m/s).
    double scale() const;
    /// Error of a residual r (kg m/s, over the nodes): |r| over scale() or, where there are groups, that of a group
    /// over its own; or that of a body over its own, whichever is larger. |r| where scale() is zero.
    double momentum_error(const VecX& r) const;
};

/// State of a contact in a solution.
enum class ContactMode : std::uint8_t {
    open,      ///< no force
    sticking,  ///< gamma is an unknown, the slip zero
    sliding,   ///< gamma is given: it has the size mu lambda' and the direction of `direction`
};

/// Mode and multipliers of one contact.
struct ContactUnknowns {
    ContactMode mode = ContactMode::open;
    double normal = 0.0;               ///< lambda (N)
    Vec2 sticking = Vec2::Zero();      ///< gamma (N), an unknown; of a sliding contact its part across `direction`
    Vec2 sliding = Vec2::Zero();       ///< gamma' (N), given, along `direction`; zero unless sliding
    Vec2 direction = Vec2::Zero();     ///< delta, of unit length while sliding; zero before any slip
    double turning_compliance = -1.0;  ///< of the row across the slip of a sliding contact (m/N); negative: no such row
    double last_normal = 0.0;          ///< lambda at the last update of friction (N), for the moving average

    /// Friction along the slip (N).
    Vec2 friction() const { return sticking + sliding; }
};

/// Velocities of the nodes, and modes and multipliers of the contacts.
struct ContactSolution {
    VecX v;  ///< m/s, size 3 nodes
    std::vector<ContactUnknowns> contacts;
};

/// Size that Coulomb's law allows the friction of a contact (N): mu lambda where it sticks, mu_k lambda where it
/// slides; zero where it is open or pulls.
double friction_bound(const ContactConstraint& contact, const ContactUnknowns& unknowns);

/// u - c of a contact at velocities v (m).
Vec3 relative_motion(const ContactConstraint& contact, const VecX& v);

/// Errors of a solution, computed from the problem and the solution alone; those of a contact over its share.
struct ContactErrors {
    double momentum = 0.0;  ///< |b - A v - L^T m| over the problem's scale
    double normal = 0.0;    ///< largest |Fischer-Burmeister function| of (S lambda, u_n - c_n) (m), equation 24
    double sticking = 0.0;  ///< sticking contacts: largest slip, or S (|gamma| - mu lambda) (m)
    double sliding = 0.0;   ///< sliding contacts: largest S |gamma - P(gamma + u_t / S)| (m), where P projects onto the
                            ///< disk of radius mu_k lambda
};

/// The errors of the rows alone; the momentum error is left at zero.
/// @param compliance  S of every contact (m/N): normal, tangent 1, tangent 2
ContactErrors row_errors(const ContactProblem& problem, const ContactSolution& solution,
                         const std::vector<Vec3>& compliance);
/// The same, and the momentum error.
ContactErrors contact_errors(const ContactProblem& problem, const ContactSolution& solution,
                             const std::vector<Vec3>& compliance);

}  // namespace stiction::mlcp
