// Selections of PolyFEM scenes: which faces or tets of a mesh get which id.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/import/polyfem_value.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace stiction::scene {

/// The entries of a `surface_selection` or `volume_selection`; the first that holds a barycentre gives the id.
class PolyfemSelection {
public:
    /// Reads key `key` of a geometry object: an id for everything, one selection, or a list of selections.
    /// Absent: nothing is selected.
    /// @param vertices  of the placed mesh (m), whose bounding box relative positions refer to
    /// @throws InputError
    PolyfemSelection(ImportObject& geometry, const std::string& key, const std::vector<Vec3>& vertices,
                     const PolyfemContext& context);

    /// The id of a face or tet with this barycentre (m). Boundaries belong to a selection, widened by 1e-9 of the
    /// bounding-box diagonal, so that rounding drops nobody.
    std::optional<int> id(const Vec3& barycentre) const;

private:
    struct Entry {
        int id;
        std::function<bool(const Vec3&)> holds;
    };
    Entry read_entry(const Json& json, const std::string& path) const;
    std::function<bool(const Vec3&)> read_shape(ImportObject& entry) const;
    std::function<bool(const Vec3&)> box(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> sphere(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> cylinder(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> axis_plane(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> plane(ImportObject& entry, bool relative) const;
    Vec3 point(const Json& json, const std::string& path, bool relative) const;
    double length(ImportObject& entry, const char* key, bool relative) const;

    const PolyfemContext& context_;
    Vec3 low_, high_;
    double tolerance_ = 0.0;
    std::vector<Entry> entries_;
};

}  // namespace stiction::scene
