// Numbers as unevaluated sums of doubles: additions and products without rounding.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace stiction::audit {

/// sum + error = a + b exactly (Knuth), for any two doubles whose sum does not overflow.
inline std::pair<double, double> two_sum(double a, double b) {
    const double sum = a + b;
    const double b_part = sum - a, a_part = sum - b_part;
    return {sum, (a - a_part) + (b - b_part)};
}

/// product + error = a b exactly (Dekker, Veltkamp), for |a|, |b| < 2^990 and a product whose lowest bit does not
/// underflow.
inline std::pair<double, double> two_product(double a, double b) {
    const auto split = [](double value) {
        const double scaled = 134217729.0 * value;  // 2^27 + 1
        const double high = scaled - (scaled - value);
        return std::pair{high, value - high};
    };
    const double product = a * b;
    const auto [a_high, a_low] = split(a);
    const auto [b_high, b_low] = split(b);
    return {product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)};
}

/// A sum of at most `Capacity` doubles that do not overlap, by increasing magnitude and without zeros (Shewchuk,
/// Adaptive precision floating-point arithmetic and fast robust geometric predicates, 1997, sections 2.4 and 2.5).
template <std::size_t Capacity>
class Expansion {
public:
    Expansion() = default;
    /// a - b.
    static Expansion difference(double a, double b) {
        Expansion result;
        const auto [high, low] = two_sum(a, -b);
        result.push(low);
        result.push(high);
        return result;
    }
    static Expansion of(double value) { return difference(value, 0.0); }

    std::size_t size() const { return size_; }
    double operator[](std::size_t i) const { return parts_[i]; }
    /// The last part outweighs all others together.
    int sign() const { return size_ == 0 ? 0 : (parts_[size_ - 1] > 0.0 ? 1 : -1); }

    /// Shewchuk's GROW-EXPANSION.
    void add(double value) {
        const std::size_t before = size_;
        size_ = 0;
        for (std::size_t i = 0; i < before; ++i) {
            const auto [sum, error] = two_sum(value, parts_[i]);
            push(error);
            value = sum;
        }
        push(value);
    }
    template <std::size_t Other>
    void add(const Expansion<Other>& other, double factor = 1.0) {  // factor: +1 or -1
        for (std::size_t i = 0; i < other.size(); ++i) add(factor * other[i]);
    }

private:
    void push(double value) {
        if (value != 0.0) parts_[size_++] = value;
    }
    std::array<double, Capacity> parts_;
    std::size_t size_ = 0;
};

/// a b: the two-products of all parts, added up. Result needs room for 2 |a| |b| parts.
template <std::size_t Capacity, std::size_t A, std::size_t B>
void add_product(Expansion<Capacity>& result, const Expansion<A>& a, const Expansion<B>& b, double factor = 1.0) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto [high, low] = two_product(factor * a[i], b[j]);
            result.add(low);
            result.add(high);
        }
    }
}

}  // namespace stiction::audit
