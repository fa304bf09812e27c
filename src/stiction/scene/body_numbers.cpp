#include "stiction/scene/body_numbers.hpp"

#include "stiction/mesh/components.hpp"
#include "stiction/mesh/curved_volume.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/material.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace stiction {
namespace {

const char* kind_name(const Body& body) {
    if (body.is_shell()) return "shell";
    if (body.is_rod()) return "rod";
    switch (body.kind) {
        case BodyKind::deformable: return "deformable";
        case BodyKind::rigid: return "rigid";
        case BodyKind::obstacle: return "obstacle";
        case BodyKind::half_space: return "half-space";
    }
    return "body";
}

void count_elements(const Body& body, BodyNumbers& numbers) {
    const Mesh& mesh = body.mesh;
    const std::vector<std::pair<std::size_t, const char*>> kinds{
        {mesh.tets.size(), body.is_quadratic() ? "tets of second order" : "tets"},
        {body.surface.size(), "triangles"},
        {mesh.edges.size(), "edges"},
        {mesh.points.size(), "points"}};
    for (const auto& [count, name] : kinds) {
        if (count == 0) continue;
        numbers.elements = count;
        numbers.element_name = name;
        return;
    }
}

/// Lengths at the start, which are those at rest for all but bodies with a `start`.
class Shape {
public:
    Shape(const Body& body, const VecX& x) : body_(body), vertices_(static_cast<std::size_t>(body.vertex_count())) {
        for (std::size_t v = 0; v < vertices_.size(); ++v)
            vertices_[v] = x.segment<3>(3 * (body.first_vertex + static_cast<Index>(v)));
    }
    double size() const {
        const auto [low, high] = bounding_box(vertices_);
        return (high - low).maxCoeff();
    }
    double length(const Edge& edge) const { return (at(edge[1]) - at(edge[0])).norm(); }
    double shortest_edge() const {
        double shortest = std::numeric_limits<double>::infinity();
        for (const Triangle& t : body_.surface)
            shortest = std::min({shortest, length({t[0], t[1]}), length({t[1], t[2]}), length({t[2], t[0]})});
        for (const Edge& edge : body_.mesh.edges) shortest = std::min(shortest, length(edge));
        return std::isfinite(shortest) ? shortest : 0.0;
    }
    double tet_volume() const {
        if (body_.is_quadratic()) {
            Mesh mesh;
            mesh.vertices = vertices_;
            mesh.tets = body_.mesh.tets;
            mesh.mid_nodes = body_.mesh.mid_nodes;
            return tets_volume(mesh);
        }
        double sum = 0.0;
        for (const Tet& t : body_.mesh.tets)
            sum += (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).dot(at(t[3]) - at(t[0])) / 6.0;
        return sum;
    }
    double area() const {
        double sum = 0.0;
        for (const Triangle& t : body_.surface) sum += 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).norm();
        return sum;
    }
    double line_length() const {
        return std::accumulate(body_.mesh.edges.begin(), body_.mesh.edges.end(), 0.0,
                               [&](double sum, const Edge& edge) { return sum + length(edge); });
    }
    /// 0 of an open surface.
    double enclosed() const {
        const bool open = body_.surface.empty() || first_edge_defect(body_.surface, ClosedBy::balance).has_value();
        return open ? 0.0 : std::abs(enclosed_volume(vertices_, body_.surface));
    }
    std::size_t cavities() const {
        return body_.mesh.tets.empty() ? 0
                                       : split_surface(vertices_, boundary_triangles(body_.mesh.tets)).cavities.size();
    }

private:
    const Vec3& at(Index vertex) const { return vertices_[static_cast<std::size_t>(vertex)]; }
    const Body& body_;
    std::vector<Vec3> vertices_;
};

/// Moduli of bodies of tets, over all their parts.
void add_solid_moduli(const World& world, std::vector<BodyNumbers>& bodies) {
    world.for_each_tet_group([&](const auto& group) {
        if (group.frames) return;
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const double mu = group.elements.mu[e], lambda = group.elements.lambda[e];
            const double modulus = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), ratio = 0.5 * lambda / (lambda + mu);
            BodyNumbers& body = bodies[static_cast<std::size_t>(group.body[e])];
            body.youngs_modulus = body.youngs_modulus == 0.0 ? modulus : std::min(body.youngs_modulus, modulus);
            body.poissons_ratio = std::max(body.poissons_ratio, ratio);
        }
    });
}

