// NumPy arrays that show memory of ours without a copy.
#pragma once

#include "stiction/base/types.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace stiction::python {

namespace nb = nanobind;

/// Keeps `owner` alive for as long as an array is.
template <class T>
nb::capsule keep_alive(std::shared_ptr<T> owner) {
    return nb::capsule(new std::shared_ptr<T>(std::move(owner)),
                       [](void* pointer) noexcept { delete static_cast<std::shared_ptr<T>*>(pointer); });
}

template <class T>
using Array = nb::ndarray<nb::numpy, const T>;

/// A read-only array of `rows` vectors of three numbers, in C order.
inline Array<double> vectors(const double* data, std::size_t rows, nb::handle owner) {
    const std::size_t shape[2] = {rows, 3};
    return Array<double>(data, 2, shape, owner);
}

/// A read-only array of any shape.
template <class T>
Array<T> view(const T* data, std::initializer_list<std::size_t> shape, nb::handle owner) {
    return Array<T>(data, shape.size(), shape.begin(), owner);
}

/// A writable array that owns a copy of `values`.
template <class T>
nb::object copied(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
    auto owner = std::make_shared<std::vector<T>>(values);
    T* data = owner->data();
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), keep_alive(std::move(owner))));
}

/// What Python gives: n vectors of three finite or other doubles, in C order, on the CPU; another kind of array is
/// converted, and refused with a TypeError where it cannot be.
using VectorsArgument = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

/// Stacked vector of such an array.
inline VecX stacked(const VectorsArgument& array) {
    return Eigen::Map<const VecX>(array.data(), static_cast<Eigen::Index>(3 * array.shape(0)));
}

}  // namespace stiction::python
