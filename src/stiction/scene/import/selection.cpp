#include "stiction/scene/import/selection.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/placement.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace stiction::scene {
namespace {

using Test = std::function<bool(const Vec3&)>;

/// The rows of a text file of integers. @throws InputError
std::vector<std::vector<Index>> read_polyfem_rows(const std::string& name, const std::string& path,
                                                  const PolyfemContext& context) {
    const std::filesystem::path file = resolve_path(context.origin, name);
    std::ifstream stream(file);
    std::error_code unreadable;
    if (!stream || std::filesystem::is_directory(file, unreadable))
        throw InputError(context.notes.file, path, "\"" + name + "\"", "a text file of ids that can be opened");
    std::vector<std::vector<Index>> rows;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::vector<Index> row;
        for (std::string word; words >> word;) {
            Index value = 0;
            const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
            if (error != std::errc() || end != word.data() + word.size())
                throw InputError(context.notes.file, path, name + ": " + word, "a text file of integers");
            row.push_back(value);
        }
        if (!row.empty()) rows.push_back(std::move(row));
    }
    return rows;
}

/// 1 to 3 for x to z, negative when the side below is meant; "-y", "z", -2 and "+3" are ways to write it.
int read_axis(ImportObject& entry) {
    const char* expected = "an axis: 1, 2 or 3, or \"x\", \"y\" or \"z\", with a sign";
    const Json& json = entry.require("axis", expected);
    if (json.is_string()) {
        const auto& text = json.get_ref<const std::string&>();
        const bool is_signed = text.size() == 2 && (text[0] == '-' || text[0] == '+');
        if (!is_signed && text.size() != 1) entry.refuse("axis", expected);
        const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(text.back())));
        const int axis = letter >= 'x' && letter <= 'z' ? letter - 'x' + 1 : letter - '0';
        if (axis < 1 || axis > 3) entry.refuse("axis", expected);
        return text[0] == '-' ? -axis : axis;
    }
    for (const int axis : {-3, -2, -1, 1, 2, 3})
        if (json == axis) return axis;
    entry.refuse("axis", expected);
}

}  // namespace

PolyfemSelection::PolyfemSelection(ImportObject& geometry, const std::string& key, const Parts& parts,
                                   const std::vector<Vec3>& vertices, const PolyfemContext& context)
    : context_(context), parts_(parts) {
    std::tie(low_, high_) = bounding_box(vertices);
    tolerance_ = 1e-9 * (high_ - low_).norm();
    const auto list = geometry.list(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string path = geometry.entry_path(key, i);
        if (list[i]->is_number())
            add([id = import_integer(*list[i], path, context.notes.file)](const PolyfemPart&) {
                return std::optional<int>(id);
            });
        else if (list[i]->is_string())
            add(file(list[i]->get<std::string>(), 0, path));
        else
            read_entry(*list[i], path);
    }
}

std::optional<int> PolyfemSelection::id(const PolyfemPart& part) const {
    for (const auto& [entry, boundary_only] : entries_) {
        if (part.is_inside && boundary_only) continue;
        if (const auto id = entry(part)) return id;
    }
    return std::nullopt;
}

void PolyfemSelection::add(Entry entry, bool boundary_only) {
    entries_.emplace_back(std::move(entry), boundary_only);
    reaches_inside_ = reaches_inside_ || !boundary_only;
}

void PolyfemSelection::read_entry(const Json& json, const std::string& path) {
    ImportObject entry(json, path, context_.notes);
    const bool boundary_only = entry.boolean("boundary_only", true);
    Entry result;
    if (entry.find("threshold")) {
        result = sides(entry);
    } else if (entry.find("file")) {
        result = file(entry.text("file", ""), entry.integer("id_offset", 0), entry.path_of("file"));
    } else {
        entry.require("id", "the id that the selection gives");
        result = [id = entry.integer("id", 0), holds = read_shape(entry)](const PolyfemPart& part) {
            return holds(part.position) ? std::optional<int>(id) : std::nullopt;
        };
    }
    entry.finish();
    add(std::move(result), boundary_only);
}

