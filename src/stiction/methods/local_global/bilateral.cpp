#include "stiction/methods/local_global/bilateral.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace stiction::local_global {
namespace {

const Body& body_named(const World& world, const std::string& name, const std::string& field) {
    std::vector<std::string> names;
    for (const Body& body : world.bodies) {
        if (body.name == name) return body;
        names.push_back(body.name);
    }
    const std::string nearest = nearest_name(name, names), all = fmt::format("{}", fmt::join(names, ", "));
    throw InputError({}, field, name,
                     nearest.empty() ? "the name of a body or obstacle: " + all
                                     : fmt::format("'{}' (the names are {})", nearest, all));
}

Vec3 initial(const World& world, const Body& body, Index local) {
    return world.initial_positions.segment<3>(3 * (body.first_vertex + local));
}

/// Barycentric coordinates of a point in a tet, or of its projection in a triangle.
Eigen::Vector4d coordinates(const World& world, const Body& body, const std::array<Index, 4>& element,
                            const Vec3& position) {
    const Vec3 origin = initial(world, body, element[0]);
    Mat3 edges;
    edges.col(0) = initial(world, body, element[1]) - origin;
    edges.col(1) = initial(world, body, element[2]) - origin;
    edges.col(2) =
        element[3] >= 0 ? Vec3(initial(world, body, element[3]) - origin) : Vec3(edges.col(0).cross(edges.col(1)));
    const Vec3 inner = edges.inverse() * (position - origin);
    if (element[3] < 0) return {1.0 - inner[0] - inner[1], inner[0], inner[1], 0.0};
    return {1.0 - inner.sum(), inner[0], inner[1], inner[2]};
}

/// Unit normal of the triangle that carries a point.
Vec3 triangle_normal(const WeightedPoint& point, const VecX& x) {
    const auto at = [&](std::size_t k) -> Vec3 { return x.segment<3>(3 * point.vertices[k]); };
    return (at(1) - at(0)).cross(at(2) - at(0)).normalized();
}

/// How far a body may carry a point, in diagonals of its box. What is attached may be glued on by half of it; a cable
/// runs through its body.
constexpr double attachment_reach = 0.5, cable_reach = 0.1;

/// The box around a body at t = 0, and how far from it the body may carry a point (m). A point beyond would be
/// extrapolated too far from one element.
struct Surroundings {
    Eigen::AlignedBox3d box;
    double reach = 0.0;

    /// @param part  of the box's diagonal that is the reach
    Surroundings(const World& world, const Body& body, double part) {
        for (Index local = 0; local < body.vertex_count(); ++local) box.extend(initial(world, body, local));
        reach = part * box.diagonal().norm();
    }
    bool hold(const Vec3& point) const { return box.exteriorDistance(point) <= reach; }
};

std::string as_text(const Vec3& point) {
    return fmt::format("({:g}, {:g}, {:g})", point.x(), point.y(), point.z());
}

/// Throws InputError for points outside the body's surroundings.
void check_points(const World& world, const Body& body, const std::vector<Vec3>& points, const std::string& field) {
    const Surroundings around(world, body, cable_reach);
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (around.hold(points[k])) continue;
        throw InputError({}, fmt::format("{}.points[{}]", field, k),
                         fmt::format("{}, {:.3g} m from the box around '{}'", as_text(points[k]),
                                     around.box.exteriorDistance(points[k]), body.name),
                         fmt::format("a point in the body, or within {:.3g} m of that box", around.reach));
    }
}

}  // namespace

Vec3 WeightedPoint::at(const VecX& x) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4 && vertices[k] >= 0; ++k) sum += weights[k] * x.segment<3>(3 * vertices[k]);
    return sum;
}

WeightedPoint embedded_point(const World& world, const Body& body, const Vec3& position) {
    std::vector<std::array<Index, 4>> elements(body.mesh.tets.begin(), body.mesh.tets.end());
    if (body.kind == BodyKind::rigid) {
        Tet frame = world.rigid_bodies[static_cast<std::size_t>(body.rigid)].frame;
        for (Index& vertex : frame) vertex -= body.first_vertex;
        elements.assign(1, frame);
    } else if (elements.empty()) {
        for (const Triangle& triangle : body.mesh.triangles)
            elements.push_back({triangle[0], triangle[1], triangle[2], -1});
    }
    STICTION_CHECK(!elements.empty(), "a body without elements holds nothing");
    WeightedPoint best;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& element : elements) {
        const Eigen::Vector4d weights = coordinates(world, body, element, position);
        const Eigen::Vector4d inside = weights.cwiseMax(0.0) / weights.cwiseMax(0.0).sum();
        WeightedPoint point, within;
        for (std::size_t k = 0; k < 4 && element[k] >= 0; ++k) {
            point.vertices[k] = within.vertices[k] = body.first_vertex + element[k];
            point.weights[k] = weights[static_cast<Eigen::Index>(k)];
            within.weights[k] = inside[static_cast<Eigen::Index>(k)];
        }
        const double distance = (within.at(world.initial_positions) - position).norm();
        if (!(distance < nearest)) continue;
        nearest = distance;
        best = point;
    }
    return best;
}

