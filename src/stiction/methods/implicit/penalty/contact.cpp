#include "stiction/methods/implicit/penalty/contact.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/implicit_surface_value.hpp"
#include "stiction/contact/penalty.hpp"
#include "stiction/dynamics/feasible_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace stiction::implicit {
namespace {

using Dual12 = Dual<double, 12>;

template <class T>
using Vec3T = Eigen::Matrix<T, 3, 1>;

/// Gap, its gradient and the weights of the relative motion, on any scalar.
template <class T, class Positions>
void evaluate(const ImplicitSurfaces& surfaces, const PenaltyContacts& set, const PenaltyContact& contact,
              const Positions& position, ImplicitValue<T>& out) {
    if (contact.stencil >= 0)
        return evaluate_implicit(surfaces, set.stencils[static_cast<std::size_t>(contact.stencil)], position, out);
    const Vec3T<T> normal = contact.normal.template cast<T>();
    out.active = true;
    out.psi = normal.dot(Vec3T<T>(position(contact.vertices[0]) - position(contact.vertices[1])));
    out.gradient = {normal, Vec3T<T>(-normal)};
    out.weights = {T(1.0), T(-1.0)};
}

/// Normal force on the vertex (N) and slip (m) of a contact.
template <class T>
struct Slip {
    T lambda{0.0};        ///< -b'(d) (N)
    T normal_force{0.0};  ///< lambda |d d/dx|
    Vec3T<T> normal = Vec3T<T>::Constant(T(0.0));
    Vec3T<T> slip = Vec3T<T>::Constant(T(0.0));
    T over_slip{0.0};  ///< s(y)/y (1/m)
};

template <class T, class Positions>
Slip<T> slip_of(const PenaltyContact& contact, const PenaltyForce& all, const ImplicitValue<T>& value,
                const Positions& position, const VecX& q_bar) {
    using std::sqrt;
    const PenaltyForce law = all.of_pair(contact.share);
    Slip<T> result;
    result.lambda = penalty_force(value.psi, law.thickness, law.stiffness);
    const T slope = sqrt(value.gradient[0].squaredNorm());
    if (contact.friction == 0.0 || !(slope > T(0.0))) return result;
    result.normal_force = result.lambda * slope;
    result.normal = value.gradient[0] / slope;
    for (std::size_t k = 0; k < contact.vertices.size(); ++k) {
        const Vec3 from = q_bar.segment<3>(3 * contact.vertices[k]);
        result.slip += value.weights[k] * Vec3T<T>(position(contact.vertices[k]) - from.template cast<T>());
    }
    result.slip -= Vec3T<T>(result.normal * result.normal.dot(result.slip));
    const T y = sqrt(result.slip.squaredNorm());
    const double at = plain_value(y);
    result.over_slip = with_derivative(y, law.law.over_slip(at, contact.kinetic_ratio),
                                       law.law.over_slip_derivative(at, contact.kinetic_ratio));
    return result;
}

/// Minus both forces on vertex k.
template <class T>
Vec3T<T> residual_of(const PenaltyContact& contact, const ImplicitValue<T>& value, const Slip<T>& slip, std::size_t k) {
    Vec3T<T> result = -slip.lambda * value.gradient[k];
    if (contact.friction > 0.0)
        result += (contact.friction * slip.normal_force * slip.over_slip * value.weights[k]) * slip.slip;
    return result;
}

/// Place of a vertex in the contact's list: [0] apart, the rest ascending.
std::size_t place_of(const PenaltyContact& contact, Index vertex) {
    if (vertex == contact.vertices[0]) return 0;
    return static_cast<std::size_t>(std::lower_bound(contact.vertices.begin() + 1, contact.vertices.end(), vertex) -
                                    contact.vertices.begin());
}

auto plain_positions(const VecX& x) {
    return [&x](Index vertex) -> Vec3 { return x.segment<3>(3 * static_cast<Eigen::Index>(vertex)); };
}

VecX stacked(const std::vector<Vec3>& vectors) {
    VecX result(3 * static_cast<Eigen::Index>(vectors.size()));
    for (std::size_t k = 0; k < vectors.size(); ++k) result.segment<3>(3 * static_cast<Eigen::Index>(k)) = vectors[k];
    return result;
}

/// The vertex of a stencil, and what is nearest to it of the triangle with the largest share in psi. The vertex is the
/// first feature, also of a pair of points.
ContactPair nearest_pair(const ImplicitSurfaces& surfaces, const ImplicitStencil& stencil,
                         const ImplicitValue<double>& value, const VecX& x) {
    const auto largest = std::max_element(value.terms.begin(), value.terms.end(),
                                          [](const auto& a, const auto& b) { return a.share < b.share; });
    const Index sample = stencil.samples[largest->sample].sample;
    const Triangle& triangle =
        surfaces.triangles[static_cast<std::size_t>(surfaces.samples[static_cast<std::size_t>(sample)].triangle)];
    const std::array<Index, 4> vertices{stencil.vertices[0], triangle[0], triangle[1], triangle[2]};
    Vec3 positions[4], reduced[4];
    gather_stencil(vertices, x, positions);
    const ClosestFeature feature = classify_point_triangle(positions);
    ContactPair pair;
    pair.key.kind = feature.kind;
    for (std::size_t k = 0; k < static_cast<std::size_t>(vertex_count(feature.kind)); ++k) {
        const auto place = static_cast<std::size_t>(feature.local[k]);
        pair.key.vertices[k] = vertices[place];
        reduced[k] = positions[place];
    }
    pair.weights = closest_weights(feature.kind, reduced);
    return pair;
}

/// Columns of the 4 vertices from `first` on of the derivative of residual_of, by one run with dual numbers.
void dual_columns(const ImplicitSurfaces& surfaces, const PenaltyContacts& set, const PenaltyContact& contact,
                  const PenaltyForce& law, const VecX& x, const VecX& q_bar, std::size_t first,
                  ImplicitValue<Dual12>& value, Eigen::MatrixXd& jacobian) {
    const std::size_t columns = 3 * std::min<std::size_t>(4, contact.vertices.size() - first);
    const auto position = [&](Index vertex) {
        Vec3T<Dual12> point = Vec3(x.segment<3>(3 * static_cast<Eigen::Index>(vertex))).cast<Dual12>();
        const std::size_t place = place_of(contact, vertex);
        for (int axis = 0; axis < 3 && place >= first && place < first + 4; ++axis)
            point[axis].tangent[3 * static_cast<int>(place - first) + axis] = 1.0;
        return point;
    };
    evaluate(surfaces, set, contact, position, value);
    const Slip<Dual12> slip = slip_of(contact, law, value, position, q_bar);
    for (std::size_t k = 0; k < contact.vertices.size(); ++k) {
        const Vec3T<Dual12> rows = residual_of(contact, value, slip, k);
        for (int axis = 0; axis < 3; ++axis) {
            jacobian.row(3 * static_cast<Eigen::Index>(k) + axis)
                .segment(3 * static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(columns)) =
                rows[axis].tangent.matrix().head(static_cast<Eigen::Index>(columns)).transpose();
        }
    }
}

}  // namespace

