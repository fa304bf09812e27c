// The norm that nonlinear iterations stop on. Knows no physics.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// Largest absolute entry of a stacked vector, |x|_inf; 0 when it is empty, NaN when an entry is NaN.
inline double infinity_norm(const VecX& x) {
    return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

}  // namespace stiction
