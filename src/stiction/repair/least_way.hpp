// The shortest straight way to a place that is clear, by trying directions.
#pragma once

#include "stiction/base/types.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace stiction::repair {

/// A way: `length` (m) along a unit vector.
struct Way {
    Vec3 direction = Vec3::Zero();
    double length = 0.0;
};

/// What the search knows of the place that it is to leave. Ways are vectors from there (m).
struct WayProblem {
    std::function<bool(const Vec3&)> is_clear;  ///< whether the place at the end of a way is clear
    std::function<double(const Vec3&)> beyond;  ///< length (m) at which a way along a unit vector has passed everything
    /// From what is nearest to the place at the end of a way, where that touches nearly; may be missing.
    std::function<std::optional<Vec3>(const Vec3&)> nearest;
    std::vector<Vec3> directions;  ///< to be tried, unit vectors
    double tolerance = 0.0;        ///< m, of lengths
};

/// Along each direction the length is bisected; the search goes on along the normal at what is nearest to the end of
/// the way. At last the best direction is varied. Nothing where no way was found. Beyond the length that it finds along
/// a direction, the search takes the way for clear: it may miss clear places on the way.
std::optional<Way> least_way(const WayProblem& problem);

/// The axes and their diagonals, 26 unit vectors.
std::vector<Vec3> axes_and_diagonals();

}  // namespace stiction::repair