PenaltyDetection::PenaltyDetection(const World& world, const Options& options)
    : world_(world), shares_(world, options), surfaces_(penalty_surfaces(world, options)) {
    search_.build(
        surfaces_, world.surface.vertices, world.body_of_vertex,
        [&](Index a, Index b) { return world.contact_pairs.allowed(a, b); }, world.initial_positions);
}

PenaltyContacts PenaltyDetection::contacts(const VecX& x, double thickness) {
    PenaltyContacts found;
    found.stencils = search_.find(x);
    const std::size_t count = found.stencils.size();
    std::vector<double> gaps(count, std::numeric_limits<double>::infinity());
    parallel_for(count, [&](std::size_t i) {
        ImplicitValue<double> value;
        evaluate_implicit(surfaces_, found.stencils[i], x, value);
        if (value.active) gaps[i] = value.psi;
    });
    for (std::size_t i = 0; i < count; ++i) {
        found.min_gap = std::min(found.min_gap, gaps[i]);
        const ImplicitStencil stencil = found.stencils[i];
        const Index body = world_.body_of_vertex[static_cast<std::size_t>(stencil.vertices[0])];
        const PenaltyShare share = shares_(body, stencil.body);
        if (!(gaps[i] < share.thickness * thickness)) continue;
        found.deepest = std::min(found.deepest, gaps[i] / share.thickness);
        found.contacts.push_back({{stencil.vertices.begin(), stencil.vertices.end()},
                                  static_cast<Index>(i),
                                  Vec3::Zero(),
                                  gaps[i],
                                  world_.friction(body, stencil.body),
                                  world_.friction.kinetic_ratio(body, stencil.body),
                                  share});
    }
    add_half_spaces(x, thickness, found);
    return found;
}

