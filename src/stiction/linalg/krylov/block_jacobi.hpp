// Preconditioning by the 3x3 diagonal blocks.
#pragma once

#include "stiction/linalg/block_system.hpp"

namespace stiction {

/// M = the diagonal blocks of a BlockSystem at the time of set().
class BlockJacobi {
public:
    /// Inverts the diagonal blocks.
    /// @return the first node whose block is not positive definite, or -1 when all are and apply() may be used
    Index set(const BlockSystem& system);

    /// z = M^-1 r; sizes 3 nodes; z may be r.
    void apply(const VecX& r, VecX& z) const;

private:
    std::vector<Mat3> inverses_;
};

}  // namespace stiction
