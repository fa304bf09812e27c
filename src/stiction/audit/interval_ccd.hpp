// Continuous collision certificates of straight moves, in interval arithmetic.
#pragma once

#include "stiction/audit/separation.hpp"
#include "stiction/world/world.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace stiction::audit {

enum class MovePairKind : std::uint8_t {
    not_finite,
    point_triangle,
    edge_edge,
    point_edge,
    point_point,
    point_half_space,
    tet
};

/// Something that a move was not proved to be safe for.
struct UnprovedPair {
    MovePairKind kind;
    Index first;   ///< point, not_finite: global vertex id; edge: index into surface.edges; tet: index into
                   ///< World::elastic, those of World::quadratic counted on
    Index second;  ///< point: global vertex id; edge, triangle: index into the surface's list; half-space: index into
                   ///< World::half_spaces; tet: index in its group
    std::array<Index, 4> vertices;  ///< global vertex ids, those of the first feature first; unused entries are -1
                                    ///< (half-space: vertex, origin)
    MoveVerdict verdict;

    bool operator==(const UnprovedPair&) const = default;
};

/// What was looked at and what was proved, of one move or, added up, of many.
struct MoveCertificate {
    long moves = 0;
    long pairs = 0;     ///< pairs of primitives that boxes alone did not prove apart, and vertices against half-spaces
    long proved = 0;    ///< of these
    long unproved = 0;  ///< of these
    long tets = 0;      ///< tets of laws that forbid inversion
    long tets_unproved = 0;  ///< of these
    std::vector<UnprovedPair>
        first_unproved;  ///< the first few, of the first moves that had any, tets last in each move

    bool ok() const { return unproved == 0 && tets_unproved == 0; }
    MoveCertificate& operator+=(const MoveCertificate& other);
};

/// Certifies moves of one world. The pairs are those that can touch first: colliding vertices and triangles that do not
/// contain them, edges without a common vertex, bare points or ends of bare edges and bare edges that do not contain
/// them, bare points, all of bodies that may touch; colliding vertices and half-spaces; tets of laws that forbid
/// inversion. A move from a state without intersection for which all of them are proved ends in one, and has none on
/// the way.
class MoveCertifier {
public:
    /// @param world       must outlive the certifier
    /// @param work_limit  of one pair, see certify_pair
    explicit MoveCertifier(const World& world, int work_limit = 4000) : world_(&world), work_limit_(work_limit) {}

    /// The move from x0 to x1 (stacked positions of ALL vertices, m). The same for any number of threads. If a position
    /// is not finite, one pair (not_finite) stands for all, and is unproved.
    /// @throws InternalError if sizes do not fit
    MoveCertificate certify_move(const VecX& x0, const VecX& x1) const;

private:
    const World* world_;
    int work_limit_;
};

/// The most entries that first_unproved holds.
inline constexpr std::size_t most_unproved_listed = 10;

}  // namespace stiction::audit
