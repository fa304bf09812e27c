#include "stiction/methods/mlcp/velocity_problem.hpp"

#include "stiction/dynamics/inertia_term.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/tet10_elasticity.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <limits>

namespace stiction::mlcp {
namespace {

/// Vertices of rigid bodies have no nodes of their own. Those of collision meshes hang on the nodes of their elements.
DofMap soft_map(const World& world, const StepInput& input) {
    std::vector<std::uint8_t> axes = input.driven_axes;
    for (const RigidBody& body : world.rigid_bodies) {
        std::fill_n(axes.begin() + body.first_vertex, body.vertex_count, std::uint8_t{7});
    }
    return DofMap(axes, world.carried);
}

/// Of the inertia in A as much may be lost to a filling that pushes its walls apart. Beyond that what is left in b
/// would be multiplied.
constexpr double most_lost_inertia = 0.25;

Mat3 cross_matrix(const Vec3& r) {
    Mat3 m;
    m << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
    return m;
}

Mat3 rotation_of(const Vec3& turn) {
    const double angle = turn.norm();
    return angle > 0.0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix() : Mat3(Mat3::Identity());
}

}  // namespace

VelocityProblem::VelocityProblem(const World& world, const State& state, const StepInput& input,
                                 HessianAssembly& assembly, SinglePrecisionRows& rounded)
    : world_(world),
      state_(state),
      input_(input),
      assembly_(assembly),
      stage_{1.0, input.h, state.x, state.v},
      potential_(world, stage_, input.external_force, state.x, input.overpressure),
      driven_move_(VecX::Zero(state.x.size())),
      rounded_(rounded) {
    assembly_.begin(soft_map(world, input));
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const auto at = 3 * static_cast<Eigen::Index>(v);
        for (int axis = 0; axis < 3; ++axis) {
            if (!(input.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)) continue;
            driven_move_[at + axis] = input.target[at + axis] - state.x[at + axis];
            driven_moves_ = driven_moves_ || (driven_move_[at + axis] != 0.0 && !world.is_obstacle(v));
        }
    }
    carry(world.carried, driven_move_);
    for (const RigidBody& body : world.rigid_bodies) {
        poses_.push_back(rigid_pose(world, body, state.x));
        inertia_.push_back(inertia_tensor(body, poses_.back()));
    }
}

void VelocityProblem::linearise(const VecX& x) {
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(assembly_.map().node_count());
    assemble(x);
    factorised_ = false;
    matrix_.rounded = nullptr;
    matrix_.elastic = &assembly_.system();
    matrix_.rank_one = &assembly_.newton().rank_one();
    matrix_.rigid.clear();
    rhs_.setZero(soft + 6 * static_cast<Eigen::Index>(world_.rigid_bodies.size()));

    // A h v = A (x - x^t) - gradient(x), where driven vertices contribute their displacement of this step.
    const VecX moved = x - state_.x;
    VecX right = -potential_.gradient(x), node_right, node_moved, product;
    if (driven_moves_) right -= driven_coupling(x, missing_move(moved));
    assembly_.map().restrict_gradient(right, node_right);
    assembly_.map().pick_nodes(moved, node_moved);
    if (soft > 0) {
        assembly_.system().multiply(node_moved, product);
        assembly_.newton().rank_one().add_product(node_moved, product);
        rhs_.head(soft) = (node_right + product) / input_.h;
    }
    for (std::size_t k = 0; k < world_.rigid_bodies.size(); ++k) {
        const RigidBody& body = world_.rigid_bodies[k];
        const RigidVelocity velocity = rigid_velocity(world_, body, state_.x, state_.v);
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count; ++v) {
            const Vec3 f = input_.external_force.segment<3>(3 * v);
            force += f;
            torque += (state_.x.segment<3>(3 * v) - poses_[k].centre).cross(f);
        }
        matrix_.rigid.push_back(body.mass * Mat3::Identity());
        matrix_.rigid.push_back(inertia_[k]);
        const auto at = soft + 6 * static_cast<Eigen::Index>(k);
        rhs_.segment<3>(at) = body.mass * velocity.linear + input_.h * force;
        rhs_.segment<3>(at + 3) = inertia_[k] * velocity.angular + input_.h * torque;
    }
}

/// With the exact d2V/dx2 of fillings, which leaves translations and, where the walls balance the pressure, rotations
/// of the whole as they are. Where A would be indefinite with it, or nearly so, with the one that is projected triangle
/// by triangle, which still leaves translations.
void VelocityProblem::assemble(const VecX& x) {
    fillings_ = FillingMatrix::exact;
    if (!potential_.has_fillings()) {
        potential_.assemble(x, true, assembly_);
        return;
    }
    potential_.assemble_invariant(x, FillingMatrix::exact, -(1.0 - most_lost_inertia), assembly_);
    if (assembly_.map().node_count() > 0 && !assembly_.newton().factorize()) fillings_ = FillingMatrix::by_triangles;
    potential_.assemble_invariant(x, fillings_, 0.0, assembly_);
}

