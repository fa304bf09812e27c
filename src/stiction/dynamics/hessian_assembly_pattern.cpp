// The pattern of a HessianAssembly: elements, and contacts as they come.
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/hessian_assembly.hpp"

#include <algorithm>
#include <utility>

namespace stiction {
namespace {

template <std::size_t N>
std::vector<std::array<Index, N>> element_nodes(const std::vector<std::array<Index, N>>& stencils, const DofMap& map) {
    std::vector<std::array<Index, N>> nodes(stencils.size());
    for (std::size_t e = 0; e < stencils.size(); ++e) {
        for (std::size_t a = 0; a < N; ++a) nodes[e][a] = stencils[e][a] < 0 ? Index{-1} : map.node(stencils[e][a]);
    }
    return nodes;
}

/// Every pair of different nodes once.
std::vector<Edge> pairs_of(const BlockPattern& pattern) {
    std::vector<Edge> pairs;
    pairs.reserve(at(pattern.slots() - pattern.nodes));
    for (Index column = 0; column < pattern.nodes; ++column) {
        for (Index slot = pattern.column_begin[at(column)] + 1; slot < pattern.column_begin[at(column) + 1]; ++slot)
            pairs.push_back({column, pattern.rows[at(slot)]});
    }
    return pairs;
}

}  // namespace

void HessianAssembly::begin(const DofMap& map, bool is_part) {
    const bool same_map = map_ && *map_ == map;
    const bool had_contacts = !contact_pairs_.empty();
    contact_pairs_.clear();
    is_part_ = is_part;
    has_first_order_ = false;
    if (same_map && !had_contacts) return;
    if (!same_map) {
        map_.reset();  // until there is a pattern for it
        std::vector<Edge> pairs;
        const auto add = [&](const auto& stencils) {
            const auto some = element_pairs(element_nodes(stencils, map));
            pairs.insert(pairs.end(), some.begin(), some.end());
        };
        for (const std::vector<Tet>* stencils : element_stencils()) add(*stencils);
        for (const QuadraticGroup& group : world_.quadratic) add(group.elements.vertices);
        element_pattern_ = std::make_shared<const BlockPattern>(BlockPattern::from_pairs(map.node_count(), pairs));
        scatters_.clear();
        quadratic_scatters_.clear();
        map_ = map;
    }
    rebuild();
}

void HessianAssembly::analyze_ahead() {
    if (newton_.solver() == SystemSolver::multigrid) return;
    keep_order();
    newton_.sparse().analyze_ahead();
}

void HessianAssembly::keep_order() {
    if (has_first_order_) return;
    newton_.sparse().keep_order(is_part_ ? nullptr : element_orders_.order(map_->driven_axes(), *element_pattern_));
    has_first_order_ = true;
}

template <class Visit>
void HessianAssembly::visit_missing(const Stencil& stencil, const Visit& visit) const {
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = a + 1; b < 4; ++b) {
            if (stencil[a] < 0 || stencil[b] < 0) continue;
            for (const auto& left : map_->entries(stencil[a])) {
                for (const auto& right : map_->entries(stencil[b])) {
                    if (left.node != right.node && !newton_.sparse().contains(left.node, right.node))
                        visit(Edge{std::min(left.node, right.node), std::max(left.node, right.node)});
                }
            }
        }
    }
}

bool HessianAssembly::covers(const Stencil& stencil) const {
    bool covered = true;
    visit_missing(stencil, [&](const Edge&) { covered = false; });
    return covered;
}

void HessianAssembly::extend(const std::vector<Stencil>& stencils) {
    constexpr std::size_t part_size = 1024;
    std::vector<std::vector<Edge>> missing((stencils.size() + part_size - 1) / part_size);
    parallel_tasks(missing.size(), [&](std::size_t part) {
        const std::size_t end = std::min(stencils.size(), (part + 1) * part_size);
        for (std::size_t i = part * part_size; i < end; ++i)
            visit_missing(stencils[i], [&](const Edge& pair) { missing[part].push_back(pair); });
    });
    const std::size_t before = contact_pairs_.size();
    for (const std::vector<Edge>& pairs : missing)
        contact_pairs_.insert(contact_pairs_.end(), pairs.begin(), pairs.end());
    if (contact_pairs_.size() == before) return;
    const auto added = contact_pairs_.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(added, contact_pairs_.end());
    contact_pairs_.erase(std::unique(added, contact_pairs_.end()), contact_pairs_.end());
    rebuild();
}

void HessianAssembly::rebuild() {
    const auto groups = element_stencils();
    if (contact_pairs_.empty()) {
        newton_.sparse().set_pattern(element_pattern_);
    } else {
        std::vector<Edge> pairs = pairs_of(*element_pattern_);
        pairs.insert(pairs.end(), contact_pairs_.begin(), contact_pairs_.end());
        newton_.sparse().set_pattern(map_->node_count(), pairs);
    }
    const auto pattern = newton_.sparse().pattern();
    if (scatters_.size() == groups.size() && quadratic_scatters_.size() == world_.quadratic.size()) {
        for (ElementScatter& scatter : scatters_) scatter.set_pattern(pattern);
        for (NodeScatter<10>& scatter : quadratic_scatters_) scatter.set_pattern(pattern);
        return;
    }
    scatters_.clear();
    quadratic_scatters_.clear();
    for (const std::vector<Tet>* stencils : groups) scatters_.emplace_back(pattern, element_nodes(*stencils, *map_));
    for (const QuadraticGroup& group : world_.quadratic)
        quadratic_scatters_.emplace_back(pattern, element_nodes(group.elements.vertices, *map_));
}

std::vector<const std::vector<Tet>*> HessianAssembly::element_stencils() const {
    std::vector<const std::vector<Tet>*> stencils;
    for (const ElasticGroup& group : world_.elastic) stencils.push_back(&group.elements.vertices);
    for (const SheetGroup& group : world_.sheets) stencils.push_back(&group.stencils);
    for (const FilledRegion& filling : world_.fillings) stencils.push_back(&filling.edge_stencils);
    return stencils;
}

}  // namespace stiction
