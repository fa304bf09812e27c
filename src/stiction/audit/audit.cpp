#include "stiction/audit/audit.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

namespace stiction::audit {

AuditReport without_overlaps(AuditReport report) {
    report.intersections.clear();
    report.half_spaces.clear();
    return report;
}

AuditReport audit_state(const World& world, const VecX& x) {
    STICTION_CHECK(x.size() == 3 * static_cast<Eigen::Index>(world.vertex_count()), "positions of all vertices");
    AuditReport report;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!x.segment<3>(3 * v).allFinite()) report.not_finite.push_back(v);
    }
    if (!report.not_finite.empty()) return report;
    report.intersections = find_intersections(world, x);
    report.half_spaces = find_half_space_violations(world, x);
    Inversions inversions = find_inversions(world, x);
    report.inverted = std::move(inversions.forbidden);
    report.inverted_allowed = std::move(inversions.allowed);
    return report;
}

std::vector<std::string> messages(const World& world, const AuditReport& report, const VecX& x, std::size_t limit) {
    std::vector<std::string> lines;
    const auto add = [&](const auto& list, const auto& text) {
        for (const auto& item : list) {
            if (lines.size() == limit) return;
            lines.push_back(text(item));
        }
    };
    add(report.not_finite, [&](Index v) { return describe_vertex(world, v) + " is not finite"; });
    add(report.half_spaces, [&](const HalfSpaceViolation& found) { return describe(world, found, x); });
    add(report.intersections, [&](const Intersection& found) { return describe(world, found); });
    add(report.inverted, [&](const InvertedTet& found) { return describe(world, found); });
    if (report.fault_count() > lines.size())
        lines.push_back(fmt::format("... and {} more", report.fault_count() - lines.size()));
    return lines;
}

}  // namespace stiction::audit
