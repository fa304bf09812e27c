// Worlds of one implicit surface and some query points, for the tests of implicit surfaces.
#pragma once

#include "stiction/collision/implicit_surface_value.hpp"
#include "stiction/mesh/mesh.hpp"

#include <Eigen/Geometry>

#include <random>
#include <vector>

namespace stiction::implicit_testing {

/// Body 0 is the surface, body 1 the query points.
struct ImplicitScene {
    CollisionSurface surface;
    std::vector<Index> queries;
    std::vector<ImplicitSurfaceOptions> options = std::vector<ImplicitSurfaceOptions>(2);
    VecX x;
    ImplicitSurfaces surfaces;
    ImplicitSearch search;

    ImplicitScene(const Mesh& mesh, const std::vector<Vec3>& points, const ImplicitSurfaceOptions& of_surface = {}) {
        surface.triangles = mesh.triangles;
        const std::size_t n = mesh.vertices.size();
        x.resize(3 * static_cast<Eigen::Index>(n + points.size()));
        for (std::size_t i = 0; i < n + points.size(); ++i) {
            x.segment<3>(3 * static_cast<Eigen::Index>(i)) = i < n ? mesh.vertices[i] : points[i - n];
            surface.body_of_vertex.push_back(i < n ? 0 : 1);
            surface.vertices.push_back(static_cast<Index>(i));
            if (i >= n) queries.push_back(static_cast<Index>(i));
        }
        options[0] = of_surface;
        options[1].enabled = false;
        surfaces = make_implicit_surfaces(surface, options, x);
        search.build(
            surfaces, queries, surface.body_of_vertex, [](Index, Index) { return true; }, x);
    }

    ImplicitScene(const ImplicitScene&) = delete;  // the search points to the surfaces
    ImplicitScene& operator=(const ImplicitScene&) = delete;

    Vec3 at(Index vertex) const { return x.segment<3>(3 * static_cast<Eigen::Index>(vertex)); }
    double radius() const { return surfaces.kernels[0].radius; }
};

inline Vec3 random_direction(std::mt19937& random) {
    std::normal_distribution<double> normal;
    const double a = normal(random), b = normal(random), c = normal(random);
    return Vec3(a, b, c).normalized();
}

/// Positions of a stencil's vertices as one vector, and evaluation there.
struct StencilFunction {
    const ImplicitSurfaces& surfaces;
    ImplicitStencil stencil;

    VecX gather(const VecX& x) const {
        VecX z(3 * static_cast<Eigen::Index>(stencil.vertices.size()));
        for (std::size_t k = 0; k < stencil.vertices.size(); ++k) {
            z.segment<3>(3 * static_cast<Eigen::Index>(k)) =
                x.segment<3>(3 * static_cast<Eigen::Index>(stencil.vertices[k]));
        }
        return z;
    }
    template <class Scalar>
    ImplicitValue<Scalar> evaluate(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& z) const {
        ImplicitValue<Scalar> value;
        const auto position = [&](Index vertex) -> Eigen::Matrix<Scalar, 3, 1> {
            std::size_t k = 0;
            while (stencil.vertices[k] != vertex) ++k;
            return z.template segment<3>(3 * static_cast<Eigen::Index>(k));
        };
        evaluate_implicit<Scalar>(surfaces, stencil, position, value);
        return value;
    }
    double psi(const VecX& z) const { return evaluate<double>(z).psi; }
    VecX gradient(const VecX& z) const { return stacked(evaluate<double>(z).gradient); }
    Eigen::MatrixXd hessian(const VecX& z) const {
        Eigen::MatrixXd hessian;
        implicit_hessian(surfaces, stencil, evaluate<double>(z), hessian);
        return hessian;
    }
    template <class Vector>
    static Eigen::Matrix<typename Vector::Scalar, Eigen::Dynamic, 1> stacked(const std::vector<Vector>& parts) {
        Eigen::Matrix<typename Vector::Scalar, Eigen::Dynamic, 1> all(3 * static_cast<Eigen::Index>(parts.size()));
        for (std::size_t k = 0; k < parts.size(); ++k)
            all.template segment<3>(3 * static_cast<Eigen::Index>(k)) = parts[k];
        return all;
    }
};

inline Vec3 random_vector(std::mt19937& random, double size) {
    std::uniform_real_distribution<double> uniform(-size, size);
    const double a = uniform(random), b = uniform(random), c = uniform(random);
    return {a, b, c};
}

/// A crumpled sheet with query points scattered on both sides: nothing about it is special.
inline ImplicitScene random_scene(std::mt19937& random, const Mesh& sheet, int points,
                                  const ImplicitSurfaceOptions& options = {}) {
    Mesh crumpled = sheet;
    for (Vec3& vertex : crumpled.vertices)
        vertex += random_vector(random, 0.03) + Vec3(0, 0.1 * std::sin(4 * vertex[0]) * std::cos(3 * vertex[2]), 0);
    std::vector<Vec3> queries;
    for (int i = 0; i < points; ++i) queries.push_back(random_vector(random, 0.4).cwiseProduct(Vec3(1, 0.3, 1)));
    return {crumpled, queries, options};
}

}  // namespace stiction::implicit_testing
