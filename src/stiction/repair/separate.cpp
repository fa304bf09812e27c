#include "stiction/repair/separate.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/repair/least_motion.hpp"
#include "stiction/repair/least_separation.hpp"
#include "stiction/repair/least_way.hpp"
#include "stiction/world/contact_offset.hpp"
#include "stiction/world/start_check.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stiction::repair {
namespace {

/// Bodies are moved this much further than they have to, so that rounding and tolerances take nothing of the gap.
constexpr double margin = 1.05;

/// Two bodies that may touch: two shapes, or a shape and a half-space.
struct Contact {
    Index first = -1, second = -1;
    double offset = 0.0;         ///< contact thickness between the two (m)
    double gap = 0.0;            ///< that the two keep where they overlap at the start (m)
    double distance = 0.0;       ///< that the two keep beyond the offset (m)
    ShapePair shapes;            ///< of two shapes
    std::optional<Vec3> normal;  ///< of a half-space
    double least_gap = 0.0;      ///< what a start asks for (m)
    double start_gap = 0.0;      ///< of the body from the half-space at the start (m)
    std::vector<Constraint> constraints;
    int turns = 0;  ///< how often its direction has changed
};

class Separator {
public:
    Separator(const World& world, const VecX& x, const SeparateOptions& options)
        : world_(world), options_(options), shifts_(world.bodies.size(), Vec3::Zero()) {
        add_masses();
        shapes_.resize(world.bodies.size());
        for (std::size_t b = 0; b < world.bodies.size(); ++b) {
            if (world.bodies[b].kind != BodyKind::half_space)
                shapes_[b] = make_shape(world, x, static_cast<Index>(b), options.solid[b]);
        }
        for (Index a = 0; a < static_cast<Index>(world.bodies.size()); ++a) {
            for (Index b = a + 1; b < static_cast<Index>(world.bodies.size()); ++b) add_contact(a, b, x);
        }
        for (const HalfSpace& plane : world.half_spaces) add_contacts(plane, x);
        smallest_gap_ = options.gap;
        for (Contact& contact : contacts_) {
            const double share = options.is_share ? world.length_share(contact.first, contact.second) : 1.0;
            contact.gap = share * options.gap;
            smallest_gap_ = std::min(smallest_gap_, contact.gap);
        }
    }

    BodySeparation run() {
        BodySeparation result;
        std::vector<char> overlaps(contacts_.size(), 0);
        parallel_for(
            contacts_.size(), [&](std::size_t i) { overlaps[i] = set_distance(contacts_[i]) ? 1 : 0; }, 16);
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            if (overlaps[i] == 0) continue;
            const Contact& contact = contacts_[i];
            const std::array<Index, 2> pair{std::min(contact.first, contact.second),
                                            std::max(contact.first, contact.second)};
            result.overlapping.push_back(pair);
            if (!is_movable(contact)) result.immovable.push_back(pair);
        }
        std::erase_if(contacts_, [&](const Contact& contact) { return !is_movable(contact); });
        if (result.immovable.empty() && !result.overlapping.empty()) {
            result.left = separate();
            if (!result.left.empty()) result.left = place_one_by_one(result.overlapping);
            if (result.left.empty()) retract();
        }
        result.shifts = shifts_;
        return result;
    }

private:
    static std::size_t at(Index body) { return static_cast<std::size_t>(body); }
    const Body& body(Index b) const { return world_.bodies[at(b)]; }
    bool is_movable(const Contact& contact) const {
        return options_.movable[at(contact.first)] || options_.movable[at(contact.second)];
    }

    /// Inverse masses as a part of the largest one.
    void add_masses() {
        std::vector<double> mass(world_.bodies.size(), 0.0);
        for (Index v = 0; v < world_.vertex_count(); ++v) mass[at(world_.body_of_vertex[at(v)])] += world_.mass[v];
        double lightest = std::numeric_limits<double>::infinity();
        for (std::size_t b = 0; b < mass.size(); ++b) {
            if (options_.movable[b]) lightest = std::min(lightest, mass[b]);
        }
        for (std::size_t b = 0; b < mass.size(); ++b)
            inverse_mass_.push_back(options_.movable[b] ? lightest / mass[b] : 0.0);
    }

    void add_contact(Index a, Index b, const VecX& x) {
        if (!world_.contact_pairs.allowed(a, b) || (body(a).is_obstacle() && body(b).is_obstacle())) return;
        const Shape &first = shapes_[at(a)], &second = shapes_[at(b)];
        if (first.points.corners.empty() || second.points.corners.empty()) return;
        Contact contact;
        contact.first = a;
        contact.second = b;
        contact.offset = contact_offset(body(a), body(b));
        contact.least_gap = least_gap(world_, x, a, b);
        contact.shapes = make_pair_of(first, second);
        // What stays may be meant to be in what stays: a run takes it.
        contact.shapes.sides_matter = is_movable(contact);
        contacts_.push_back(std::move(contact));
    }