void PenaltyDetection::add_half_spaces(const VecX& x, double thickness, PenaltyContacts& found) const {
    for (const HalfSpace& plane : world_.half_spaces) {
        for (const Index vertex : world_.surface.vertices) {
            const Index body = world_.body_of_vertex[static_cast<std::size_t>(vertex)];
            if (!world_.contact_pairs.allowed(body, plane.body)) continue;
            const double gap = plane.normal.dot(Vec3(x.segment<3>(3 * vertex) - x.segment<3>(3 * plane.origin_vertex)));
            const PenaltyShare share = shares_(body, plane.body);
            const double reach = share.thickness * thickness;
            if (gap < 2.0 * reach) found.min_gap = std::min(found.min_gap, gap);
            if (!(gap < reach)) continue;
            found.deepest = std::min(found.deepest, gap / share.thickness);
            found.contacts.push_back({{vertex, plane.origin_vertex},
                                      -1,
                                      plane.normal,
                                      gap,
                                      world_.friction(body, plane.body),
                                      world_.friction.kinetic_ratio(body, plane.body),
                                      share});
        }
    }
}

void PenaltyDetection::check_start() {
    const PenaltyContacts found = contacts(world_.initial_positions, 0.0);
    const PenaltyContact* deepest = nullptr;
    for (const PenaltyContact& contact : found.contacts) {
        // Half-spaces are for the exact check of the start.
        if (contact.stencil >= 0 && (deepest == nullptr || contact.gap < deepest->gap)) deepest = &contact;
    }
    if (deepest == nullptr) return;
    const std::string& surface =
        world_.bodies[static_cast<std::size_t>(found.stencils[static_cast<std::size_t>(deepest->stencil)].body)].name;
    throw InputError(
        "", "implicit.contact", "\"penalty\"",
        fmt::format("a start outside of the implicit surface of '{}': {} is {:.3g} m inside, behind an open surface or "
                    "within the rounding of an edge (a smaller implicit.implicit_surface_radius_factor rounds less)",
                    surface, describe_stencil(world_, {deepest->vertices[0], -1, -1, -1}), -deepest->gap));
}

double PenaltyDetection::largest_radius() const {
    double largest = 0.0;
    for (const ImplicitKernel& kernel : surfaces_.kernels) largest = std::max(largest, kernel.radius);
    return largest;
}

double PenaltyDetection::reach_bound(const VecX& x, const VecX& p, double share) const {
    const auto bodies = static_cast<Index>(world_.bodies.size());
    std::vector<Box> swept(static_cast<std::size_t>(bodies)), moves(static_cast<std::size_t>(bodies));
    for (const Index vertex : world_.surface.vertices) {
        const auto body = static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(vertex)]);
        const Vec3 from = x.segment<3>(3 * vertex), move = p.segment<3>(3 * vertex);
        swept[body].add(from);
        swept[body].add(Vec3(from + move));
        moves[body].add(move);
    }
    double bound = 1.0;
    for (Index a = 0; a < bodies; ++a) {
        for (Index b = 0; b < bodies; ++b) {
            const double radius = surfaces_.kernels[static_cast<std::size_t>(b)].radius;
            if (a == b || radius == 0.0 || !world_.contact_pairs.allowed(a, b)) continue;
            Box around = swept[static_cast<std::size_t>(b)];
            around.inflate(radius);
            if (!around.overlaps(swept[static_cast<std::size_t>(a)])) continue;
            const Box& one = moves[static_cast<std::size_t>(a)];
            const Box& other = moves[static_cast<std::size_t>(b)];
            const double relative = (one.upper - other.lower).cwiseMax(other.upper - one.lower).norm();
            if (bound * relative > share * radius) bound = share * radius / relative;
        }
    }
    return bound;
}

