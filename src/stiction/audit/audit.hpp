// Certificate of one state: positions alone, without rounding.
#pragma once

#include "stiction/audit/describe.hpp"

namespace stiction::audit {

/// What is wrong with a state; see the members' own headers for what each list holds.
struct AuditReport {
    std::vector<Index> not_finite;  ///< vertices; if there are any, nothing else is looked at
    std::vector<Intersection> intersections;
    std::vector<HalfSpaceViolation> half_spaces;
    std::vector<InvertedTet> inverted;          ///< of materials that forbid it
    std::vector<InvertedTet> inverted_allowed;  ///< of materials that bear it: information, not a fault

    bool ok() const { return not_finite.empty() && intersections.empty() && half_spaces.empty() && inverted.empty(); }
    bool overlaps() const { return !intersections.empty() || !half_spaces.empty(); }
    std::size_t fault_count() const {
        return not_finite.size() + intersections.size() + half_spaces.size() + inverted.size();
    }
};

/// What of a report is wrong for a method that does not promise to keep bodies apart: all but intersections and
/// half-spaces.
AuditReport without_overlaps(AuditReport report);

/// Intersections, half-spaces and inversions at stacked positions x (m) of ALL vertices. Throws InternalError if the
/// size is wrong.
AuditReport audit_state(const World& world, const VecX& x);

/// One line a fault, with names of bodies and primitives; at most `limit` of them, and then one line that says how many
/// are left out.
std::vector<std::string> messages(const World& world, const AuditReport& report, const VecX& x, std::size_t limit = 20);

}  // namespace stiction::audit
