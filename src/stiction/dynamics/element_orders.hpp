// Elimination orders of the elements alone, without contacts, for the sets of driven coordinates that come in turns.
#pragma once

#include "stiction/linalg/block_pattern.hpp"
#include "stiction/linalg/ordering.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stiction {

/// Remembers the orders of the last eight sets. They depend on the arguments alone.
class ElementOrders {
public:
    using Axes = std::vector<std::uint8_t>;  ///< DofMap::driven_axes()

    /// @param pattern  of the elements with these driven coordinates
    std::shared_ptr<const EliminationOrder> order(const Axes& axes, const BlockPattern& pattern);
    /// nonzeros(L)^2 / scalar rows, which bounds the operations of the factorisation from below, over the scalar
    /// entries of A. Infinite where the factor does not fit.
    double factor_work(const Axes& axes, const BlockPattern& pattern);

private:
    struct Entry {
        Axes axes;
        std::shared_ptr<const EliminationOrder> order;
        std::optional<double> factor_work;
    };
    Entry& entry(const Axes& axes, const BlockPattern& pattern);

    std::vector<Entry> entries_;
};

}  // namespace stiction
