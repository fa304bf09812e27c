// A closed region: its volume, and the energy of what fills it.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/materials/volume_law.hpp"

#include <array>
#include <string_view>

namespace stiction {

/// The volume V(x) of a region bounded by triangles, and its derivatives. The triangles are counter-clockwise seen from
/// outside the region; it may have several parts and holes. An immutable value; every function may be called by several
/// threads at once, runs in parallel itself, and gives the same bits for any number of threads.
///
/// x and p are stacked vectors of ALL vertices (3 entries each, m), indexed by global ids. "Zone vectors" hold 3
/// entries for each of vertices(), in that order. Lengths and volumes are measured from a vertex of the same component
/// of the surface, so a region far from the origin loses no more digits than its coordinates have lost already.
class VolumeZone {
public:
    VolumeZone() = default;

    /// The union of tets: V is the sum of their volumes while they keep their combinatorics, inverted ones counting
    /// negative. Only the outer faces are kept, since inner vertices do not change V.
    /// @param rest           rest positions of the body's vertices, m
    /// @param tets           body-local vertex indices, positively oriented
    /// @param vertex_offset  global id of the body's vertex 0
    /// @param source         file or body name for messages
    /// @throws InputError    if there are none, an index is out of range, or their outer faces are not closed or
    /// enclose no
    ///                       positive volume (twice the same tet, inverted tets)
    static VolumeZone from_tets(const std::vector<Vec3>& rest, const std::vector<Tet>& tets, Index vertex_offset = 0,
                                std::string_view source = {});

    /// The inside of a watertight surface; parameters as for from_tets.
    /// @param triangles    body-local vertex indices; every edge in exactly two triangles that run along it in opposite
    ///                     directions. A part whose triangles face inwards is a hole.
    /// @throws InputError  naming the first bad triangle or edge (ascending in its vertices); or if the volume is not
    /// positive
    static VolumeZone from_surface(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                                   Index vertex_offset = 0, std::string_view source = {});

    /// The cavity of a hollow body, from the inner wall as it is in the body's surface: facing away from the material,
    /// that is into the cavity (cavity_walls of mesh/components.hpp). The zone holds the triangles turned over.
    /// @throws InputError  as from_surface
    static VolumeZone cavity(const std::vector<Vec3>& rest, const std::vector<Triangle>& wall, Index vertex_offset = 0,
                             std::string_view source = {});

    const std::vector<Triangle>& triangles() const { return triangles_; }  ///< global ids, facing out of the zone
    const std::vector<Index>& vertices() const {
        return vertices_;
    }                                                    ///< global ids of the triangles' vertices, ascending
    double rest_volume() const { return rest_volume_; }  ///< m^3, > 0
    /// Of each triangle a vertex of its component of the surface, the same one for the whole component.
    const std::vector<Index>& references() const { return reference_; }

    /// V(x) in m^3, compensated sum.
    double volume(const VecX& x) const;

    /// dV/dx in m^2 as a zone vector; `out` is resized. At a vertex it is a third of the sum of the area vectors around
    /// it, so it has no resultant and no torque.
    void gradient(const VecX& x, VecX& out) const;

    /// dV/dx . p in m^3 per unit of p: the flux of p through the surface.
    double directional_derivative(const VecX& x, const VecX& p) const;

    /// (d2V/dx2) p in m (times the unit of p) as a zone vector; `out` is resized. d2V is symmetric, sparse, linear in x
    /// and indefinite (its diagonal blocks are zero).
    void hessian_product(const VecX& x, const VecX& p, VecX& out) const;

    /// scale * d2V as one symmetric block a triangle, corner by corner; `out` is resized. A single block depends on the
    /// point that lengths are measured from; the sum of all does not.
    void hessian_blocks(const VecX& x, double scale, std::vector<Mat9>& out) const;
    /// The same for stencils(): rows and columns 9 to 11 are zero.
    void hessian_blocks(const VecX& x, double scale, std::vector<Mat12>& out) const;
    /// The triangles as elements of four nodes, the last one -1, as ElementScatter takes them.
    std::vector<std::array<Index, 4>> stencils() const;

    /// out += scale * (zone vector). @param out  stacked vector of ALL vertices
    void add(const VecX& zone_vector, double scale, VecX& out) const;

private:
    VolumeZone(const std::vector<Vec3>& rest, std::vector<Triangle> triangles, Index vertex_offset);
    Vec3 area_vector(std::size_t triangle, const VecX& x) const;

    std::vector<Triangle> triangles_;
    std::vector<Index> reference_;  // per triangle: the vertex that its corners are measured from
    std::vector<Index> vertices_;
    std::vector<std::size_t> first_;     // vertex i of vertices_ owns incident_[first_[i]] .. incident_[first_[i + 1]]
    std::vector<std::size_t> incident_;  // triangles, ascending within a vertex
    double rest_volume_ = 0.0;
};

/// What a volume energy's Hessian consists of, at one x:
///     H = curvature * gradient gradient^T + slope * d2V
/// The first part is dense over the zone's vertices, rank one and positive semidefinite, the second sparse and
/// indefinite.
struct VolumeExpansion {
    double volume = 0.0;     ///< V, m^3
    double value = 0.0;      ///< W, J
    double slope = 0.0;      ///< W', Pa; minus the gauge pressure
    double curvature = 0.0;  ///< W'', Pa/m^3
    VecX gradient;           ///< dV/dx, m^2, zone vector
};

/// Which parts of the Hessian to use.
enum class VolumeHessian {
    full,
    sparse,    ///< slope * d2V alone: the approximation that keeps the matrix sparse
    rank_one,  ///< curvature * gradient gradient^T alone: positive semidefinite
};

/// The energy W(V(x)) of a filled zone. The over-pressure of `law` may be set between steps.
struct VolumeEnergy {
    VolumeZone zone;
    VolumeLaw law;
    double rest_volume = 0.0;  ///< V0, m^3; usually zone.rest_volume()

    /// W in J; +inf where a law with a logarithm has V <= 0.
    double value(const VecX& x) const;
    /// Gauge pressure in Pa, positive outwards; NaN where a law with a logarithm has V <= 0.
    double pressure(const VecX& x) const;
    /// Everything that gradient and Hessian need; NaN slope and curvature where a law with a logarithm has V <= 0.
    VolumeExpansion expand(const VecX& x) const;

    /// out += scale * dW/dx (N for scale 1; minus the forces on the vertices). @param out  stacked vector of ALL
    /// vertices
    void add_gradient(const VolumeExpansion& at, double scale, VecX& out) const;

    /// out += scale * H p, matrix-free.
    /// @param at   expand(x)
    /// @param x    the same x
    /// @param p    stacked vector of ALL vertices
    /// @param out  stacked vector of ALL vertices
    void add_hessian_product(const VolumeExpansion& at, const VecX& x, const VecX& p, VolumeHessian parts, double scale,
                             VecX& out) const;
};

}  // namespace stiction
