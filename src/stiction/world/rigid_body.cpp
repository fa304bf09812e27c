#include "stiction/world/rigid_body.hpp"

#include "stiction/base/error.hpp"
#include "stiction/math/svd3.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/moments.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/world.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {
namespace {

void check_tets(const std::string& name, const Mesh& mesh) {
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const double volume = signed_volume(mesh, mesh.tets[t]);
        if (volume > 0.0) continue;
        throw InputError(name, fmt::format("tet {}", t), fmt::format("volume {:.6g} m^3", volume), "a positive volume");
    }
}

void check_closed(const std::string& name, const Mesh& mesh) {
    if (mesh.triangles.empty())
        throw InputError(name, "mesh", "neither tets nor triangles",
                         "tets, or the triangles of a closed surface, for a rigid body");
    const auto defect = first_edge_defect(mesh.triangles, ClosedBy::balance);
    if (!defect) return;
    throw InputError(
        name, fmt::format("edge ({}, {})", defect->edge[0], defect->edge[1]),
        fmt::format("{} triangles along it in one direction and {} in the other", defect->forward, defect->backward),
        "a closed surface with neighbouring triangles that agree about its outer side, for a rigid body");
}

Vec3 at(const VecX& stacked, Index vertex) {
    return stacked.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

template <class Visit>
void for_each_vertex(const RigidBody& body, const Visit& visit) {
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count; ++v) visit(v);
}

/// Of the body's vertices, weighted with their masses.
Vec3 mean(const World& world, const RigidBody& body, const VecX& stacked) {
    Vec3 sum = Vec3::Zero();
    for_each_vertex(body, [&](Index v) { sum += world.mass[v] * at(stacked, v); });
    return sum / body.mass;
}

/// Weights proportional to exp(tilt . d) of points d. Their mean is the gradient of log sum exp(tilt . d), which is
/// convex; their covariance is its Hessian.
struct TiltedWeights {
    Vec3 tilt;
    std::vector<double> weights;  ///< sum 1
    double potential = 0.0;
    Vec3 mean = Vec3::Zero();
    Mat3 covariance = Mat3::Zero();
};

TiltedWeights tilted_weights(const std::vector<Vec3>& points, const Vec3& tilt) {
    TiltedWeights result{tilt, std::vector<double>(points.size())};
    double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const Vec3& d : points) largest = std::max(largest, tilt.dot(d));
    for (std::size_t k = 0; k < points.size(); ++k) sum += result.weights[k] = std::exp(tilt.dot(points[k]) - largest);
    for (double& weight : result.weights) weight /= sum;
    result.potential = largest + std::log(sum);
    for (std::size_t k = 0; k < points.size(); ++k) result.mean += result.weights[k] * points[k];
    for (std::size_t k = 0; k < points.size(); ++k)
        result.covariance += result.weights[k] * (points[k] - result.mean) * (points[k] - result.mean).transpose();
    return result;
}

}  // namespace

RigidBody rigid_body_of(const std::string& name, const Mesh& mesh, double density) {
    if (!(std::isfinite(density) && density > 0.0))
        throw InputError(name, "density", fmt::format("{} kg/m^3", density), "a positive number");
    const bool solid = !mesh.tets.empty();
    solid ? check_tets(name, mesh) : check_closed(name, mesh);
    const VolumeMoments moments =
        solid ? moments_of_tets(mesh.vertices, mesh.tets) : moments_of_surface(mesh.vertices, mesh.triangles);
    if (!(moments.volume > 0.0)) {
        throw InputError(name, "mesh", fmt::format("a surface that encloses {:.6g} m^3", moments.volume),
                         "triangles that face outwards and enclose a volume, for a rigid body");
    }
    // Parts that overlap or are inside out can add up to what no solid has.
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(moments.second, Eigen::EigenvaluesOnly);
    if (!(axes.eigenvalues()[0] > 1e-12 * axes.eigenvalues()[2])) {
        throw InputError(name, "mesh",
                         fmt::format("principal second moments from {:.6g} to {:.6g} m^5", axes.eigenvalues()[0],
                                     axes.eigenvalues()[2]),
                         "a solid with an extent in every direction");
    }
    RigidBody body;
    body.vertex_count = static_cast<Index>(mesh.vertices.size());
    body.density = density;
    body.volume = moments.volume;
    body.mass = density * moments.volume;
    body.centre = moments.centroid;
    body.covariance = density * moments.second;
    return body;
}

