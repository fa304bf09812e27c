#include "stiction/contact/contact_set.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/base/parallel_sort.hpp"
#include "stiction/collision/separating_axis.hpp"
#include "stiction/contact/barrier.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace stiction {
namespace {

constexpr std::array kinds{PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge, PairKind::point_point};

void order_vertices(Contact& contact) {
    auto& v = contact.vertices;
    if (contact.pair == PairKind::point_point && v[0] > v[1]) std::swap(v[0], v[1]);
    if (contact.pair == PairKind::point_edge && v[1] > v[2]) std::swap(v[1], v[2]);
}

/// What two bodies have in contact.
struct PairLengths {
    double offset, share;
};

/// Closest features of a pair of primitives, with their places in its stencil.
Contact closest_contact(PairKind kind, const Vec3* points, const PairLengths& lengths) {
    const ClosestFeature feature = classify(kind, points);
    Vec3 reduced[4];
    for (std::size_t k = 0; k < 4 && feature.local[k] >= 0; ++k) reduced[k] = points[feature.local[k]];
    Contact contact;
    contact.pair = feature.kind;
    contact.local = feature.local;
    contact.squared_distance = squared_distance(feature.kind, reduced);
    contact.offset = lengths.offset;
    contact.share = lengths.share;
    return contact;
}

/// Keeps no vertices but those of the closest features.
void reduce(const std::array<Index, 4>& stencil, Contact& contact) {
    for (std::size_t k = 0; k < 4; ++k)
        contact.vertices[k] = contact.local[k] >= 0 ? stencil[static_cast<std::size_t>(contact.local[k])] : -1;
    contact.local = Contact().local;
    order_vertices(contact);
}

/// What a point and a triangle or bare edge within reach have in common with those around (ContactWeights).
/// @param features  of them
void add_shared(const ContactScene& scene, std::span<const SharedFeature> features,
                const std::array<Index, 2>& candidate, const Contact& whole, const VecX& x,
                ContactSearch::Found& found) {
    for (const SharedFeature& shared : features) {
        if (shared.count == 0) continue;
        const PairKind kind = shared.vertices[1] < 0 ? PairKind::point_point : PairKind::point_edge;
        const std::array<Index, 4> stencil{candidate[0], shared.vertices[0], shared.vertices[1], -1};
        Vec3 points[4];
        gather_stencil(stencil, x, points);
        Contact contact = closest_contact(kind, points, {whole.offset, whole.share});
        if (!found.touches(contact)) continue;
        contact.multiplicity = shared.count * scene.weights->point_triangle(candidate[0]);
        reduce(stencil, contact);
        found.contacts.push_back(contact);
    }
}

void test_pair(const ContactScene& scene, PairKind kind, const std::array<Index, 2>& candidate, const VecX& x,
               ContactSearch::Found& found) {
    const auto stencil = stencil_vertices(*scene.surface, kind, candidate);
    Vec3 points[4];
    gather_stencil(stencil, x, points);
    const PairLengths lengths{scene.offset(stencil), scene.share(stencil)};
    const double farthest = found.farthest(lengths.share) + lengths.offset;
    if (axis_distance(kind, points) > farthest || separated(kind, points, points, farthest)) return;
    Contact contact = closest_contact(kind, points, lengths);
    if (!found.touches(contact)) return;
    if (scene.weights) contact.multiplicity = scene.weights->pair(kind, candidate);
    if (kind == PairKind::edge_edge) {
        const double threshold =
            edge_edge_mollifier_threshold(scene.edge_rest_length_squared[static_cast<std::size_t>(candidate[0])],
                                          scene.edge_rest_length_squared[static_cast<std::size_t>(candidate[1])]);
        if (edge_cross_squared(points) < threshold) {
            contact.kind = ContactKind::mollified_pair;
            contact.vertices = stencil;
            contact.mollifier_threshold = threshold;
            found.contacts.push_back(contact);
            return;
        }
    }
    reduce(stencil, contact);
    found.contacts.push_back(contact);
    if (!scene.weights) return;
    const auto [vertex, other] = candidate;
    if (kind == PairKind::point_triangle) {
        add_shared(scene, scene.weights->shared_features(vertex, other), candidate, contact, x, found);
    } else if (kind == PairKind::point_edge && !scene.weights->is_bare_point(vertex)) {
        add_shared(scene, scene.weights->shared_ends(vertex, other), candidate, contact, x, found);
    }
}

void test_half_space(const ContactScene& scene, const HalfSpace& plane, Index vertex, const VecX& x,
                     ContactSearch::Found& found) {
    const Index body = scene.surface->body_of_vertex[static_cast<std::size_t>(vertex)];
    if (!scene.pairs->allowed(body, plane.body)) return;
    const double distance = plane.normal.dot(x.segment<3>(3 * vertex) - x.segment<3>(3 * plane.origin_vertex));
    Contact contact;
    contact.kind = ContactKind::half_space;
    contact.vertices = {vertex, plane.origin_vertex, -1, -1};
    // Behind the plane is as infeasible as on it.
    contact.squared_distance = distance > 0.0 ? distance * distance : 0.0;
    contact.normal = plane.normal;
    contact.offset = scene.offset(body, plane.body);
    contact.share = scene.share(body, plane.body);
    if (scene.weights) contact.multiplicity = scene.weights->half_space(vertex);
    if (found.touches(contact)) found.contacts.push_back(contact);
}

auto sort_key(const Contact& contact) {
    return std::tie(contact.kind, contact.pair, contact.vertices);
}

}  // namespace

