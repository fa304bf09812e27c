#include "stiction/methods/local_global/kept_candidates.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Vertices of a patch. Smaller ones move more as one, but there are more pairs of them.
constexpr std::size_t patch_vertices = 32;
/// What a cutoff adds to the distances that matter, as shares of the mean length of an edge. More would add more pairs
/// than it saves searches.
constexpr double least_room = 0.125, most_room = 0.5;
/// A list is of one step alone where its patches move by more than so many edges relative to each other.
constexpr double fast_move = 3.0;
/// Moves that this room should serve.
constexpr double moves_of_room = 4.0;

double mean_edge_length(const World& world) {
    double sum = 0.0;
    std::size_t count = 0;
    for (const Edge& edge : world.surface.edges) {
        if (world.is_obstacle(edge[0])) continue;
        const VecX& x = world.initial_positions;
        sum += (x.segment<3>(3 * edge[1]) - x.segment<3>(3 * edge[0])).norm();
        ++count;
    }
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

double largest_coordinate(const VecX& x) {
    return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

KeptCandidates::KeptCandidates(const World& world, const PrimitiveExtents& extents, const ContactLengths& lengths,
                               const Distances& distances)
    : world_(world),
      extents_(extents),
      lengths_(lengths),
      distances_(distances),
      patches_(surface_patches(world, patch_vertices)),
      primitives_(primitives_of_patches(world.surface, patches_)),
      edge_(mean_edge_length(world)),
      places_(patches_.size()),
      boxes_(patches_.size()) {
    for (const SurfacePatch& patch : patches_) bodies_.push_back(patch.body);
    for (Snapshot& snapshot : snapshots_) snapshot.motions.resize(patches_.size());
}

void KeptCandidates::forget() {
    for (auto* lists : {&lists_, &last_, &spare_}) std::vector<List>().swap(*lists);
    std::vector<PatchSearch>().swap(search_);
    for (Snapshot& snapshot : snapshots_) snapshot.uses = 0;
}

void KeptCandidates::begin(const VecX& x0, const VecX& x1) {
    from_ = &x0;
    to_ = &x1;
    rounding_ = 1e-14 * std::max(largest_coordinate(x0), largest_coordinate(x1));
    STICTION_CHECK(std::isfinite(rounding_), "positions are finite");
    parallel_for(
        patches_.size(),
        [&](std::size_t p) {
            Place& place = places_[p];
            place.swept = Box{};
            for (const Index v : patches_[p].with_ring) {
                place.swept.add(Vec3(x0.segment<3>(3 * v)));
                place.swept.add(Vec3(x1.segment<3>(3 * v)));
            }
            place.move = motion_of(patches_[p], x0, x1);
            boxes_[p] = place.swept;
            boxes_[p].inflate(0.5 * (std::max(distances_.swept_within, distances_.swept_between) + distances_.offset) +
                              rounding_);
        },
        4);
    find_near_patches();
    take_over_lists();
}

KeptCandidates::Motion KeptCandidates::motion_of(const SurfacePatch& patch, const VecX& x0, const VecX& x1) {
    Box moves;
    for (const Index v : patch.with_ring) moves.add(Vec3((x1 - x0).segment<3>(3 * v)));
    return {0.5 * (moves.lower + moves.upper), 0.5 * (moves.upper - moves.lower)};
}

double KeptCandidates::most_apart(const Motion& a, const Motion& b) {
    return ((a.shift - b.shift).cwiseAbs() + a.spread + b.spread).norm();
}

double KeptCandidates::nearing(const List& list) const {
    return most_apart(places_[at(list.patches[0])].move, places_[at(list.patches[1])].move);
}

/// Needs list.needed of the step's start. Patches that move fast get the least room.
double KeptCandidates::cutoff_of_new(const List& list) const {
    const double least = least_room * edge_, most = most_room * edge_;
    return list.needed + (list.nearing > most ? least : std::clamp(moves_of_room * list.nearing, least, most));
}

KeptCandidates::Bodies KeptCandidates::bodies_of(Index p, Index q) const {
    const Index a = bodies_[at(p)], b = bodies_[at(q)];
    return {a == b, lengths_.share(a, b)};
}

double KeptCandidates::swept_reach(const Bodies& bodies) const {
    const double swept = bodies.same ? distances_.swept_within : distances_.swept_between;
    return bodies.share * swept + distances_.offset + 2.0 * rounding_;
}

void KeptCandidates::find_near_patches() {
    near_.clear();
    tree_.build(boxes_, bodies_);
    const auto add = [&](Index p, Index q) {
        const double reach = swept_reach(bodies_of(p, q));
        if (box_gaps(places_[at(p)].swept, places_[at(q)].swept).maxCoeff() <= reach)
            near_.push_back({std::min(p, q), std::max(p, q)});
    };
    for (const std::int32_t leaf : tree_.leaves()) {
        const Index p = tree_.nodes()[static_cast<std::size_t>(leaf)].item, body = bodies_[at(p)];
        if (world_.contact_pairs.allowed(body, body)) add(p, p);
        tree_.query(
            boxes_[at(p)], leaf + 1, [&](Index other) { return !world_.contact_pairs.allowed(body, other); },
            [&](Index q) { add(p, q); });
    }
    std::sort(near_.begin(), near_.end());
}

/// Lists of patches that are still near each other are kept.
void KeptCandidates::take_over_lists() {
    last_.swap(lists_);
    lists_.resize(near_.size());
    std::size_t old = 0;
    for (std::size_t l = 0; l < near_.size(); ++l) {
        while (old < last_.size() && last_[old].patches < near_[l]) spare_.push_back(std::move(last_[old++]));
        List& list = lists_[l];
        if (old < last_.size() && last_[old].patches == near_[l]) {
            list = std::move(last_[old++]);
        } else {
            if (!spare_.empty()) {
                list = std::move(spare_.back());
                spare_.pop_back();
            }
            list.patches = near_[l];
            list.bodies = bodies_of(near_[l][0], near_[l][1]);
            list.snapshot = -1;
        }
        list.of_step = false;
    }
    while (old < last_.size()) spare_.push_back(std::move(last_[old++]));
    last_.clear();
    if (search_.size() < blocks()) search_.resize(blocks());
}

/// `needed` of every list is set.
void KeptCandidates::prepare(const VecX& x, bool at_start) {
    place_patches(x);
    bool any = false;
    for (Snapshot& snapshot : snapshots_) snapshot.uses = 0;
    for (List& list : lists_) {
        check(list, at_start);
        if (list.snapshot >= 0 && !list.search) ++snapshots_[static_cast<std::size_t>(list.snapshot)].uses;
        any = any || (list.search && !serves_one_step(list, at_start));
    }
    if (any) take_snapshot(x);
    searches_ += std::ranges::count_if(lists_, &List::search);
}

void KeptCandidates::place_patches(const VecX& x) {
    parallel_for(
        patches_.size(),
        [&](std::size_t p) {
            places_[p].now = Box{};
            for (const Index v : patches_[p].with_ring) places_[p].now.add(Vec3(x.segment<3>(3 * v)));
            for (Snapshot& snapshot : snapshots_) {
                if (snapshot.uses > 0) snapshot.motions[p] = motion_of(patches_[p], snapshot.x, x);
            }
        },
        4);
}

void KeptCandidates::place_end(const VecX& x) {
    parallel_for(
        patches_.size(), [&](std::size_t p) { places_[p].off = motion_of(patches_[p], *to_, x); }, 4);
}

void KeptCandidates::check(List& list, bool at_start) const {
    const auto [p, q] = list.patches;
    list.search = false;
    list.asleep = box_gaps(places_[at(p)].now, places_[at(q)].now).norm() > list.needed;
    if (list.asleep) return;
    if (list.snapshot >= 0) {
        const std::vector<Motion>& motions = snapshots_[static_cast<std::size_t>(list.snapshot)].motions;
        list.apart = list.spent + most_apart(motions[at(p)], motions[at(q)]) + rounding_;
        list.search = !list.settled && !(list.needed + list.apart <= list.cutoff);
    } else {
        list.search = !list.settled && (at_start || !list.of_step);
    }
}

/// Takes the place of the one that serves the fewest lists. What their patches have moved since then is spent.
void KeptCandidates::take_snapshot(const VecX& x) {
    const auto chosen = std::min_element(snapshots_.begin(), snapshots_.end(),
                                         [](const Snapshot& a, const Snapshot& b) { return a.uses < b.uses; });
    taken_ = static_cast<int>(chosen - snapshots_.begin());
    chosen->x = x;
    for (List& list : lists_) {
        if (list.snapshot != taken_ || list.search) continue;
        list.spent = list.apart;
        if (list.asleep) list.snapshot = -1;
    }
    chosen->uses = lists_.size();
}

/// Its patches move too far in this step for it to be kept.
bool KeptCandidates::serves_one_step(const List& list, bool at_start) const {
    return at_start && list.nearing > fast_move * edge_;
}

void KeptCandidates::make(List& list, PatchSearch& search, bool at_start) const {
    const auto [p, q] = list.patches;
    const Place &a = places_[at(p)], &b = places_[at(q)];
    list.spent = list.apart = 0.0;
    list.of_step = serves_one_step(list, at_start);
    if (list.of_step) {
        list.snapshot = -1;
        const double reach = std::sqrt(3.0) * (1.0 + 1e-9) * swept_reach(list.bodies);
        search.find_swept(world_.surface, {primitives_[at(p)], a.swept}, {primitives_[at(q)], b.swept}, p == q, *from_,
                          *to_, reach, list.pairs);
        return;
    }
    list.snapshot = taken_;
    list.cutoff = std::max(list.wanted, list.needed);
    search.find(world_.surface, {primitives_[at(p)], a.now}, {primitives_[at(q)], b.now}, p == q, extents_, list.cutoff,
                list.pairs);
}

bool KeptCandidates::is_fresh(const std::array<Index, 4>& vertices, PairKind kind, const Bodies& bodies) const {
    const auto first = static_cast<std::size_t>(first_count(kind)),
               count = static_cast<std::size_t>(vertex_count(kind));
    Box boxes[2];
    for (std::size_t k = 0; k < count; ++k) {
        boxes[k < first ? 0 : 1].add(Vec3(from_->segment<3>(3 * vertices[k])));
        boxes[k < first ? 0 : 1].add(Vec3(to_->segment<3>(3 * vertices[k])));
    }
    // Twice half of it, as the broad phase grows boxes: the same pairs for any history.
    for (Box& box : boxes) box.inflate(0.5 * swept_reach(bodies));
    return boxes[0].overlaps(boxes[1]);
}

}  // namespace stiction::local_global
