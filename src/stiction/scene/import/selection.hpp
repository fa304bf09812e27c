// Selections of PolyFEM scenes: which vertices, faces or tets of a mesh get which id.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/import/polyfem_value.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace stiction::scene {

/// What a selection may hold: a tet, an outer face, or a vertex.
struct PolyfemPart {
    Vec3 position;                ///< its barycentre where the transformation puts it (m)
    std::size_t index = 0;        ///< of a tet or vertex: its place in the mesh file
    std::vector<Index> vertices;  ///< of a face: those of the mesh file, sorted
    bool is_inside = false;       ///< of a vertex: no outer face has it
};

/// The entries of a `volume_selection`, `surface_selection` or `point_selection`; the first that holds a part gives its
/// id.
class PolyfemSelection {
public:
    /// What the selection is of, and how many there are in the mesh file (of faces 0: their order is PolyFEM's own).
    struct Parts {
        enum class Kind { tets, faces, vertices } kind;
        std::size_t count;
    };

    /// Reads key `key` of a geometry object: an id for everything, a file of ids, one selection, or a list of these.
    /// Absent: nothing is selected.
    /// @param vertices  of the placed mesh (m), whose bounding box relative positions refer to
    /// @throws InputError
    PolyfemSelection(ImportObject& geometry, const std::string& key, const Parts& parts,
                     const std::vector<Vec3>& vertices, const PolyfemContext& context);

    /// The id of a part. Boundaries belong to a selection, widened by 1e-9 of the bounding-box diagonal, so that
    /// rounding drops nobody.
    std::optional<int> id(const PolyfemPart& part) const;

    /// Whether an entry asks for parts inside the body, too (`boundary_only` false).
    bool reaches_inside() const { return reaches_inside_; }

private:
    using Entry = std::function<std::optional<int>(const PolyfemPart&)>;
    void add(Entry entry, bool boundary_only = true);
    void read_entry(const Json& json, const std::string& path);
    Entry sides(ImportObject& entry) const;
    Entry file(const std::string& name, int id_offset, const std::string& path) const;
    std::function<bool(const Vec3&)> read_shape(ImportObject& entry) const;
    std::function<bool(const Vec3&)> box(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> sphere(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> cylinder(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> axis_plane(ImportObject& entry, bool relative) const;
    std::function<bool(const Vec3&)> plane(ImportObject& entry, bool relative) const;
    Vec3 point(const Json& json, const std::string& path, bool relative) const;
    double length(ImportObject& entry, const char* key, bool relative) const;

    const PolyfemContext& context_;
    Parts parts_;
    bool reaches_inside_ = false;
    Vec3 low_, high_;
    double tolerance_ = 0.0;
    std::vector<std::pair<Entry, bool>> entries_;  ///< and whether it is of the boundary only
};

}  // namespace stiction::scene