    void add_contacts(const HalfSpace& plane, const VecX& x) {
        const Vec3 origin = x.segment<3>(3 * plane.origin_vertex);
        for (Index b = 0; b < static_cast<Index>(world_.bodies.size()); ++b) {
            if (body(b).is_obstacle() || !world_.contact_pairs.allowed(b, plane.body)) continue;
            Contact contact;
            contact.first = b;
            contact.second = plane.body;
            contact.offset = contact_offset(body(b), body(plane.body));
            contact.normal = plane.normal;
            contact.least_gap = least_gap(world_, x, b, plane.body);
            contact.start_gap = std::numeric_limits<double>::infinity();
            for (const auto& [point] : shapes_[at(b)].points.corners)
                contact.start_gap = std::min(contact.start_gap, plane.normal.dot(point - origin));
            contacts_.push_back(std::move(contact));
        }
    }

    Vec3 relative_shift(const Contact& contact) const {
        return shifts_[at(contact.first)] - shifts_[at(contact.second)];
    }

    /// Whether two bodies are apart by their offset and a distance, with the first moved against the second.
    static bool is_apart(const Contact& contact, const Vec3& shift, double distance) {
        const double whole = contact.offset + distance;
        if (contact.normal) return contact.start_gap + contact.normal->dot(shift) >= whole;
        return is_clear(contact.shapes, shift, whole);
    }
    bool is_apart(const Contact& contact) const { return is_apart(contact, relative_shift(contact), contact.distance); }

    /// The distance that the two keep: their gap, or about that of the start where they are nearer. Returns whether
    /// they overlap.
    bool set_distance(Contact& contact) const {
        constexpr int most_halvings = 40;
        contact.distance = contact.gap;
        for (int i = 0; i < most_halvings && contact.distance > contact.least_gap; ++i, contact.distance *= 0.5) {
            if (is_apart(contact)) return false;
        }
        contact.distance = contact.gap;
        return true;
    }