/// Contacts in the order of their keys; equal pairs become one, summed in the order they were found.
void ContactSearch::merge_equal() {
    const std::vector<Contact>& all = set_.contacts;
    order_.resize(all.size());
    std::iota(order_.begin(), order_.end(), 0u);
    parallel_sort(order_, [&](std::uint32_t a, std::uint32_t b) {
        const auto left = sort_key(all[a]), right = sort_key(all[b]);
        return left < right || (left == right && a < b);
    });
    merged_.clear();
    merged_.reserve(all.size());
    for (const std::uint32_t i : order_) {
        if (!merged_.empty() && all[i].kind == ContactKind::pair && sort_key(merged_.back()) == sort_key(all[i])) {
            merged_.back().multiplicity += all[i].multiplicity;
        } else {
            merged_.push_back(all[i]);
        }
    }
    set_.contacts.swap(merged_);
}

std::array<Index, 2> ContactScene::bodies(const std::array<Index, 4>& vertices) const {
    const std::size_t last = vertices[3] >= 0 ? 3 : vertices[2] >= 0 ? 2 : 1;
    const auto body = [&](Index vertex) { return surface->body_of_vertex[static_cast<std::size_t>(vertex)]; };
    return {body(vertices[0]), body(vertices[last])};
}

double ContactScene::offset(const std::array<Index, 4>& vertices) const {
    if (half_thickness.empty()) return 0.0;
    const auto [a, b] = bodies(vertices);
    return offset(a, b);
}

double ContactScene::share(const std::array<Index, 4>& vertices) const {
    if (length_share.empty()) return 1.0;
    const auto [a, b] = bodies(vertices);
    return share(a, b);
}

double ContactScene::factor(const std::array<Index, 4>& vertices) const {
    if (strength.empty()) return 1.0;
    const auto [a, b] = bodies(vertices);
    const PairStrength &one = strength[static_cast<std::size_t>(a)], &other = strength[static_cast<std::size_t>(b)];
    return std::min(one.by_mass, other.by_mass) * (one.length <= other.length ? one.by_length : other.by_length);
}