/// The sides of the bounding box: 1 to 6 are low x, low y, high x, high y, low z, high z; 7 is what is near none.
PolyfemSelection::Entry PolyfemSelection::sides(ImportObject& entry) const {
    if (parts_.kind == Parts::Kind::tets) entry.refuse("threshold", "none: tets have no side of the bounding box");
    const double threshold =
        polyfem_constant(*entry.find("threshold"), entry.path_of("threshold"), length_dimension, context_);
    if (!(threshold > 0.0)) entry.refuse("threshold", "a length > 0");
    const int offset = entry.integer("id_offset", 0);
    return [low = low_, high = high_, threshold, offset](const PolyfemPart& part) {
        const Vec3 from_low = (part.position - low).cwiseAbs(), from_high = (part.position - high).cwiseAbs();
        const std::array<double, 6> distances{from_low.x(),  from_low.y(), from_high.x(),
                                              from_high.y(), from_low.z(), from_high.z()};
        const auto near = std::find_if(distances.begin(), distances.end(), [&](double d) { return d < threshold; });
        return std::optional<int>(offset + 1 + static_cast<int>(near - distances.begin()));
    };
}

/// One id a tet or vertex in the order of the mesh file; of faces rows of an id and the vertices of a face.
PolyfemSelection::Entry PolyfemSelection::file(const std::string& name, int id_offset, const std::string& path) const {
    const auto rows = read_polyfem_rows(name, path, context_);
    if (parts_.kind == Parts::Kind::faces) {
        std::map<std::vector<Index>, int> ids;
        for (const auto& row : rows) {
            if (row.size() != 4)
                throw InputError(context_.notes.file, path, name,
                                 "rows of an id and three vertices: the order of faces is PolyFEM's own");
            std::vector<Index> face(row.begin() + 1, row.end());
            std::sort(face.begin(), face.end());
            ids.emplace(std::move(face), static_cast<int>(row[0]) + id_offset);
        }
        return [ids = std::move(ids)](const PolyfemPart& part) {
            const auto found = ids.find(part.vertices);
            return found == ids.end() ? std::nullopt : std::optional<int>(found->second);
        };
    }
    std::vector<int> ids;
    for (const auto& row : rows) {
        for (const Index id : row) ids.push_back(static_cast<int>(id) + id_offset);
    }
    if (ids.size() != parts_.count)
        throw InputError(context_.notes.file, path, fmt::format("{} with {} ids", name, ids.size()),
                         fmt::format("one id for each of the {} {}", parts_.count,
                                     parts_.kind == Parts::Kind::tets ? "tets" : "vertices"));
    return [ids = std::move(ids)](const PolyfemPart& part) { return std::optional<int>(ids[part.index]); };
}

Test PolyfemSelection::read_shape(ImportObject& entry) const {
    const bool relative = entry.boolean("relative", false);
    if (entry.find("box")) return box(entry, relative);
    if (entry.find("p1") || entry.find("p2")) return cylinder(entry, relative);
    if (entry.find("center")) return sphere(entry, relative);
    if (entry.find("axis")) return axis_plane(entry, relative);
    if (entry.find("normal")) return plane(entry, relative);
    entry.finish();  // a misspelt key says more than this:
    throw InputError(context_.notes.file, entry.path(), "",
                     "one of the keys 'box', 'center', 'p1', 'axis' and 'normal'");
}

Vec3 PolyfemSelection::point(const Json& json, const std::string& path, bool relative) const {
    if (!relative) return polyfem_constants(json, path, length_dimension, context_);
    return low_ + (high_ - low_).cwiseProduct(polyfem_constants(json, path, number_dimension, context_));
}

