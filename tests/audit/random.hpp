// Numbers for the audit's tests.
#pragma once

#include "stiction/base/types.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <random>

namespace stiction::testing {

using Exact = boost::multiprecision::cpp_rational;

/// Reproducible on one platform; every test prints its seed.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
    int integer(int low, int high) {
        return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(double p) { return real(0.0, 1.0) < p; }
    Vec3 vector(double size) {
        const double x = real(-size, size), y = real(-size, size), z = real(-size, size);
        return {x, y, z};
    }
    Vec3 grid(int low, int high) {
        const int x = integer(low, high), y = integer(low, high), z = integer(low, high);
        return {double(x), double(y), double(z)};
    }
    /// Moves every coordinate by at most `steps` neighbouring doubles.
    Vec3 nudged(Vec3 p, int steps) {
        for (int k = 0; k < 3; ++k) {
            const int n = integer(-steps, steps);
            for (int i = 0; i < std::abs(n); ++i) p[k] = std::nextafter(p[k], n > 0 ? 1e308 : -1e308);
        }
        return p;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace stiction::testing