PenaltyContactForces penalty_forces(const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                                    const PenaltyContact& contact, const PenaltyForce& law, const VecX& x,
                                    const VecX& q_bar) {
    ImplicitValue<double> value;
    const auto position = plain_positions(x);
    evaluate(surfaces, set, contact, position, value);
    const Slip<double> slip = slip_of(contact, law, value, position, q_bar);
    PenaltyContactForces forces{slip.lambda * stacked(value.gradient),
                                VecX::Zero(3 * static_cast<Eigen::Index>(contact.vertices.size()))};
    if (contact.friction == 0.0) return forces;
    const Vec3 force = (-contact.friction * slip.normal_force * slip.over_slip) * slip.slip;
    for (std::size_t k = 0; k < contact.vertices.size(); ++k)
        forces.friction.segment<3>(3 * static_cast<Eigen::Index>(k)) = value.weights[k] * force;
    return forces;
}

ContactForce listed_contact(const World& world, const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                            const PenaltyContact& contact, const PenaltyForce& law, const VecX& x, const VecX& q_bar) {
    ImplicitValue<double> value;
    evaluate(surfaces, set, contact, plain_positions(x), value);
    ContactPair pair =
        contact.stencil >= 0
            ? nearest_pair(surfaces, set.stencils[static_cast<std::size_t>(contact.stencil)], value, x)
            : half_space_pair(contact.vertices[0],
                              HalfSpace{.origin_vertex = contact.vertices[1], .normal = contact.normal}, 0.0);
    pair.normal = value.gradient[0].normalized();
    const PenaltyContactForces forces = penalty_forces(surfaces, set, contact, law, x, q_bar);
    ContactForce result = contact_without_force(world, pair, contact.gap);
    result.contact_force = forces.normal.head<3>();
    result.friction_force = forces.friction.head<3>();
    return result;
}

Vec3 penalty_slip(const ImplicitSurfaces& surfaces, const PenaltyContacts& set, const PenaltyContact& contact,
                  const PenaltyForce& law, const VecX& x, const VecX& q_bar) {
    ImplicitValue<double> value;
    const auto position = plain_positions(x);
    evaluate(surfaces, set, contact, position, value);
    return slip_of(contact, law, value, position, q_bar).slip;
}

Eigen::MatrixXd penalty_jacobian(const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                                 const PenaltyContact& contact, const PenaltyForce& law, const VecX& x,
                                 const VecX& q_bar) {
    const auto size = 3 * static_cast<Eigen::Index>(contact.vertices.size());
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(size, size);
    if (contact.friction > 0.0) {
        ImplicitValue<Dual12> value;
        for (std::size_t first = 0; first < contact.vertices.size(); first += 4)
            dual_columns(surfaces, set, contact, law, x, q_bar, first, value, jacobian);
        return jacobian;
    }
    ImplicitValue<double> value;
    evaluate(surfaces, set, contact, plain_positions(x), value);
    if (contact.stencil >= 0)
        implicit_hessian(surfaces, set.stencils[static_cast<std::size_t>(contact.stencil)], value, jacobian);
    const PenaltyForce own = law.of_pair(contact.share);
    penalty_hessian(penalty(value.psi, own.thickness, own.stiffness), stacked(value.gradient), jacobian);
    return jacobian;
}

Eigen::MatrixXd penalty_stand_in(const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                                 const PenaltyContact& contact, const PenaltyForce& law, const VecX& x,
                                 const VecX& q_bar) {
    ImplicitValue<double> value;
    const auto position = plain_positions(x);
    evaluate(surfaces, set, contact, position, value);
    const VecX gradient = stacked(value.gradient);
    const PenaltyForce own = law.of_pair(contact.share);
    Eigen::MatrixXd result = penalty(value.psi, own.thickness, own.stiffness).second * gradient * gradient.transpose();
    if (contact.friction == 0.0) return result;
    const Slip<double> slip = slip_of(contact, law, value, position, q_bar);
    const Mat3 tangential = (contact.friction * slip.normal_force * slip.over_slip) *
                            (Mat3::Identity() - slip.normal * slip.normal.transpose());
    for (std::size_t a = 0; a < contact.vertices.size(); ++a) {
        for (std::size_t b = 0; b < contact.vertices.size(); ++b) {
            result.block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)) +=
                value.weights[a] * value.weights[b] * tangential;
        }
    }
    return result;
}

}  // namespace stiction::implicit