/// What driven coordinates have to move beyond `moved`; 0 for the others.
VecX VelocityProblem::missing_move(const VecX& moved) const {
    VecX result = VecX::Zero(moved.size());
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (input_.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)
                result[3 * v + axis] = driven_move_[3 * v + axis] - moved[3 * v + axis];
        }
    }
    carry(world_.carried, result);
    return result;
}

VecX VelocityProblem::driven_coupling(const VecX& x, const VecX& u) const {
    VecX result = VecX::Zero(x.size());
    const auto add = [&]<int N>(QuadraticForms<N> forms, const NodeGather<N>& gather) {
        std::vector<typename QuadraticForms<N>::ElementVector> local;
        forms.gradients(u, local);
        gather.add(local, result);
    };
    world_.for_each_tet_group([&](const auto& group) {
        decltype(group.consistent_mass) forms{group.elements.vertices, {}};
        element_hessians(group.elements, x, true, forms.matrices);
        add(std::move(forms), group.gather);
    });
    for (const SheetGroup& group : world_.sheets) {
        QuadraticElements forms{group.stencils, {}};
        sheet_hessians(group.elements, x, true, forms.matrices);
        add(std::move(forms), group.gather);
    }
    result *= input_.h * input_.h;
    potential_.add_filling_product(x, fillings_, u, result);
    // Inertia and damping are quadratic: the difference of their gradients is their product with u.
    const InertiaTerm inertia(world_, stage_, input_.external_force, state_.x);
    VecX at_start = VecX::Zero(x.size());
    inertia.add_gradient(state_.x + u, result);
    inertia.add_gradient(state_.x, at_start);
    return result - at_start;
}

VelocityProblem::Balance VelocityProblem::balance(const VecX& v) const {
    Balance result;
    result.v = v;
    result.x = positions(v);
    for (const RigidBody& body : world_.rigid_bodies) {
        // The energy of a rigid body is in matrix_ and rhs_; its vertices stay in place in all energies compared here.
        result.x.segment(3 * body.first_vertex, 3 * body.vertex_count) =
            state_.x.segment(3 * body.first_vertex, 3 * body.vertex_count);
    }
    result.values = potential_.values(result.x);
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(assembly_.map().node_count());
    VecX part;
    assembly_.map().restrict_gradient(potential_.gradient(result.x, &result.force_sum), part);
    result.gradient.resize(v.size());
    result.gradient.head(soft) = part / input_.h;
    for (std::size_t i = 0; i < matrix_.rigid.size(); ++i) {
        const auto at = soft + 3 * static_cast<Eigen::Index>(i);
        result.gradient.segment<3>(at) = matrix_.rigid[i] * v.segment<3>(at) - rhs_.segment<3>(at);
    }
    return result;
}

EnergyDifference VelocityProblem::energy_difference(const Balance& from, const Balance& to) const {
    const double per_square = 1.0 / (input_.h * input_.h);
    const EnergyDifference soft = potential_.difference(from.x, from.values, to.x, to.values, from.force_sum);
    EnergyDifference total(per_square * soft.value, per_square * soft.rounding);
    const Eigen::Index behind = to.v.size() - 3 * static_cast<Eigen::Index>(matrix_.rigid.size());
    for (Eigen::Index at = behind; at < to.v.size(); at += 3) {
        // Quadratic: the gradient at the midpoint, times the change.
        const double rigid = 0.5 * (to.v - from.v).segment<3>(at).dot((from.gradient + to.gradient).segment<3>(at));
        total.value += rigid;
        total.rounding += 8.0 * std::numeric_limits<double>::epsilon() * std::abs(rigid);
    }
    return total;
}

void VelocityProblem::round() {
    if (matrix_.rounded != nullptr || matrix_.elastic_nodes() == 0) return;
    rounded_.fill(*matrix_.elastic);
    matrix_.rounded = &rounded_;
}

bool VelocityProblem::factorise() {
    if (!factorised_) factorised_ = assembly_.map().node_count() == 0 || assembly_.newton().factorize();
    return factorised_;
}

void VelocityProblem::solve(const VecX& r, VecX& x) {
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(assembly_.map().node_count());
    x.resize(r.size());
    if (soft > 0) {
        VecX part;
        assembly_.newton().apply_factor(r.head(soft), part);
        x.head(soft) = part;
    }
    for (std::size_t i = 0; i < matrix_.rigid.size(); ++i) {
        const auto at = soft + 3 * static_cast<Eigen::Index>(i);
        x.segment<3>(at) = matrix_.rigid[i].inverse() * r.segment<3>(at);
    }
}

VecX VelocityProblem::initial_velocities() const {
    VecX speeds = state_.v;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        if (input_.is_driven(v)) speeds.segment<3>(3 * v) = driven_move_.segment<3>(3 * v) / input_.h;
    }
    carry(world_.carried, speeds);
    return speeds;
}

