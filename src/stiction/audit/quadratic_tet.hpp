// Is the map of a quadratic tet the right way round everywhere? Proved in interval arithmetic, or not at all.
#pragma once

#include "stiction/audit/separation.hpp"

#include <array>

namespace stiction::audit {

/// Positions of the nodes of Tet10 (m).
using Tet10Positions = std::array<Vec3, 10>;

/// Of an element in a stacked vector of all vertices.
inline Tet10Positions positions(const Tet10& nodes, const VecX& x) {
    Tet10Positions result;
    for (std::size_t a = 0; a < nodes.size(); ++a) result[a] = x.segment<3>(3 * static_cast<Eigen::Index>(nodes[a]));
    return result;
}

/// Whether all twenty Bernstein coefficients of det J, and so det J wherever it is, are proved positive. A coefficient
/// that is not above zero by more than the arithmetic can tell counts as not positive.
bool is_positive(const Tet10Positions& x);
/// The same at the four corners alone, whose coefficients are det J itself.
bool is_positive_at_corners(const Tet10Positions& x);

/// Do all coefficients stay positive while the nodes move from x0 to x1 in straight lines?
MoveVerdict certify_tet10(const Tet10Positions& x0, const Tet10Positions& x1, int work_limit = 1000);

}  // namespace stiction::audit
