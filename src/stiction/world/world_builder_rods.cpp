// Rods of bare edges: their checks, stretch and bending.
#include "stiction/base/error.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/element_checks.hpp"
#include "stiction/world/world_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

void check_rod_material(const std::string& name, const RodMaterial& material) {
    const auto check = [&](const char* what, double value, const char* unit) {
        if (!(value > 0.0) || !std::isfinite(value))
            throw InputError(name, what, fmt::format("{}{}", value, unit), fmt::format("a finite {} > 0", what));
    };
    check("Young's modulus", material.youngs_modulus, " Pa");
    check("radius", material.radius, " m");
    check("linear density", material.linear_density, " kg/m");
}

void check_all_on_edges(const std::string& name, const Mesh& mesh) {
    std::vector<char> used(mesh.vertices.size(), 0);
    for (const Edge& edge : mesh.edges) {
        for (const Index vertex : edge) used.at(static_cast<std::size_t>(vertex)) = 1;
    }
    const auto loose = std::find(used.begin(), used.end(), 0);
    if (loose != used.end())
        throw InputError(name, fmt::format("vertex {}", loose - used.begin()), "of no edge",
                         "vertices of edges: others would have no mass");
}

/// The group of one kind of elements; a new one where there is none.
template <class Elements>
SheetGroup& group_of(std::vector<SheetGroup>& groups) {
    for (SheetGroup& group : groups) {
        if (std::holds_alternative<Elements>(group.elements)) return group;
    }
    groups.emplace_back().elements = Elements{};
    return groups.back();
}

}  // namespace

double cross_section(const RodMaterial& material) {
    return std::numbers::pi * material.radius * material.radius;
}

double stretching_stiffness(const RodMaterial& material) {
    return material.stretching_stiffness.value_or(material.youngs_modulus * cross_section(material));
}

double bending_stiffness(const RodMaterial& material) {
    return material.bending_stiffness.value_or(material.youngs_modulus * std::numbers::pi / 4.0 *
                                               std::pow(material.radius, 4));
}

Index WorldBuilder::add_rod(const std::string& name, Mesh mesh, const RodMaterial& material, const Vec3& velocity,
                            const Vec3& angular_velocity) {
    if (mesh.edges.empty()) throw InputError(name, "mesh", "no bare edges", "a mesh of edges for a rod");
    if (!mesh.tets.empty() || !mesh.triangles.empty() || !mesh.points.empty())
        throw InputError(name, "mesh", "tets, triangles or points", "nothing beside edges for a rod");
    check_rod_material(name, material);
    check_vertices_differ(name, "edge", mesh.edges);
    check_distinct(name, "edge", mesh.edges);
    check_all_on_edges(name, mesh);
    Body body;
    body.name = name;
    body.kind = BodyKind::deformable;
    body.density = material.linear_density / cross_section(material);
    body.mesh = std::move(mesh);
    const Index index = add_body(std::move(body));
    add_rod_terms(this->body(index), index, material);
    deformables_.push_back({index, std::nullopt, velocity, angular_velocity, this->body(index).mesh.vertices});
    return index;
}

void WorldBuilder::add_rod_terms(const Body& body, Index index, const RodMaterial& material) {
    SheetGroup& stretch = group_of<RodStretch>(world_.sheets);
    auto& edges = std::get<RodStretch>(stretch.elements);
    const std::size_t first = edges.size();
    append_rod_edges(edges, body.mesh.vertices, body.mesh.edges, stretching_stiffness(material),
                     cross_section(material), body.first_vertex, body.name);
    sheet_mass_.resize(static_cast<std::size_t>(body.first_vertex + body.vertex_count()), 0.0);
    sheet_damping_.resize(sheet_mass_.size(), 0.0);
    for (std::size_t e = first; e < edges.size(); ++e) {
        stretch.body.push_back(index);
        stretch.body_element.push_back(static_cast<Index>(e - first));
        const double share = 0.5 * material.linear_density * edges.rest_length[e];
        for (const Index vertex : edges.vertices[e]) {
            sheet_mass_[static_cast<std::size_t>(vertex)] += share;
            sheet_damping_[static_cast<std::size_t>(vertex)] += material.mass_damping * share;
        }
    }
    const std::vector<Triangle> corners = rod_corners(body.mesh.edges);
    if (corners.empty()) return;
    SheetGroup& bending = group_of<RodBending>(world_.sheets);
    append_rod_corners(std::get<RodBending>(bending.elements), body.mesh.vertices, corners, bending_stiffness(material),
                       material.rest_shape, body.first_vertex, body.name);
    bending.body.insert(bending.body.end(), corners.size(), index);
}

}  // namespace stiction
