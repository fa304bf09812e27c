// SIMD arithmetic over several elements at a time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stiction::simd {

#define STICTION_INLINE inline __attribute__((always_inline))

/// Before a function: it uses AVX2 where the machine has it. Contraction is off, so the bits are the same. Functions of
/// packs that it calls have to be inlined. Not under sanitizers, which are set up after the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STICTION_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define STICTION_WIDE
#endif

/// Four doubles. Results do not depend on the width of the registers.
struct Pack {
    static constexpr std::size_t size = 4;
    using Lanes = double __attribute__((vector_size(size * sizeof(double))));
    Lanes lanes;

    Pack() = default;
    STICTION_INLINE Pack(double value) : lanes{value, value, value, value} {}
    STICTION_INLINE explicit Pack(const Lanes& values) : lanes(values) {}
    /// Four numbers from memory, of any alignment.
    STICTION_INLINE static Pack load(const double* from) {
        Pack result;
        std::memcpy(&result.lanes, from, sizeof(result.lanes));
        return result;
    }
    STICTION_INLINE static Pack load(const float* from) {
        using Floats = float __attribute__((vector_size(size * sizeof(float))));
        Floats values;
        std::memcpy(&values, from, sizeof(values));
        return Pack(__builtin_convertvector(values, Lanes));
    }
    STICTION_INLINE void store(double* to) const { std::memcpy(to, &lanes, sizeof(lanes)); }

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

/// The larger of each lane; b where a is no number.
STICTION_INLINE Pack larger(const Pack& a, const Pack& b) {
    return Pack(Pack::Lanes(a.lanes > b.lanes ? a.lanes : b.lanes));
}

STICTION_INLINE Pack absolute(const Pack& a) {
    return Pack(Pack::Lanes(a.lanes < 0.0 ? -a.lanes : a.lanes));
}

/// Lanes of `a` where low < high, of b elsewhere and where one is no number.
STICTION_INLINE Pack where_less(const Pack& low, const Pack& high, const Pack& a, const Pack& b) {
    return Pack(Pack::Lanes(low.lanes < high.lanes ? a.lanes : b.lanes));
}

/// Columns of four rows of four.
STICTION_INLINE void transpose4(const Pack* rows, Pack* columns) {
    using Lanes = Pack::Lanes;
    const Lanes &a = rows[0].lanes, &b = rows[1].lanes, &c = rows[2].lanes, &d = rows[3].lanes;
    const Lanes even_ab{a[0], b[0], a[2], b[2]}, even_cd{c[0], d[0], c[2], d[2]};
    const Lanes odd_ab{a[1], b[1], a[3], b[3]}, odd_cd{c[1], d[1], c[3], d[3]};
    columns[0] = Pack(Lanes{even_ab[0], even_ab[1], even_cd[0], even_cd[1]});
    columns[1] = Pack(Lanes{odd_ab[0], odd_ab[1], odd_cd[0], odd_cd[1]});
    columns[2] = Pack(Lanes{even_ab[2], even_ab[3], even_cd[2], even_cd[3]});
    columns[3] = Pack(Lanes{odd_ab[2], odd_ab[3], odd_cd[2], odd_cd[3]});
}

/// Columns 0 to 2 of four rows.
STICTION_INLINE void transpose(const Pack* rows, Pack* columns) {
    Pack all[4];
    transpose4(rows, all);
    for (std::size_t k = 0; k < 3; ++k) columns[k] = all[k];
}

/// values[i] gets in[k][i] in lane k, i < count.
STICTION_INLINE void load_lanes(const double* const* in, std::size_t count, Pack* values) {
    std::size_t i = 0;
    for (; i + Pack::size <= count; i += Pack::size) {
        Pack rows[Pack::size];
        for (std::size_t k = 0; k < Pack::size; ++k) std::memcpy(&rows[k].lanes, in[k] + i, sizeof(Pack::Lanes));
        transpose4(rows, values + i);
    }
    for (; i < count; ++i) {
        for (std::size_t k = 0; k < Pack::size; ++k) values[i][k] = in[k][i];
    }
}

/// out[k][i] gets lane k of values[i], i < count.
STICTION_INLINE void store_lanes(const Pack* values, std::size_t count, double* const* out) {
    std::size_t i = 0;
    for (; i + Pack::size <= count; i += Pack::size) {
        Pack rows[Pack::size];
        transpose4(values + i, rows);
        for (std::size_t k = 0; k < Pack::size; ++k) std::memcpy(out[k] + i, &rows[k].lanes, sizeof(Pack::Lanes));
    }
    for (; i < count; ++i) {
        for (std::size_t k = 0; k < Pack::size; ++k) out[k][i] = values[i][k];
    }
}

/// Stores lane after lane, of each the three components of v.
STICTION_INLINE void interleave(const Pack* v, double* out) {
    using Lanes = Pack::Lanes;
    const Lanes &x = v[0].lanes, &y = v[1].lanes, &z = v[2].lanes;
    const Lanes xy{x[0], y[0], x[2], y[2]}, yz{y[1], z[1], y[3], z[3]}, zx{z[0], x[1], z[2], x[3]};
    const Lanes rows[3] = {Lanes{xy[0], xy[1], zx[0], zx[1]}, Lanes{yz[0], yz[1], xy[2], xy[3]},
                           Lanes{zx[2], zx[3], yz[2], yz[3]}};
    std::memcpy(out, rows, sizeof(rows));
}

/// ln(1 + x) and x - ln(1 + x), to 2 and 10 units in the last place for x > -1; no meaning for other x.
struct PackLogarithm {
    Pack log1p, rest;
    STICTION_INLINE explicit PackLogarithm(const Pack& x);
};

/// 1 + x = 2^k (1 + t) with 1 + t from sqrt(1/2) to sqrt(2). With r = t / (2 + t): ln(1 + t) = 2 atanh(r), and
/// t - ln(1 + t) = t r - 2 (r^3/3 + r^5/5 + ...). Where k = 0, t is x itself, so that small x keep all digits.
STICTION_INLINE PackLogarithm::PackLogarithm(const Pack& x) {
    using Integers = std::int64_t __attribute__((vector_size(Pack::size * sizeof(std::int64_t))));
    constexpr std::int64_t root_half = 0x3FE6A09E667F3BCD, one = 0x3FF0000000000000;  // bits of doubles
    constexpr std::int64_t large = 0x4338000000000000;                                // bits of 3 * 2^51
    constexpr double log_two = 0.69314718055994530942;
    const Pack u = Pack(1.0) + x, lost = x - (u - Pack(1.0));
    const Integers k = (reinterpret_cast<Integers>(u.lanes) - root_half) >> 52;
    const Integers power_bits = one - (k << 52), count_bits = k + large;
    const Pack power(reinterpret_cast<Pack::Lanes>(power_bits));                                    // 2^-k
    const Pack count = Pack(reinterpret_cast<Pack::Lanes>(count_bits)) - Pack(6755399441055744.0);  // k
    const Pack t = (u * power - Pack(1.0)) + lost * power;
    const Pack r = t / (Pack(2.0) + t), square = r * r;  // at most 0.0295: ten terms reach 1e-17
    Pack series(1.0 / 21.0);
    for (int odd = 19; odd >= 3; odd -= 2) series = series * square + Pack(1.0 / odd);
    const Pack of_t = t * r - Pack(2.0) * r * square * series, twos = count * Pack(log_two);
    log1p = twos + (t - of_t);
    rest = ((x - t) - twos) + of_t;
}

/// The largest of all lanes.
STICTION_INLINE double largest(const Pack& a) {
    double result = a[0];
    for (std::size_t k = 1; k < Pack::size; ++k) result = a[k] > result ? a[k] : result;
    return result;
}

}  // namespace stiction::simd
