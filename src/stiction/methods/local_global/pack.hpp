// SIMD arithmetic over several elements at a time.
#pragma once

#include <cmath>
#include <cstddef>

namespace stiction::local_global {

#define STICTION_INLINE inline __attribute__((always_inline))

/// Four doubles. Results do not depend on the width of the registers.
struct Pack {
    static constexpr std::size_t size = 4;
    using Lanes = double __attribute__((vector_size(size * sizeof(double))));
    Lanes lanes;

    Pack() = default;
    STICTION_INLINE Pack(double value) : lanes{value, value, value, value} {}
    STICTION_INLINE explicit Pack(const Lanes& values) : lanes(values) {}

    STICTION_INLINE double& operator[](std::size_t k) { return reinterpret_cast<double*>(&lanes)[k]; }
    STICTION_INLINE double operator[](std::size_t k) const { return reinterpret_cast<const double*>(&lanes)[k]; }
    STICTION_INLINE friend Pack operator+(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes + b.lanes)); }
    STICTION_INLINE friend Pack operator-(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes - b.lanes)); }
    STICTION_INLINE friend Pack operator*(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes * b.lanes)); }
    STICTION_INLINE friend Pack operator/(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes / b.lanes)); }
    STICTION_INLINE friend Pack operator-(const Pack& a) { return Pack(Lanes(-a.lanes)); }
};

STICTION_INLINE Pack root(const Pack& a) {
    Pack result;
    for (std::size_t k = 0; k < Pack::size; ++k) result[k] = std::sqrt(a[k]);
    return result;
}

/// The largest of all lanes.
STICTION_INLINE double largest(const Pack& a) {
    double result = a[0];
    for (std::size_t k = 1; k < Pack::size; ++k) result = a[k] > result ? a[k] : result;
    return result;
}

}  // namespace stiction::local_global