std::vector<double> vertex_masses(const std::string& name, const std::vector<Vec3>& vertices, double mass,
                                  const Vec3& centre) {
    std::vector<Vec3> offsets;
    double size = 0.0;
    for (const Vec3& vertex : vertices) size = std::max(size, (vertex - centre).norm());
    for (const Vec3& vertex : vertices) offsets.push_back((vertex - centre) / size);
    const auto converged = [](const TiltedWeights& at) { return at.mean.norm() <= 1e-15; };
    TiltedWeights best = tilted_weights(offsets, Vec3::Zero());
    for (int iteration = 0; iteration < 100 && !converged(best); ++iteration) {
        const Vec3 step = -best.covariance.ldlt().solve(best.mean);
        double alpha = 1.0;
        TiltedWeights trial = tilted_weights(offsets, best.tilt + step);
        // Far from the minimum the potential has to fall; near it rounding hides that, and the mean is what shrinks.
        while (!(trial.potential <= best.potential + 1e-4 * alpha * best.mean.dot(step) ||
                 trial.mean.norm() < 0.5 * best.mean.norm()) &&
               alpha > 1e-6) {
            alpha *= 0.5;
            trial = tilted_weights(offsets, best.tilt + alpha * step);
        }
        if (!(trial.mean.norm() < best.mean.norm() || trial.potential < best.potential)) break;
        best = std::move(trial);
    }
    if (!(best.mean.norm() < 1e-12)) {
        throw InputError(name, "mesh",
                         fmt::format("a centre of mass at ({:.6g}, {:.6g}, {:.6g})", centre[0], centre[1], centre[2]),
                         "one inside the convex hull of the vertices");
    }
    for (double& weight : best.weights) weight *= mass;
    return best.weights;
}

RigidPose rigid_pose(const World& world, const RigidBody& body, const VecX& x) {
    RigidPose pose;
    pose.centre = mean(world, body, x);
    Mat3 correlation = Mat3::Zero();
    for_each_vertex(body, [&](Index v) {
        correlation +=
            world.mass[v] * (at(x, v) - pose.centre) * (at(world.initial_positions, v) - body.centre).transpose();
    });
    pose.rotation = polar_rotation(correlation);
    return pose;
}

RigidVelocity rigid_velocity(const World& world, const RigidBody& body, const VecX& x, const VecX& v) {
    RigidVelocity velocity;
    const Vec3 centre = mean(world, body, x);
    velocity.linear = mean(world, body, v);
    Vec3 moment = Vec3::Zero();
    Mat3 covariance = Mat3::Zero();
    for_each_vertex(body, [&](Index i) {
        const Vec3 r = at(x, i) - centre;
        moment += world.mass[i] * r.cross(at(v, i) - velocity.linear);
        covariance += world.mass[i] * r * r.transpose();
    });
    velocity.angular = inertia_tensor(covariance).ldlt().solve(moment);
    return velocity;
}

Mat3 inertia_tensor(const RigidBody& body, const RigidPose& pose) {
    return inertia_tensor(Mat3(pose.rotation * body.covariance * pose.rotation.transpose()));
}

RigidMomentum rigid_momentum(const RigidBody& body, const RigidPose& pose, const RigidVelocity& velocity) {
    return {body.mass * velocity.linear, inertia_tensor(body, pose) * velocity.angular};
}

void place_rigid(const World& world, const RigidBody& body, const RigidPose& pose, VecX& x) {
    for_each_vertex(body, [&](Index v) {
        x.segment<3>(3 * v) = pose.centre + pose.rotation * (at(world.initial_positions, v) - body.centre);
    });
}

void set_rigid_velocity(const World& world, const RigidBody& body, const RigidPose& pose, const RigidVelocity& velocity,
                        VecX& v) {
    for_each_vertex(body, [&](Index i) {
        v.segment<3>(3 * i) =
            velocity.linear + velocity.angular.cross(pose.rotation * (at(world.initial_positions, i) - body.centre));
    });
}

}  // namespace stiction
