// Smooth implicit surfaces over deforming triangles: their samples, and which samples are near which vertices.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/collision/bvh.hpp"
#include "stiction/collision/surface.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace stiction {

/// Parameters of the implicit surface of one body; docs/physics/penalty_contact.md says how to choose them.
struct ImplicitSurfaceOptions {
    bool enabled = true;         ///< false: nothing is tested against this body's surface
    double radius = 0.0;         ///< R (m), > 0; 0: radius_factor times the coverage of the samples at rest
    double radius_factor = 2.5;  ///< R over coverage, > 1, else the function has holes
    double smoothing = 0.1;      ///< t of the kernel, > 0: small follows the triangles, large blends them
    double spacing =
        std::numeric_limits<double>::infinity();  ///< triangles with longer rest edges (m) get several samples
};

/// A point at fixed barycentric coordinates of a triangle; its normal is that of the triangle.
struct SurfaceSample {
    Index triangle = -1;              ///< index into ImplicitSurfaces::triangles
    Vec3 barycentric = Vec3::Zero();  ///< sums to 1
};

/// Radius R (m) and smoothing t of one body's weight function, implicit_weight().
struct ImplicitKernel {
    double radius = 0.0;  ///< 0: the body has no implicit surface
    double smoothing = 0.0;
};

/// The implicit surfaces of all bodies of a world, immutable.
struct ImplicitSurfaces {
    std::vector<Triangle> triangles;     ///< world vertex ids, counter-clockwise seen from outside
    std::vector<SurfaceSample> samples;  ///< in the order of the triangles
    std::vector<Index> body_of_sample;
    std::vector<ImplicitKernel> kernels;  ///< one a body

    /// Position of a sample (m) at the stacked positions x of all vertices.
    Vec3 position(Index sample, const VecX& x) const;
};

/// Samples of all triangles of the surface.
/// @param options  one entry a body
/// @param rest     stacked positions of all vertices (m) that lengths are taken from
/// @throws InputError  naming body and option, when a radius, factor, smoothing or spacing is out of range
ImplicitSurfaces make_implicit_surfaces(const CollisionSurface& surface,
                                        std::span<const ImplicitSurfaceOptions> options, const VecX& rest);

/// The largest distance (m) of a point of a triangle of the body from that triangle's nearest sample; 0 without
/// triangles.
double sample_coverage(const ImplicitSurfaces& surfaces, Index body, const VecX& x);

/// A sample within a stencil.
struct StencilSample {
    Index sample = -1;             ///< index into ImplicitSurfaces::samples
    std::array<Index, 3> local{};  ///< places of its triangle's vertices in ImplicitStencil::vertices
};

/// One vertex against the implicit surface of one body.
struct ImplicitStencil {
    Index body = -1;                         ///< whose surface
    std::span<const Index> vertices;         ///< [0] is the vertex, then those of the samples' triangles, ascending
    std::span<const StencilSample> samples;  ///< ascending
};

/// Stencils ordered by vertex, then by body.
class ImplicitStencils {
public:
    std::size_t size() const { return heads_.size(); }
    ImplicitStencil operator[](std::size_t i) const;
    void clear();

private:
    friend class ImplicitSearch;
    struct Head {
        Index body;
        std::size_t vertices_begin, vertices_end, samples_begin, samples_end;
    };
    void append(const ImplicitStencils& other);

    std::vector<Head> heads_;
    std::vector<Index> vertices_;
    std::vector<StencilSample> samples_;
};

/// Finds the samples around query vertices with a tree over all samples.
class ImplicitSearch {
public:
    /// May a vertex of the first body touch the surface of the second? Need not be symmetric. Never asked about one
    /// body and itself.
    using Filter = std::function<bool(Index vertex_body, Index surface_body)>;

    /// @param surfaces  kept by pointer, must outlive this object (or the next build)
    /// @param vertices  query vertices, ascending
    /// @param body_of_vertex  one entry for every vertex of the world
    /// @param filter    asked once for every pair of bodies, here
    /// @param x         stacked positions of all vertices (m)
    void build(const ImplicitSurfaces& surfaces, std::span<const Index> vertices, std::span<const Index> body_of_vertex,
               const Filter& filter, const VecX& x);

    /// One stencil for every query vertex and allowed body with at least one sample nearer than R + margin; it holds
    /// all those. With a margin the stencils stay complete while no vertex has moved by margin / 2 or more, for samples
    /// beyond R have no weight. The result depends neither on the number of threads nor on earlier calls. Valid until
    /// the next call.
    const ImplicitStencils& find(const VecX& x, double margin = 0.0);

private:
    struct Query {
        Index vertex;
        Index body;
    };
    void refresh(const VecX& x, double margin);
    void find_at(const Query& query, const VecX& x, double margin, ImplicitStencils& found) const;
    void append_stencil(Index vertex, std::span<const std::array<Index, 2>> near, ImplicitStencils& found) const;
    bool allowed(Index vertex_body, Index surface_body) const {
        return allowed_[static_cast<std::size_t>(vertex_body) * bodies_ + static_cast<std::size_t>(surface_body)] != 0;
    }

    const ImplicitSurfaces* surfaces_ = nullptr;
    std::vector<Query> queries_;
    std::size_t bodies_ = 0;
    std::vector<std::uint8_t> allowed_;
    std::vector<Vec3> positions_;  ///< of the samples
    std::vector<Box> boxes_;       ///< around them, grown by R + margin
    Bvh tree_;
    double built_area_ = 0.0;  ///< inner area of the tree right after its build
    ImplicitStencils stencils_;
};

}  // namespace stiction
