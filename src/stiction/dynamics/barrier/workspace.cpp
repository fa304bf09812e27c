#include "stiction/dynamics/barrier/workspace.hpp"

namespace stiction {
namespace {

/// Candidates and matrix pattern reach this many activation distances, so that both survive small changes of the
/// contact set.
constexpr double reach_factor = 2.0;

}  // namespace

BarrierWorkspace::BarrierWorkspace(const World& w, const BarrierOptions& options)
    : world(&w), identity(w.identity), detection(w, reach_factor * resolve_limits(options, w).dhat), assembly(w) {}

}  // namespace stiction
