// Sorting on all threads.
#pragma once

#include <tbb/parallel_sort.h>

#include <functional>
#include <vector>

namespace stiction {

/// Sorts ascending. `less` must tell apart all that are not the same in every bit: the result is then one and the same
/// for any number of threads.
template <class Value, class Less = std::less<>>
void parallel_sort(std::vector<Value>& values, const Less& less = {}) {
    tbb::parallel_sort(values.begin(), values.end(), less);
}

}  // namespace stiction