void add_material(const BodySpec& spec, BodyNumbers& body) {
    if (spec.rigid) return;
    body.law = spec.rod ? "rod" : spec.material.law;
    if (spec.shell) {
        body.youngs_modulus = spec.material.youngs_modulus;
        body.poissons_ratio = spec.material.poissons_ratio;
        for (const PartSpec& part : spec.parts) {
            body.youngs_modulus = std::min(body.youngs_modulus, part.material.youngs_modulus);
            body.poissons_ratio = std::max(body.poissons_ratio, part.material.poissons_ratio);
        }
    } else if (spec.rod) {
        const RodMaterial material = rod_material(spec.material, *spec.rod);
        body.youngs_modulus = stretching_stiffness(material) / cross_section(material);
    }
}

/// Of a body that is no half-space.
void add_shape(const World& world, const Body& body, const BodySpec* spec, const VecX& x, BodyNumbers& numbers) {
    const Shape shape(body, x);
    numbers.size = shape.size();
    numbers.shortest_edge = shape.shortest_edge();
    numbers.cavities = shape.cavities();
    numbers.mass = world.mass_of(body);
    if (!body.mesh.tets.empty())
        numbers.volume = shape.tet_volume();
    else if (body.is_shell())
        numbers.volume = body.thickness * shape.area();
    else if (body.is_rod())
        numbers.volume = cross_section(rod_material(spec->material, *spec->rod)) * shape.line_length();
    else
        numbers.volume = shape.enclosed();
}

/// What the numbers of a deformable body mean together.
void add_ratios(const SceneSpec& spec, double gravity, double distance, BodyNumbers& body) {
    if (body.shortest_edge > 0.0) body.contact_distance = distance / body.shortest_edge;
    if (!(body.youngs_modulus > 0.0 && body.volume > 0.0)) return;
    const double density = body.mass / body.volume;
    body.weight_strain = density * gravity * body.size / body.youngs_modulus;
    body.wave_time = body.size / std::sqrt(body.youngs_modulus / density) / spec.time.step;
}

/// Three digits; nothing for what does not apply.
std::string number(double value) {
    return value == 0.0 ? "-" : fmt::format("{:.3g}", value);
}

using Row = std::array<std::string, 16>;

Row row_of(std::size_t place, const BodyNumbers& body) {
    return {fmt::format("{}", place),
            body.name,
            body.kind,
            fmt::format("{}", body.vertices),
            body.element_name.empty() ? "-" : fmt::format("{} {}", body.elements, body.element_name),
            number(body.size),
            number(body.mass),
            number(body.volume),
            number(body.shortest_edge),
            number(static_cast<double>(body.cavities)),
            body.law.empty() ? "-" : body.law,
            number(body.youngs_modulus),
            number(body.poissons_ratio),
            number(body.weight_strain),
            number(body.contact_distance),
            number(body.wave_time)};
}

/// Columns as wide as their widest entry; names to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
    std::array<std::size_t, std::tuple_size_v<Row>> widths{};
    for (const Row& row : rows)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const bool is_name = c == 1 || c == 2 || c == 10;
            line += is_name ? fmt::format("  {:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::vector<BodyNumbers> body_numbers(const SceneSpec& spec, const World& world, const State& state) {
    const ContactDistanceKey contact = scene_method(spec).contact_distance(spec, world);
    std::vector<BodyNumbers> bodies(world.bodies.size());
    add_solid_moduli(world, bodies);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Body& body = world.bodies[b];
        const BodySpec* of = b < spec.bodies.size() ? &spec.bodies[b] : nullptr;
        bodies[b].name = body.name;
        bodies[b].kind = kind_name(body);
        bodies[b].vertices = body.vertex_count();
        count_elements(body, bodies[b]);
        if (body.kind == BodyKind::half_space) continue;
        if (of != nullptr) add_material(*of, bodies[b]);
        add_shape(world, body, of, state.x, bodies[b]);
        if (!body.is_obstacle())
            add_ratios(spec, world.gravity.norm(), contact.of_body(world, static_cast<Index>(b)), bodies[b]);
    }
    return bodies;
}

std::string to_text(const std::vector<BodyNumbers>& bodies, std::size_t most) {
    std::vector<Row> rows{{"", "", "", "", "", "size", "mass", "volume", "shortest", "cavi-", "", "E", "",
                           "weight:", "contact:", "wave:"},
                          {"", "body", "kind", "vertices", "elements", "m", "kg", "m^3", "edge m", "ties", "material",
                           "Pa", "nu", "strain", "/ edge", "/ step"}};
    const std::size_t shown = std::min(most, bodies.size());
    for (std::size_t b = 0; b < shown; ++b) rows.push_back(row_of(b, bodies[b]));
    std::string text = aligned(rows);
    if (shown < bodies.size()) text += fmt::format("  ... and {} more\n", bodies.size() - shown);
    return text;
}

}  // namespace stiction