/// Runs test(i, found) over [0, n) in blocks and appends what they found in order.
template <class Test>
void ContactSearch::collect(std::size_t n, double squared_reach, const Test& test) {
    constexpr std::size_t block_size = 512;
    const std::size_t count = (n + block_size - 1) / block_size;
    if (blocks_.size() < count) blocks_.resize(count);
    parallel_for(
        count,
        [&](std::size_t b) {
            Found& block = blocks_[b];
            block.begin(squared_reach);
            for (std::size_t i = b * block_size; i < std::min(n, (b + 1) * block_size); ++i) test(i, block);
        },
        1);
    for (std::size_t b = 0; b < count; ++b) {
        set_.contacts.insert(set_.contacts.end(), blocks_[b].contacts.begin(), blocks_[b].contacts.end());
        min_squared_gap_ = std::min(min_squared_gap_, blocks_[b].min_squared_gap);
    }
}

const ContactSet& ContactSearch::find(const ContactScene& scene, const Candidates& candidates, const VecX& x,
                                      double dhat) {
    set_.contacts.clear();
    min_squared_gap_ = std::numeric_limits<double>::infinity();
    const double s_hat = dhat * dhat;
    for (const PairKind kind : kinds) {
        const auto& pairs = candidates.pairs(kind);
        collect(pairs.size(), s_hat, [&](std::size_t i, Found& found) { test_pair(scene, kind, pairs[i], x, found); });
    }
    for (const HalfSpace& plane : scene.half_spaces) {
        const auto& vertices = scene.surface->vertices;
        collect(vertices.size(), s_hat,
                [&](std::size_t i, Found& found) { test_half_space(scene, plane, vertices[i], x, found); });
    }
    merge_equal();
    // What one triangle adds, its neighbours may have taken away.
    if (scene.weights) std::erase_if(set_.contacts, [](const Contact& contact) { return contact.multiplicity == 0.0; });
    if (!scene.strength.empty()) {
        for (Contact& contact : set_.contacts) contact.multiplicity *= scene.factor(contact.vertices);
    }
    set_.min_gap = std::sqrt(min_squared_gap_);
    return set_;
}

ContactSet find_contacts(const ContactScene& scene, const Candidates& candidates, const VecX& x, double dhat) {
    ContactSearch search;
    search.find(scene, candidates, x, dhat);
    return search.take();
}

std::vector<std::array<Index, 4>> near_stencils(const ContactScene& scene, const Candidates& candidates, const VecX& x,
                                                double distance) {
    std::vector<std::array<Index, 4>> near;
    for (const PairKind kind : kinds) {
        const auto& pairs = candidates.pairs(kind);
        std::vector<char> is_near(pairs.size(), 0);
        parallel_for(pairs.size(), [&](std::size_t i) {
            Vec3 points[4];
            const auto stencil = stencil_vertices(*scene.surface, kind, pairs[i]);
            gather_stencil(stencil, x, points);
            const double limit = scene.share(stencil) * distance + scene.offset(stencil);
            is_near[i] = axis_distance(kind, points) < limit && closest_squared_distance(kind, points) < limit * limit;
        });
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (is_near[i]) near.push_back(stencil_vertices(*scene.surface, kind, pairs[i]));
        }
    }
    ContactSearch::Found found;
    found.begin(distance * distance);
    for (const HalfSpace& plane : scene.half_spaces) {
        for (const Index vertex : scene.surface->vertices) test_half_space(scene, plane, vertex, x, found);
    }
    for (const Contact& contact : found.contacts) near.push_back(contact.vertices);
    return near;
}

std::vector<double> edge_lengths_squared(const CollisionSurface& surface, const VecX& rest) {
    std::vector<double> lengths;
    lengths.reserve(surface.edges.size());
    for (const Edge& edge : surface.edges)
        lengths.push_back((rest.segment<3>(3 * edge[1]) - rest.segment<3>(3 * edge[0])).squaredNorm());
    return lengths;
}

}  // namespace stiction
