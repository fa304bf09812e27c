// Sheets of triangles: their checks, membranes and hinges.
#include "stiction/base/error.hpp"
#include "stiction/fem/bending.hpp"
#include "stiction/fem/laplacian_bending.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/element_checks.hpp"
#include "stiction/world/world_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stiction {
namespace {

void check_all_used(const std::string& name, const Mesh& mesh) {
    std::vector<char> used(mesh.vertices.size(), 0);
    for (const Triangle& triangle : mesh.triangles) {
        for (const Index vertex : triangle) {
            if (vertex >= 0 && static_cast<std::size_t>(vertex) < used.size())
                used[static_cast<std::size_t>(vertex)] = 1;
        }
    }
    const auto loose = std::find(used.begin(), used.end(), 0);
    if (loose != used.end())
        throw InputError(name, fmt::format("vertex {}", loose - used.begin()), "of no triangle",
                         "vertices of triangles: others would have no mass");
}

void check_shell_material(const std::string& name, const ShellMaterial& material) {
    if (const auto complaint = check_membrane_moduli(material.law, material.youngs_modulus, material.poissons_ratio))
        throw InputError(name, complaint->parameter == "E" ? "Young's modulus" : "Poisson's ratio",
                         fmt::format("{}", complaint->value), complaint->expected);
    if (!(material.areal_density > 0.0) || !std::isfinite(material.areal_density))
        throw InputError(name, "areal density", fmt::format("{} kg/m^2", material.areal_density),
                         "a finite density > 0");
}

double bending_stiffness(const ShellMaterial& material) {
    return material.bending_stiffness.value_or(
        flexural_rigidity(material.youngs_modulus, material.poissons_ratio, material.thickness));
}

/// For each hinge the softer of its two triangles' materials. Of equally soft ones the first.
std::vector<std::size_t> softer_materials(const std::vector<Tet>& hinges, const std::vector<Triangle>& triangles,
                                          const std::vector<std::size_t>& material_of,
                                          const std::vector<ShellMaterial>& materials) {
    std::map<Triangle, std::size_t> found;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        Triangle key = triangles[t];
        std::sort(key.begin(), key.end());
        found.emplace(key, material_of[t]);
    }
    std::vector<std::size_t> result;
    for (const Tet& hinge : hinges) {
        std::size_t softer = materials.size();
        for (const Index third : {hinge[2], hinge[3]}) {
            Triangle key{hinge[0], hinge[1], third};
            std::sort(key.begin(), key.end());
            const std::size_t material = found.at(key);
            if (softer == materials.size() ||
                bending_stiffness(materials[material]) < bending_stiffness(materials[softer]))
                softer = material;
        }
        result.push_back(softer);
    }
    return result;
}

}  // namespace

Index WorldBuilder::add_shell(const std::string& name, Mesh mesh, const ShellMaterial& material, const Vec3& velocity,
                              const Vec3& angular_velocity, const std::vector<Vec3>& rest,
                              const std::vector<ShellPart>& parts) {
    if (mesh.triangles.empty() || !mesh.tets.empty())
        throw InputError(name, "mesh", mesh.tets.empty() ? "no triangles" : "tets", "a mesh of triangles for a sheet");
    if (!mesh.edges.empty() || !mesh.points.empty())
        throw InputError(name, "mesh", "bare edges or points", "nothing beside triangles for a sheet");
    STICTION_CHECK(rest.empty() || rest.size() == mesh.vertices.size(), "rest shape and mesh differ in vertex count");
    std::vector<ShellMaterial> materials{material};
    std::vector<std::size_t> material_of(mesh.triangles.size(), 0);
    for (const ShellPart& part : parts) {
        if (part.material.bending != material.bending || part.material.rest_angles != material.rest_angles)
            throw InputError(name, "part", "bends in another way", "the bending model and rest angles of the sheet");
        for (const Index triangle : part.triangles)
            material_of.at(static_cast<std::size_t>(triangle)) = materials.size();
        materials.push_back(part.material);
    }
    for (const ShellMaterial& m : materials) check_shell_material(name, m);
    check_vertices_differ(name, "triangle", mesh.triangles);
    check_distinct(name, "triangle", mesh.triangles);
    check_all_used(name, mesh);
    Body body;
    body.name = name;
    body.kind = BodyKind::deformable;
    body.density = material.areal_density / material.thickness;
    body.thickness = material.thickness;
    body.surface = mesh.triangles;
    body.mesh = std::move(mesh);
    body.first_vertex = static_cast<Index>(world_.body_of_vertex.size());
    const std::vector<Vec3>& shape = rest.empty() ? body.mesh.vertices : rest;
    const auto indices_of = [](const std::vector<std::size_t>& of, std::size_t wanted) {
        std::vector<Index> result;
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (of[i] == wanted) result.push_back(static_cast<Index>(i));
        }
        return result;
    };
    if (materials.size() > 1) {  // complaints about triangles name their ids in the mesh, not those among their part
        TriangleElements all;
        append_triangles(all, shape, body.mesh.triangles,
                         {lame_parameters(material.youngs_modulus, material.poissons_ratio), material.thickness,
                          material.strain_limit},
                         0, name);
    }
    for (std::size_t m = 0; m < materials.size(); ++m)
        add_membrane(body, body_count(), materials[m], indices_of(material_of, m), shape);
    if (material.bending != BendingModel::none) {
        const std::vector<Tet> hinges = find_hinges(body.mesh.triangles, NonManifoldEdges::refuse, body.name);
        const auto add_hinges = [&] {
            const auto softer = softer_materials(hinges, body.mesh.triangles, material_of, materials);
            for (std::size_t m = 0; m < materials.size(); ++m) {
                std::vector<Tet> own;
                for (const Index hinge : indices_of(softer, m)) own.push_back(hinges[static_cast<std::size_t>(hinge)]);
                add_bending(body, body_count(), materials[m], own, shape);
            }
        };
        if (material.bending == BendingModel::laplacian)
            add_laplacian_bending(body, body_count(), materials, material_of, shape);
        else
            add_hinges();
    }
    const Index index = add_body(std::move(body));
    deformables_.push_back(
        {index, std::nullopt, velocity, angular_velocity, rest.empty() ? this->body(index).mesh.vertices : rest});
    return index;
}