double PolyfemSelection::length(ImportObject& entry, const char* key, bool relative) const {
    const Json& json = entry.require(key, "a length");
    const std::string path = entry.path_of(key);
    if (!relative) return polyfem_constant(json, path, length_dimension, context_);
    return (high_ - low_).norm() * polyfem_constant(json, path, number_dimension, context_);
}

Test PolyfemSelection::box(ImportObject& entry, bool relative) const {
    const Json& json = *entry.find("box");
    if (!json.is_array() || json.size() != 2) entry.refuse("box", "a list of two corners");
    const Vec3 a = point(json[0], entry.path_of("box") + "[0]", relative);
    const Vec3 b = point(json[1], entry.path_of("box") + "[1]", relative);
    if ((a.array() > b.array()).any()) entry.refuse("box", "the lower corner before the upper one");
    return [low = Vec3(a.array() - tolerance_), high = Vec3(b.array() + tolerance_)](const Vec3& x) {
        return (x.array() >= low.array()).all() && (x.array() <= high.array()).all();
    };
}

Test PolyfemSelection::sphere(ImportObject& entry, bool relative) const {
    const Vec3 center = point(*entry.find("center"), entry.path_of("center"), relative);
    const double radius = length(entry, "radius", relative);
    if (!(radius >= 0.0)) entry.refuse("radius", "a length >= 0");
    return [center, reach = radius + tolerance_](const Vec3& x) { return (x - center).norm() <= reach; };
}

Test PolyfemSelection::cylinder(ImportObject& entry, bool relative) const {
    const Vec3 p = point(entry.require("p1", "an end of the axis"), entry.path_of("p1"), relative);
    const Vec3 q = point(entry.require("p2", "an end of the axis"), entry.path_of("p2"), relative);
    const double radius = length(entry, "radius", relative);
    if (!(radius >= 0.0)) entry.refuse("radius", "a length >= 0");
    const double height = (q - p).norm();
    if (!(height > 0.0)) entry.refuse("p2", "another point than `p1`");
    return [p, axis = Vec3((q - p) / height), height, radius, tolerance = tolerance_](const Vec3& x) {
        const double along = axis.dot(x - p);
        return along >= -tolerance && along <= height + tolerance &&
               (x - p - along * axis).norm() <= radius + tolerance;
    };
}

Test PolyfemSelection::axis_plane(ImportObject& entry, bool relative) const {
    const int axis = read_axis(entry);
    const int k = std::abs(axis) - 1;
    const Json& json = entry.require("position", "where the plane cuts the axis");
    const double position = relative
                                ? low_[k] + (high_[k] - low_[k]) * polyfem_constant(json, entry.path_of("position"),
                                                                                    number_dimension, context_)
                                : polyfem_constant(json, entry.path_of("position"), length_dimension, context_);
    return [k, position, axis, tolerance = tolerance_](const Vec3& x) {
        return axis > 0 ? x[k] >= position - tolerance : x[k] <= position + tolerance;
    };
}

Test PolyfemSelection::plane(ImportObject& entry, bool relative) const {
    const Vec3 given = polyfem_constants(*entry.find("normal"), entry.path_of("normal"), number_dimension, context_);
    if (given.isZero(0.0)) entry.refuse("normal", "a direction: not all three may be zero");
    const Vec3 normal = given.stableNormalized();
    Vec3 origin;
    if (const Json* json = entry.find("point")) {
        if (entry.find("offset")) entry.refuse("offset", "no offset beside `point`");
        origin = point(*json, entry.path_of("point"), relative);
    } else {
        if (relative) entry.refuse("relative", "false beside `offset`");
        const Json* offset = entry.find("offset");
        origin =
            normal * (offset ? polyfem_constant(*offset, entry.path_of("offset"), length_dimension, context_) : 0.0);
    }
    return [normal, origin, tolerance = tolerance_](const Vec3& x) { return normal.dot(x - origin) >= -tolerance; };
}

}  // namespace stiction::scene