BilateralConstraints::BilateralConstraints(const World& world, const Options& options) {
    for (std::size_t k = 0; k < options.attachments.size(); ++k)
        add_attachment(world, options.attachments[k], fmt::format("local_global.attachments[{}]", k));
    for (std::size_t k = 0; k < options.cables.size(); ++k)
        add_cable(world, options.cables[k], fmt::format("local_global.cables[{}]", k));
}

void BilateralConstraints::add_attachment(const World& world, const Attachment& attachment, const std::string& field) {
    const Body& body = body_named(world, attachment.body, field + ".body");
    const Body* to = attachment.to.empty() ? nullptr : &body_named(world, attachment.to, field + ".to");
    if (body.is_obstacle()) throw InputError({}, field + ".body", attachment.body, "a deformable or rigid body");
    if (to != nullptr && to->mesh.tets.empty() && to->mesh.triangles.empty())
        throw InputError({}, field + ".to", attachment.to, "a body of tetrahedra or triangles");
    if (to == &body) throw InputError({}, field + ".to", attachment.to, "another body than the one that is held");
    // Rigid bodies and obstacles carry what is far from them exactly.
    const bool deforms = to != nullptr && !to->is_obstacle() && to->kind != BodyKind::rigid;
    std::optional<Surroundings> around;
    if (deforms) around.emplace(world, *to, attachment_reach);
    const std::size_t before = held_.size();
    for (Index local = 0; local < body.vertex_count(); ++local) {
        const Vec3 here = initial(world, body, local);
        if ((here - attachment.centre).norm() > attachment.radius) continue;
        if (around && !around->hold(here)) {
            throw InputError({}, field + ".to",
                             fmt::format("'{}', whose box is {:.3g} m from {} of '{}'", to->name,
                                         around->box.exteriorDistance(here), as_text(here), body.name),
                             fmt::format("a body whose box is within {:.3g} m of what it holds", around->reach));
        }
        Held held{body.first_vertex + local, -1, {}, 0.0, here, attachment.compliance};
        if (to != nullptr) {
            held.body = static_cast<Index>(to - world.bodies.data());
            held.to = embedded_point(world, *to, here);
            if (held.to.vertices[3] < 0)
                held.offset =
                    (here - held.to.at(world.initial_positions)).dot(triangle_normal(held.to, world.initial_positions));
        }
        held_.push_back(held);
    }
    if (held_.size() == before) {
        throw InputError({}, field,
                         fmt::format("a ball of {:g} m about {}", attachment.radius, as_text(attachment.centre)),
                         fmt::format("at least one vertex of '{}' in it", attachment.body));
    }
}

void BilateralConstraints::add_cable(const World& world, const Cable& cable, const std::string& field) {
    const Body& body = body_named(world, cable.body, field + ".body");
    if (body.is_obstacle()) throw InputError({}, field + ".body", cable.body, "a deformable or rigid body");
    if (body.mesh.tets.empty() && body.mesh.triangles.empty())
        throw InputError({}, field + ".body", cable.body, "a body of tetrahedra or triangles");
    if (cable.points.size() < 2)
        throw InputError({}, field + ".points", fmt::format("{} of them", cable.points.size()),
                         "two or more points in the body");
    check_points(world, body, cable.points, field);
    String string{{}, cable.length, 0.0, cable.compliance};
    for (const Vec3& point : cable.points) string.points.push_back(embedded_point(world, body, point));
    for (std::size_t i = 0; i + 1 < string.points.size(); ++i)
        string.rest +=
            (string.points[i + 1].at(world.initial_positions) - string.points[i].at(world.initial_positions)).norm();
    if (!(string.rest > 0.0))
        throw InputError({}, field + ".points", fmt::format("{:g} m long", string.rest),
                         "two or more points apart in the body");
    for (std::size_t i = 0; i < cable.length.size(); ++i) {
        const bool rises = i == 0 || cable.length[i][0] > cable.length[i - 1][0];
        if (!rises || !(cable.length[i][1] >= 0.0)) {
            throw InputError({}, fmt::format("{}.length[{}]", field, i),
                             fmt::format("[{:g}, {:g}]", cable.length[i][0], cable.length[i][1]),
                             "rising times, and fractions >= 0");
        }
    }
    cables_.push_back(std::move(string));
}

double BilateralConstraints::String::length_at(double t) const {
    if (length.empty()) return rest;
    const auto next = std::upper_bound(length.begin(), length.end(), t,
                                       [](double time, const std::array<double, 2>& key) { return time < key[0]; });
    if (next == length.begin()) return rest * length.front()[1];
    const auto& last = *(next - 1);
    if (next == length.end()) return rest * last[1];
    return rest * (last[1] + (t - last[0]) / ((*next)[0] - last[0]) * ((*next)[1] - last[1]));
}

