// Many 3-vectors as three lists.
#pragma once

#include "stiction/base/types.hpp"

#include <vector>

namespace stiction::local_global {

/// 3-vectors of columns as three lists, for SIMD.
class PlanarColumns {
public:
    void resize(std::size_t count) {
        for (auto& list : lists_) list.resize(count);
    }
    void set(std::size_t column, const double* value) {
        for (std::size_t k = 0; k < 3; ++k) lists_[k][column] = value[k];
    }
    void set_zero(std::size_t count) {
        for (auto& list : lists_) list.assign(count, 0.0);
    }
    Vec3 operator[](std::size_t column) const { return {lists_[0][column], lists_[1][column], lists_[2][column]}; }
    double* list(std::size_t axis) { return lists_[axis].data(); }
    const double* list(std::size_t axis) const { return lists_[axis].data(); }

private:
    std::vector<double> lists_[3];
};

}  // namespace stiction::local_global