VecX VelocityProblem::start_velocity() const {
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(assembly_.map().node_count());
    VecX v = VecX::Zero(soft + 6 * static_cast<Eigen::Index>(world_.rigid_bodies.size())), part;
    assembly_.map().pick_nodes(state_.v, part);
    v.head(soft) = part;
    for (std::size_t k = 0; k < world_.rigid_bodies.size(); ++k) {
        const RigidVelocity velocity = rigid_velocity(world_, world_.rigid_bodies[k], state_.x, state_.v);
        v.segment<3>(soft + 6 * static_cast<Eigen::Index>(k)) = velocity.linear;
        v.segment<3>(soft + 6 * static_cast<Eigen::Index>(k) + 3) = velocity.angular;
    }
    return v;
}

VecX VelocityProblem::positions(const VecX& v) const {
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(assembly_.map().node_count());
    VecX move;
    assembly_.map().expand_step(VecX(input_.h * v.head(soft)), move);
    VecX x = state_.x + move;
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        const std::uint8_t axes = input_.driven_axes[static_cast<std::size_t>(vertex)];
        for (int axis = 0; axis < 3; ++axis) {
            if (axes >> axis & 1) x[3 * vertex + axis] = input_.target[3 * vertex + axis];
        }
    }
    for (const EmbeddedVertex& hung : world_.carried)
        x.segment<3>(3 * hung.vertex) += driven_move_.segment<3>(3 * hung.vertex);
    for (std::size_t k = 0; k < world_.rigid_bodies.size(); ++k) {
        const auto at = soft + 6 * static_cast<Eigen::Index>(k);
        const Vec3 turn = input_.h * v.segment<3>(at + 3);
        const RigidPose pose{poses_[k].centre + input_.h * v.segment<3>(at), rotation_of(turn) * poses_[k].rotation};
        place_rigid(world_, world_.rigid_bodies[k], pose, x);
    }
    return x;
}

VecX VelocityProblem::end_velocity(const VecX& v, const VecX& x_end) const {
    VecX end = (x_end - state_.x) / input_.h;
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(assembly_.map().node_count());
    for (std::size_t k = 0; k < world_.rigid_bodies.size(); ++k) {
        const auto at = soft + 6 * static_cast<Eigen::Index>(k);
        const RigidBody& body = world_.rigid_bodies[k];
        const RigidPose pose = rigid_pose(world_, body, x_end);
        const Vec3 momentum = inertia_[k] * v.segment<3>(at + 3);
        set_rigid_velocity(world_, body, pose, {v.segment<3>(at), inertia_tensor(body, pose).inverse() * momentum},
                           end);
    }
    return end;
}

VecX VelocityProblem::predicted_velocity() const {
    VecX v = start_velocity(), change;
    if (state_.previous_h > 0.0 && state_.previous_v.size() == state_.v.size()) {
        assembly_.map().pick_nodes(state_.v - state_.previous_v, change);
        // After short steps of an impact, its change would be multiplied.
        v.head(change.size()) += std::min(input_.h / state_.previous_h, 1.0) * change;
    }
    return v;
}

Mat3 VelocityProblem::translation(Index node) const {
    Mat3 block = input_.h * Mat3::Identity();
    for (int axis = 0; axis < 3; ++axis) {
        if (assembly_.map().masked_axes(node) >> axis & 1) block(axis, axis) = 0.0;
    }
    return block;
}

Mat3 VelocityProblem::arm(Index vertex) const {
    const auto body = static_cast<std::size_t>(world_.body_at(vertex).rigid);
    return cross_matrix(state_.x.segment<3>(3 * vertex) - poses_[body].centre);
}

Mat3 VelocityProblem::followed_translation(Index vertex) const {
    if (world_.is_rigid(vertex)) return input_.h * Mat3::Identity();
    Mat3 sum = Mat3::Zero();
    for_each_displacement_term(vertex, [&](Index, const Mat3& block) { sum += block; });
    return sum;
}

double VelocityProblem::lever(const ContactPair& pair) const {
    double sum = 0.0;
    for (int i = 0; i < pair.vertex_count(); ++i) {
        const Mat3 block = followed_translation(pair.key.vertices[static_cast<std::size_t>(i)]);
        sum += std::abs(pair.weights[i]) * (pair.normal.transpose() * block).norm() / h();
    }
    return std::min(sum, 1.0);
}

Vec3 VelocityProblem::displacement_remainder(Index vertex, const VecX& v, const VecX& x_end) const {
    if (!world_.is_rigid(vertex)) return driven_move_.segment<3>(3 * vertex);
    Vec3 move = x_end.segment<3>(3 * vertex) - state_.x.segment<3>(3 * vertex);
    for_each_displacement_term(vertex, [&](Index node, const Mat3& block) { move -= block * v.segment<3>(3 * node); });
    return move;
}

}  // namespace stiction::mlcp