void BilateralConstraints::add_to_column(const WeightedPoint& point, double sign, const GlobalSystem& system,
                                         const VecX& target) {
    for (std::size_t k = 0; k < 4 && point.vertices[k] >= 0; ++k)
        column_.add(point.vertices[k], sign * point.weights[k], system, target);
}

void BilateralConstraints::fill(const GlobalSystem& system, const VecX& guess, const VecX& target, double t,
                                const std::string& warm_start, ContactRows& rows, std::vector<double>& lambda) {
    const Index before = rows.bilateral_count();
    fill_attachments(system, guess, target, rows);
    row_of_cable_.assign(cables_.size(), -1);
    fill_cables(system, guess, target, t, rows);
    for (Index& row : row_of_cable_) row -= row < 0 ? 0 : before;
    rows_filled_ = rows.bilateral_count() - before;
    fill_forces(warm_start, lambda);
}

void BilateralConstraints::fill_attachments(const GlobalSystem& system, const VecX& guess, const VecX& target,
                                            ContactRows& rows) {
    for (const Held& held : held_) {
        column_.clear();
        column_.add(held.vertex, 1.0, system, target);
        add_to_column(held.to, -1.0, system, target);
        if (column_.unknowns().empty()) continue;
        Vec3 constant = column_.driven();
        if (held.to.vertices[0] < 0) constant -= held.place;
        if (held.offset != 0.0) constant -= held.offset * triangle_normal(held.to, guess);
        const Index number = rows.add_column(column_.unknowns(), column_.weights());
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 direction = Vec3::Unit(axis);
            rows.add_bilateral({&number, 1}, {&direction, 1}, constant[axis], held.compliance);
        }
    }
}

/// The value of a cable's row is its largest length minus its present one, so that its force pulls.
void BilateralConstraints::fill_cables(const GlobalSystem& system, const VecX& guess, const VecX& target, double t,
                                       ContactRows& rows) {
    for (std::size_t c = 0; c < cables_.size(); ++c) {
        const String& cable = cables_[c];
        columns_.clear();
        directions_.clear();
        double driven = 0.0;
        for (std::size_t i = 0; i + 1 < cable.points.size(); ++i) {
            const Vec3 direction = -(cable.points[i + 1].at(guess) - cable.points[i].at(guess)).normalized();
            column_.clear();
            add_to_column(cable.points[i + 1], 1.0, system, target);
            add_to_column(cable.points[i], -1.0, system, target);
            driven += direction.dot(column_.driven());
            if (column_.unknowns().empty()) continue;
            columns_.push_back(rows.add_column(column_.unknowns(), column_.weights()));
            directions_.push_back(direction);
        }
        if (columns_.empty()) continue;
        row_of_cable_[c] = rows.bilateral_count();
        rows.add_bilateral(columns_, directions_, driven + cable.length_at(t), cable.compliance, true);
    }
}

/// Appends the forces of the last step: of attachments, if as many rows are there as then, and of every cable.
void BilateralConstraints::fill_forces(const std::string& warm_start, std::vector<double>& lambda) {
    last_.resize(warm_start.size() / sizeof(double));
    if (!last_.empty()) std::memcpy(last_.data(), warm_start.data(), last_.size() * sizeof(double));
    const std::size_t first = lambda.size(), attached = attachment_rows();
    lambda.resize(first + static_cast<std::size_t>(rows_filled_), 0.0);
    for (std::size_t c = 0; c < cables_.size(); ++c) {
        if (row_of_cable_[c] < 0 || last_.size() < cables_.size()) continue;
        lambda[first + static_cast<std::size_t>(row_of_cable_[c])] = last_[last_.size() - cables_.size() + c];
    }
    if (last_.size() == attached + cables_.size())
        std::copy_n(last_.begin(), attached, lambda.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Number of rows of attachments, which come before those of cables.
std::size_t BilateralConstraints::attachment_rows() const {
    return static_cast<std::size_t>(
        rows_filled_ - std::count_if(row_of_cable_.begin(), row_of_cable_.end(), [](Index row) { return row >= 0; }));
}

void BilateralConstraints::warm_start(const std::vector<double>& forces, std::size_t first, std::string& bytes) const {
    bytes.clear();
    for (std::size_t k = 0; k < attachment_rows(); ++k) append_bytes(bytes, forces[first + k]);
    for (const Index row : row_of_cable_)
        append_bytes(bytes, row < 0 ? 0.0 : forces[first + static_cast<std::size_t>(row)]);
}

std::vector<std::array<Index, 2>> BilateralConstraints::held_to_bodies() const {
    std::vector<std::array<Index, 2>> result;
    for (const Held& held : held_) {
        if (held.body >= 0) result.push_back({held.vertex, held.body});
    }
    return result;
}

}  // namespace stiction::local_global