void WorldBuilder::add_membrane(const Body& body, Index index, const ShellMaterial& material,
                                const std::vector<Index>& ids, const std::vector<Vec3>& rest) {
    sheet_mass_.resize(static_cast<std::size_t>(body.first_vertex + body.vertex_count()), 0.0);
    sheet_damping_.resize(sheet_mass_.size(), 0.0);
    if (ids.empty()) return;
    auto group = std::find_if(world_.sheets.begin(), world_.sheets.end(), [&](const SheetGroup& g) {
        const auto* triangles = std::get_if<TriangleElements>(&g.elements);
        return triangles != nullptr && triangles->law == material.law;
    });
    if (group == world_.sheets.end()) {
        world_.sheets.emplace_back();
        group = world_.sheets.end() - 1;
        group->elements = TriangleElements{material.law, {}, {}, {}, {}, {}, {}, {}};
    }
    auto& triangles = std::get<TriangleElements>(group->elements);
    const std::size_t first = triangles.size();
    std::vector<Triangle> own;
    for (const Index id : ids) own.push_back(body.mesh.triangles[static_cast<std::size_t>(id)]);
    append_triangles(
        triangles, rest, own,
        {lame_parameters(material.youngs_modulus, material.poissons_ratio), material.thickness, material.strain_limit},
        body.first_vertex, body.name);
    for (std::size_t e = first; e < triangles.size(); ++e) {
        group->body.push_back(index);
        group->body_element.push_back(ids[e - first]);
        const double share = material.areal_density * triangles.area[e] / 3.0;
        for (const Index vertex : triangles.vertices[e]) {
            sheet_mass_[static_cast<std::size_t>(vertex)] += share;
            sheet_damping_[static_cast<std::size_t>(vertex)] += material.mass_damping * share;
        }
    }
}

void WorldBuilder::add_bending(const Body& body, Index index, const ShellMaterial& material,
                               const std::vector<Tet>& hinges, const std::vector<Vec3>& rest) {
    if (hinges.empty()) return;
    const double stiffness = bending_stiffness(material);
    if (material.bending == BendingModel::isometric) {
        SheetGroup& group = quadratic_bending();
        append_isometric_bending(std::get<IsometricBending>(group.elements), rest, hinges, stiffness, body.first_vertex,
                                 body.name);
        group.body.insert(group.body.end(), hinges.size(), index);
        return;
    }
    auto group = std::find_if(world_.sheets.begin(), world_.sheets.end(),
                              [](const SheetGroup& g) { return std::holds_alternative<HingeBending>(g.elements); });
    if (group == world_.sheets.end()) {
        world_.sheets.emplace_back();
        group = world_.sheets.end() - 1;
        group->elements = HingeBending{};
    }
    append_hinges(std::get<HingeBending>(group->elements), rest, hinges, stiffness, material.rest_angles,
                  body.first_vertex, body.name);
    group->body.insert(group->body.end(), hinges.size(), index);
}

/// The terms of all sheets whose bending is quadratic.
SheetGroup& WorldBuilder::quadratic_bending() {
    for (SheetGroup& group : world_.sheets) {
        if (std::holds_alternative<IsometricBending>(group.elements)) return group;
    }
    world_.sheets.emplace_back();
    world_.sheets.back().elements = IsometricBending{};
    return world_.sheets.back();
}

void WorldBuilder::add_laplacian_bending(const Body& body, Index index, const std::vector<ShellMaterial>& materials,
                                         const std::vector<std::size_t>& material_of, const std::vector<Vec3>& rest) {
    for (const ShellMaterial& material : materials) {
        const double stiffness = bending_stiffness(material);
        if (!(stiffness > 0.0) || !std::isfinite(stiffness)) {
            throw InputError(body.name, "bending stiffness", fmt::format("{:.6g} N m", stiffness),
                             "a finite stiffness > 0");
        }
    }
    std::vector<double> softest(rest.size(), std::numeric_limits<double>::infinity());
    for (std::size_t t = 0; t < material_of.size(); ++t) {
        for (const Index vertex : body.mesh.triangles[t]) {
            double& stiffness = softest[static_cast<std::size_t>(vertex)];
            stiffness = std::min(stiffness, bending_stiffness(materials[material_of[t]]));
        }
    }
    LaplacianBending terms;
    append_laplacian_bending(terms, rest, body.mesh.triangles, 1.0, 0, body.name);
    if (terms.size() == 0) return;
    for (std::size_t k = 0; k < terms.size(); ++k)
        terms.stiffness[k] *= softest[static_cast<std::size_t>(terms.vertices[terms.begin[k]])];
    for (Index& vertex : terms.vertices) vertex += body.first_vertex;
    SheetGroup& group = quadratic_bending();
    const std::size_t pairs = append_as_edges(terms, body.first_vertex + static_cast<Index>(rest.size()),
                                              std::get<IsometricBending>(group.elements));
    group.body.insert(group.body.end(), pairs, index);
}

}  // namespace stiction