    std::vector<std::size_t> overlapping() const {
        std::vector<char> found(contacts_.size(), 0);
        parallel_for(
            contacts_.size(), [&](std::size_t i) { found[i] = is_apart(contacts_[i]) ? 0 : 1; }, 16);
        std::vector<std::size_t> list;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i] != 0) list.push_back(i);
        }
        return list;
    }

    /// The plane by which two bodies leave each other from where they are; nothing if no way was found.
    std::optional<Constraint> find_constraint(const Contact& contact) const {
        const double distance = contact.offset + margin * contact.distance;
        if (contact.normal)
            return Constraint{contact.first, contact.second, *contact.normal, distance - contact.start_gap};
        const Vec3 shift = relative_shift(contact);
        const auto way = least_separation(contact.shapes, shift, distance);
        if (!way) return std::nullopt;
        return Constraint{contact.first, contact.second, way->direction, way->direction.dot(shift) + way->length};
    }

    /// A pair has one direction. Where that changes again and again, as between walls, the pair keeps all that do not
    /// oppose the last one.
    static void set_constraint(Contact& contact, const Constraint& found) {
        constexpr int most_turns = 3;
        std::erase_if(contact.constraints, [&](const Constraint& old) {
            const double cosine = old.normal.dot(found.normal);
            return cosine > 0.95 || cosine < 0.0 || contact.turns < most_turns;
        });
        contact.constraints.push_back(found);
        ++contact.turns;
    }

    /// Moves all bodies; returns the pairs that still overlap.
    std::vector<std::array<Index, 2>> separate() {
        for (int round = 0; round < options_.most_rounds; ++round) {
            const std::vector<std::size_t> list = overlapping();
            if (list.empty()) return {};
            std::vector<std::optional<Constraint>> found(list.size());
            parallel_for(
                list.size(), [&](std::size_t k) { found[k] = find_constraint(contacts_[list[k]]); }, 1);
            for (std::size_t k = 0; k < list.size(); ++k) {
                if (found[k]) set_constraint(contacts_[list[k]], *found[k]);
            }
            std::vector<Constraint> all;
            for (const Contact& contact : contacts_)
                all.insert(all.end(), contact.constraints.begin(), contact.constraints.end());
            shifts_ = least_motion(inverse_mass_, all, 0.01 * smallest_gap_);
        }
        std::vector<std::array<Index, 2>> left;
        for (const std::size_t i : overlapping()) left.push_back({contacts_[i].first, contacts_[i].second});
        return left;
    }

    /// Where the rounds of separate() do not end, as for a stack in a shaft: bodies are placed one after the other,
    /// those that overlap nothing first, then the heaviest, each by the shortest way out of all that are placed.
    /// Returns the pairs of the first body that finds none.
    std::vector<std::array<Index, 2>> place_one_by_one(const std::vector<std::array<Index, 2>>& overlaps_at_start) {
        std::vector<char> placed, overlaps(shifts_.size(), 0);
        for (const bool movable : options_.movable) placed.push_back(movable ? 0 : 1);
        for (const auto& [a, b] : overlaps_at_start) overlaps[at(a)] = overlaps[at(b)] = 1;
        std::vector<Index> order;
        for (Index b = 0; b < static_cast<Index>(shifts_.size()); ++b) {
            shifts_[at(b)].setZero();
            if (placed[at(b)] == 0) order.push_back(b);
        }
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
            return std::pair(overlaps[at(a)], inverse_mass_[at(a)]) < std::pair(overlaps[at(b)], inverse_mass_[at(b)]);
        });
        for (const Index b : order) {
            const auto left = place(b, placed);
            if (!left.empty()) return left;
            placed[at(b)] = 1;
        }
        return {};
    }

    /// Places one body among those that are placed; returns its pairs with them if it finds no place.
    std::vector<std::array<Index, 2>> place(Index b, const std::vector<char>& placed) {
        std::vector<const Contact*> near;
        for (const Contact& contact : contacts_) {
            if ((contact.first == b && placed[at(contact.second)] != 0) ||
                (contact.second == b && placed[at(contact.first)] != 0))
                near.push_back(&contact);
        }
        // The shift of the first body of a contact against the second, with b moved by a way.
        const auto shift = [&](const Contact& contact, const Vec3& way) -> Vec3 {
            return relative_shift(contact) + (contact.first == b ? way : Vec3(-way));
        };
        WayProblem problem;
        problem.is_clear = [&](const Vec3& way) {
            return std::all_of(near.begin(), near.end(), [&](const Contact* contact) {
                return is_apart(*contact, shift(*contact, way), margin * contact->distance);
            });
        };
        if (std::all_of(near.begin(), near.end(), [&](const Contact* contact) { return is_apart(*contact); }))
            return {};
        problem.beyond = [&](const Vec3& direction) {
            double length = 0.0;
            for (const Contact* contact : near) {
                if (contact->normal) continue;
                const Index other = contact->first == b ? contact->second : contact->first;
                length =
                    std::max(length, length_beyond(shapes_[at(b)], -shifts_[at(other)], shapes_[at(other)], direction) +
                                         2.0 * (contact->offset + contact->distance));
            }
            return length;
        };
        problem.directions = axes_and_diagonals();
        for (const Contact* contact : near) {
            if (contact->normal) problem.directions.push_back(*contact->normal);
        }
        problem.tolerance = 0.01 * smallest_gap_;
        if (const auto way = least_way(problem)) {
            shifts_[at(b)] = way->length * way->direction;
            return {};
        }
        std::vector<std::array<Index, 2>> left;
        for (const Contact* contact : near) {
            if (!is_apart(*contact)) left.push_back({contact->first, contact->second});
        }
        return left;
    }

    bool is_body_apart(Index b) const {
        return std::all_of(contacts_.begin(), contacts_.end(), [&](const Contact& contact) {
            return (contact.first != b && contact.second != b) || is_apart(contact);
        });
    }

    /// Each body goes back as far towards its start as the others let it, where that is more than the margin.
    void retract() {
        constexpr int halvings = 10;
        const double least_gain = 2.0 * (margin - 1.0) * smallest_gap_;
        for (Index b = 0; b < static_cast<Index>(shifts_.size()); ++b) {
            const Vec3 whole = shifts_[at(b)];
            if (whole.norm() == 0.0) continue;
            double low = 0.0, high = 1.0;
            shifts_[at(b)].setZero();
            if (is_body_apart(b)) continue;
            for (int i = 0; i < halvings; ++i) {
                const double middle = 0.5 * (low + high);
                shifts_[at(b)] = middle * whole;
                (is_body_apart(b) ? high : low) = middle;
            }
            shifts_[at(b)] = ((1.0 - high) * whole.norm() > least_gain ? high : 1.0) * whole;
        }
    }

    const World& world_;
    const SeparateOptions& options_;
    double smallest_gap_ = 0.0;  ///< of all pairs (m)
    std::vector<double> inverse_mass_;
    std::vector<Shape> shapes_;
    std::vector<Contact> contacts_;
    std::vector<Vec3> shifts_;
};

}  // namespace

BodySeparation separate_bodies(const World& world, const VecX& x, const SeparateOptions& options) {
    return Separator(world, x, options).run();
}

}  // namespace stiction::repair
