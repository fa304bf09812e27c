#include "stiction/methods/local_global/pack_kernels.hpp"

#include "stiction/math/pack.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace stiction::local_global {
using namespace simd;

namespace {

constexpr std::size_t lanes = Pack::size;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The element of each lane. Lanes beyond the end repeat the last element and are not stored.
struct Elements {
    std::size_t index[lanes];
    std::size_t used;

    STICTION_INLINE Elements(std::size_t first, std::size_t end) : used(std::min(lanes, end - first)) {
        for (std::size_t k = 0; k < lanes; ++k) index[k] = std::min(first + k, end - 1);
    }
    STICTION_INLINE Pack load(const double* values) const {
        Pack result;
        if (used == lanes) {
            std::memcpy(&result.lanes, values + index[0], sizeof(result.lanes));
            return result;
        }
        for (std::size_t k = 0; k < lanes; ++k) result[k] = values[index[k]];
        return result;
    }
};

/// Position of a vertex and a zero.
STICTION_INLINE Pack position(const double* x, Index vertex) {
    const double* const at = x + 3 * static_cast<std::size_t>(vertex);
    return Pack(Pack::Lanes{at[0], at[1], at[2], 0.0});
}

/// Edges from corner 0, by columns.
template <std::size_t Corners>
STICTION_INLINE void load_edges(const std::vector<Index>& corner, std::size_t count, const Elements& elements,
                                const double* x, Pack* edges) {
    Pack rows[Corners - 1][lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
        const Index* const vertex = corner.data() + elements.index[k];
        const Pack origin = position(x, vertex[0]);
        for (std::size_t a = 1; a < Corners; ++a) rows[a - 1][k] = position(x, vertex[a * count]) - origin;
    }
    for (std::size_t a = 0; a + 1 < Corners; ++a) transpose(rows[a], edges + 3 * a);
}

/// Forces of corners 1, 2, ... are the columns of volume P Dm^-T; corner 0 balances them.
template <std::size_t Dimension>
STICTION_INLINE void store(const Pack* P, const Pack* inverse, const Pack& volume, const Pack& density,
                           const Elements& elements, std::size_t count, double* energy, double* force) {
    Pack corner[3 * Dimension], balance[3];
    for (std::size_t i = 0; i < 3; ++i) balance[i] = Pack(0.0);
    for (std::size_t a = 0; a < Dimension; ++a) {
        for (std::size_t i = 0; i < 3; ++i) {
            Pack sum(0.0);
            for (std::size_t j = 0; j < Dimension; ++j) sum = sum + P[3 * j + i] * inverse[Dimension * j + a];
            corner[3 * a + i] = volume * sum;
            balance[i] = balance[i] - corner[3 * a + i];
        }
    }
    const Pack total = volume * density;
    if (elements.used == lanes) {
        const std::size_t e = elements.index[0];
        std::memcpy(energy + e, &total.lanes, sizeof(total.lanes));
        interleave(balance, force + 3 * e);
        for (std::size_t a = 0; a < Dimension; ++a) interleave(corner + 3 * a, force + 3 * ((a + 1) * count + e));
        return;
    }
    for (std::size_t k = 0; k < elements.used; ++k) {
        const std::size_t e = elements.index[k];
        energy[e] = total[k];
        for (std::size_t i = 0; i < 3; ++i) {
            force[3 * e + i] = balance[i][k];
            for (std::size_t a = 0; a < Dimension; ++a) force[3 * ((a + 1) * count + e) + i] = corner[3 * a + i][k];
        }
    }
}

STICTION_INLINE void cofactors(const Pack* F, Pack* C) {
    for (std::size_t j = 0; j < 3; ++j) {
        const Pack *a = F + 3 * ((j + 1) % 3), *b = F + 3 * ((j + 2) % 3);
        for (std::size_t i = 0; i < 3; ++i)
            C[3 * j + i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

STICTION_INLINE Pack dot3(const Pack* a, const Pack* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

STICTION_INLINE Pack square_sum(const Pack* a, std::size_t n) {
    Pack sum(0.0);
    for (std::size_t i = 0; i < n; ++i) sum = sum + a[i] * a[i];
    return sum;
}

/// Trace f of S in F = R S, det F > 0, of several packs: the largest root of the quartic polynomial
/// (f^2 - |F|^2)^2 - 4 |cof F|^2 - 8 J f (Lin, Chitalu and Komura 2022). Newton's method from sqrt(3) |F| >= f falls to
/// it from above, for all four roots are real. The packs take turns, so that divisions overlap.
struct StretchTrace {
    Pack size, cofactor_size, J, f, error;  ///< |F|^2, |cof F|^2; `error` is the square of the last step over f

    STICTION_INLINE void start(const Pack* F) {
        Pack C[9];
        cofactors(F, C);
        size = square_sum(F, 9);
        cofactor_size = square_sum(C, 9);
        J = dot3(F, C);
        f = root(Pack(3.0) * size);
    }
    STICTION_INLINE void improve() {
        const Pack g = f * f - size, four(4.0), eight_J = Pack(8.0) * J;
        const Pack step = (g * g - four * cofactor_size - eight_J * f) / (four * f * g - eight_J);
        f = f - step;
        error = step * step / (f * f);
    }
};

/// Newton's method for all. Convergence is quadratic: a step of 1e-9 leaves an error below 1e-16.
constexpr double largest_step_error = 1e-18;
STICTION_INLINE void find_traces(StretchTrace* traces, std::size_t count) {
    constexpr int most = 16;
    for (int iteration = 0; iteration < most; ++iteration) {
        Pack worst(0.0);
        for (std::size_t p = 0; p < count; ++p) {
            traces[p].improve();
            worst = larger(worst, traces[p].error);
        }
        if (largest(worst) <= largest_step_error) return;
    }
}

/// R of F = R S with cofactors C: R = df/dF. With q = (f^2 - |F|^2) / 2, the second invariant of S, no difference here
/// cancels.
STICTION_INLINE void rotation(const Pack* F, const Pack* C, const StretchTrace& trace, Pack* R) {
    const Pack q = Pack(0.5) * (trace.f * trace.f - trace.size), scale = Pack(1.0) / (trace.f * q - trace.J);
    const Pack diagonal = q + trace.size, of_cofactors = scale * trace.f;
    const Pack M[6] = {scale * (diagonal - dot3(F, F)), -(scale * dot3(F, F + 3)),
                       -(scale * dot3(F, F + 6)),       scale * (diagonal - dot3(F + 3, F + 3)),
                       -(scale * dot3(F + 3, F + 6)),   scale * (diagonal - dot3(F + 6, F + 6))};
    for (std::size_t i = 0; i < 3; ++i) {
        R[i] = (F[i] * M[0] + F[3 + i] * M[1] + F[6 + i] * M[2]) + of_cofactors * C[i];
        R[3 + i] = (F[i] * M[1] + F[3 + i] * M[3] + F[6 + i] * M[4]) + of_cofactors * C[3 + i];
        R[6 + i] = (F[i] * M[2] + F[3 + i] * M[4] + F[6 + i] * M[5]) + of_cofactors * C[6 + i];
    }
}

/// C = F^T F = [a b; b c] and J = |f0 x f1| of the columns f0, f1 of F.
struct SheetMetric {
    Pack a, b, c, J;
    STICTION_INLINE explicit SheetMetric(const Pack* F) : a(dot3(F, F)), b(dot3(F, F + 3)), c(dot3(F + 3, F + 3)) {
        Pack cross[3];
        for (std::size_t i = 0; i < 3; ++i)
            cross[i] = F[(i + 1) % 3] * F[3 + (i + 2) % 3] - F[(i + 2) % 3] * F[3 + (i + 1) % 3];
        J = root(dot3(cross, cross));
    }
};

STICTION_INLINE void load_gradient(const TetArrays& tets, const Elements& elements, const double* x, Pack* F,
                                   Pack* inverse) {
    Pack edges[9];
    load_edges<4>(tets.corner, tets.count, elements, x, edges);
    for (std::size_t k = 0; k < 9; ++k) inverse[k] = elements.load(tets.rest_inverse.data() + k * tets.count);
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i)
            F[3 * j + i] =
                edges[i] * inverse[3 * j] + edges[3 + i] * inverse[3 * j + 1] + edges[6 + i] * inverse[3 * j + 2];
    }
}

STICTION_INLINE void load_sheet(const TriangleArrays& triangles, const Elements& elements, const double* x, Pack* F,
                                Pack* inverse) {
    Pack edges[6];
    load_edges<3>(triangles.corner, triangles.count, elements, x, edges);
    for (std::size_t k = 0; k < 4; ++k) inverse[k] = elements.load(triangles.rest_inverse.data() + k * triangles.count);
    for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t i = 0; i < 3; ++i)
            F[3 * j + i] = edges[i] * inverse[2 * j] + edges[3 + i] * inverse[2 * j + 1];
    }
}

/// Green strain E = (F^T F - 1) / 2. J^2 - 1 = 2 tr E + `quadratic` has no cancellation for small strains.
struct GreenStrainPack {
    Pack e00, e11, e22, e01, e02, e12, trace, quadratic;
    STICTION_INLINE explicit GreenStrainPack(const Pack* F) {
        const Pack half(0.5);
        e00 = half * (dot3(F, F) - Pack(1.0)), e11 = half * (dot3(F + 3, F + 3) - Pack(1.0));
        e22 = half * (dot3(F + 6, F + 6) - Pack(1.0)), e01 = half * dot3(F, F + 3);
        e02 = half * dot3(F, F + 6), e12 = half * dot3(F + 3, F + 6);
        const Pack minors = (e00 * e11 - e01 * e01) + (e11 * e22 - e12 * e12) + (e00 * e22 - e02 * e02);
        const Pack determinant =
            e00 * (e11 * e22 - e12 * e12) - e01 * (e01 * e22 - e12 * e02) + e02 * (e01 * e12 - e11 * e02);
        trace = e00 + e11 + e22, quadratic = Pack(4.0) * minors + Pack(8.0) * determinant;
    }
    STICTION_INLINE Pack squared_norm() const {
        return (e00 * e00 + e11 * e11 + e22 * e22) + Pack(2.0) * (e01 * e01 + e02 * e02 + e12 * e12);
    }
};

STICTION_INLINE Pack sheet_lambda(const Pack& mu, const Pack& lambda) {
    return Pack(2.0) * mu * lambda / (lambda + Pack(2.0) * mu);
}

/// `result`, but NaN in the lanes whose value is not above the limit.
STICTION_INLINE Pack nan_unless_above(const Pack& value, const Pack& limit, const Pack& result) {
    Pack out = result;
    for (std::size_t k = 0; k < lanes; ++k) {
        if (!(value[k] > limit[k])) out[k] = nan;
    }
    return out;
}

STICTION_INLINE void store_corotated(const TetArrays& tets, bool with_volume, const Elements& elements, const Pack* F,
                                     const StretchTrace& trace, double* energy, double* force) {
    Pack inverse[9], R[9], P[9], C[9];
    for (std::size_t k = 0; k < 9; ++k) inverse[k] = elements.load(tets.rest_inverse.data() + k * tets.count);
    const Pack mu = elements.load(tets.mu.data()), lambda = with_volume ? elements.load(tets.lambda.data()) : Pack(0.0);
    cofactors(F, C);
    rotation(F, C, trace, R);
    const Pack J = trace.J, size = root(trace.size);
    const Pack pressure = lambda * (J - Pack(1.0));
    Pack density(0.0);
    for (std::size_t i = 0; i < 9; ++i) {
        const Pack difference = F[i] - R[i];
        density = density + difference * difference;
        P[i] = Pack(2.0) * mu * difference + pressure * C[i];
    }
    density = mu * density + Pack(0.5) * pressure * (J - Pack(1.0));
    density = nan_unless_above(J, Pack(1e-4) * size * size * size, density);
    density = nan_unless_above(Pack(2.0 * largest_step_error), trace.error, density);
    store<3>(P, inverse, elements.load(tets.volume.data()), density, elements, tets.count, energy, force);
}

}  // namespace

STICTION_WIDE void corotated_tets(const TetArrays& tets, bool with_volume, std::size_t begin, std::size_t end,
                                  const double* x, double* energy, double* force) {
    constexpr std::size_t most_packs = 16;
    Pack gradients[most_packs][9];
    StretchTrace traces[most_packs];
    for (; begin < end; begin = std::min(end, begin + most_packs * lanes)) {
        std::size_t packs = 0;
        for (std::size_t first = begin; first < end && packs < most_packs; first += lanes, ++packs) {
            Pack inverse[9];
            load_gradient(tets, Elements(first, end), x, gradients[packs], inverse);
            traces[packs].start(gradients[packs]);
        }
        find_traces(traces, packs);
        for (std::size_t p = 0; p < packs; ++p)
            store_corotated(tets, with_volume, Elements(begin + p * lanes, end), gradients[p], traces[p], energy,
                            force);
    }
}

STICTION_WIDE void neo_hookean_tets(const TetArrays& tets, std::size_t begin, std::size_t end, const double* x,
                                    double* energy, double* force) {
    for (std::size_t first = begin; first < end; first += lanes) {
        const Elements elements(first, end);
        Pack inverse[9], F[9], P[9], C[9];
        load_gradient(tets, elements, x, F, inverse);
        cofactors(F, C);
        const Pack J = dot3(F, C);
        const GreenStrainPack strain(F);
        const Pack half(0.5), trace = strain.trace, quadratic = strain.quadratic;
        const PackLogarithm logarithm(Pack(2.0) * trace + quadratic);
        const Pack mu = elements.load(tets.mu.data()), lambda = elements.load(tets.lambda.data());
        const Pack log_volume = half * logarithm.log1p, slope = (lambda * log_volume - mu) / J;
        for (std::size_t i = 0; i < 9; ++i) P[i] = mu * F[i] + slope * C[i];
        Pack density = half * (mu * (logarithm.rest - quadratic) + lambda * log_volume * log_volume);
        const Pack size = root(square_sum(F, 9));
        density = nan_unless_above(J, Pack(1e-2) * size * size * size, density);
        density = nan_unless_above(J, Pack(tets.extrapolate_below), density);
        store<3>(P, inverse, elements.load(tets.volume.data()), density, elements, tets.count, energy, force);
    }
}

STICTION_WIDE void stable_neo_hookean_tets(const TetArrays& tets, std::size_t begin, std::size_t end, const double* x,
                                           double* energy, double* force) {
    for (std::size_t first = begin; first < end; first += lanes) {
        const Elements elements(first, end);
        Pack inverse[9], F[9], P[9], C[9];
        load_gradient(tets, elements, x, F, inverse);
        cofactors(F, C);
        const GreenStrainPack strain(F);
        const Pack one(1.0), J = dot3(F, C), mu = elements.load(tets.mu.data()),
                             lambda = elements.load(tets.lambda.data()) + mu;
        const Pack slope = lambda * (J - one) - mu;
        for (std::size_t i = 0; i < 9; ++i) P[i] = mu * F[i] + slope * C[i];
        // J - 1 and tr E - (J - 1) without cancellation for small strains, where J > 0.
        const Pack change = J - one, above = one / (one + J);
        const Pack volume = where_less(J, Pack(0.0), change, (Pack(2.0) * strain.trace + strain.quadratic) * above);
        const Pack isochoric =
            where_less(J, Pack(0.0), strain.trace - change, (strain.trace * volume - strain.quadratic) * above);
        const Pack density = mu * isochoric + Pack(0.5) * lambda * volume * volume;
        store<3>(P, inverse, elements.load(tets.volume.data()), density, elements, tets.count, energy, force);
    }
}

STICTION_WIDE void saint_venant_kirchhoff_tets(const TetArrays& tets, std::size_t begin, std::size_t end,
                                               const double* x, double* energy, double* force) {
    for (std::size_t first = begin; first < end; first += lanes) {
        const Elements elements(first, end);
        Pack inverse[9], F[9], P[9];
        load_gradient(tets, elements, x, F, inverse);
        const GreenStrainPack E(F);
        const Pack mu = elements.load(tets.mu.data()), lambda = elements.load(tets.lambda.data());
        const Pack twice = Pack(2.0) * mu, pressure = lambda * E.trace;
        const Pack s00 = twice * E.e00 + pressure, s11 = twice * E.e11 + pressure, s22 = twice * E.e22 + pressure,
                   s01 = twice * E.e01, s02 = twice * E.e02, s12 = twice * E.e12;
        for (std::size_t i = 0; i < 3; ++i) {
            P[i] = F[i] * s00 + F[3 + i] * s01 + F[6 + i] * s02;
            P[3 + i] = F[i] * s01 + F[3 + i] * s11 + F[6 + i] * s12;
            P[6 + i] = F[i] * s02 + F[3 + i] * s12 + F[6 + i] * s22;
        }
        const Pack density = mu * E.squared_norm() + Pack(0.5) * pressure * E.trace;
        store<3>(P, inverse, elements.load(tets.volume.data()), density, elements, tets.count, energy, force);
    }
}

STICTION_WIDE void saint_venant_kirchhoff_triangles(const TriangleArrays& triangles, std::size_t begin, std::size_t end,
                                                    const double* x, double* energy, double* force) {
    for (std::size_t first = begin; first < end; first += lanes) {
        const Elements elements(first, end);
        Pack F[6], inverse[4], P[6];
        load_sheet(triangles, elements, x, F, inverse);
        const Pack mu = elements.load(triangles.mu.data()),
                   lambda = sheet_lambda(mu, elements.load(triangles.lambda.data()));
        const Pack half(0.5), e00 = half * (dot3(F, F) - Pack(1.0)), e11 = half * (dot3(F + 3, F + 3) - Pack(1.0)),
                              e01 = half * dot3(F, F + 3), trace = e00 + e11;
        const Pack twice = Pack(2.0) * mu, pressure = lambda * trace;
        const Pack s00 = twice * e00 + pressure, s11 = twice * e11 + pressure, s01 = twice * e01;
        for (std::size_t i = 0; i < 3; ++i) {
            P[i] = F[i] * s00 + F[3 + i] * s01;
            P[3 + i] = F[i] * s01 + F[3 + i] * s11;
        }
        const Pack density = mu * (e00 * e00 + e11 * e11 + Pack(2.0) * e01 * e01) + half * pressure * trace;
        store<2>(P, inverse, elements.load(triangles.volume.data()), density, elements, triangles.count, energy, force);
    }
}

STICTION_WIDE void corotated_triangles(const TriangleArrays& triangles, bool with_area, std::size_t begin,
                                       std::size_t end, const double* x, double* energy, double* force) {
    for (std::size_t first = begin; first < end; first += lanes) {
        const Elements elements(first, end);
        Pack F[6], inverse[4], P[6];
        load_sheet(triangles, elements, x, F, inverse);
        const SheetMetric metric(F);
        const Pack mu = elements.load(triangles.mu.data()),
                   lambda = with_area ? sheet_lambda(mu, elements.load(triangles.lambda.data())) : Pack(0.0);
        // S = (C + J) / |tr S| and R = F S^-1 = F adj(S) / J.
        const Pack trace = root(metric.a + metric.c + Pack(2.0) * metric.J), scale = Pack(1.0) / (trace * metric.J);
        const Pack s00 = (metric.c + metric.J) * scale, s11 = (metric.a + metric.J) * scale, s01 = -(metric.b * scale);
        const Pack pressure = lambda * (metric.J - Pack(1.0)), slope = pressure / metric.J;
        Pack density(0.0);
        for (std::size_t i = 0; i < 3; ++i) {
            const Pack r0 = F[i] * s00 + F[3 + i] * s01, r1 = F[i] * s01 + F[3 + i] * s11;
            const Pack d0 = F[i] - r0, d1 = F[3 + i] - r1;
            density = density + d0 * d0 + d1 * d1;
            P[i] = Pack(2.0) * mu * d0 + slope * (F[i] * metric.c - F[3 + i] * metric.b);
            P[3 + i] = Pack(2.0) * mu * d1 + slope * (F[3 + i] * metric.a - F[i] * metric.b);
        }
        density = mu * density + Pack(0.5) * pressure * (metric.J - Pack(1.0));
        density = nan_unless_above(metric.J, Pack(1e-4) * (metric.a + metric.c), density);
        store<2>(P, inverse, elements.load(triangles.volume.data()), density, elements, triangles.count, energy, force);
    }
}

STICTION_WIDE void neo_hookean_triangles(const TriangleArrays& triangles, std::size_t begin, std::size_t end,
                                         const double* x, double* energy, double* force) {
    for (std::size_t first = begin; first < end; first += lanes) {
        const Elements elements(first, end);
        Pack F[6], inverse[4], P[6];
        load_sheet(triangles, elements, x, F, inverse);
        const SheetMetric metric(F);
        const Pack mu = elements.load(triangles.mu.data()),
                   lambda = sheet_lambda(mu, elements.load(triangles.lambda.data()));
        // With q = J^2 - 1, |F|^2 - 2 - 2 ln J = (|F|^2 - 2 - q) + (q - ln(1 + q)) has no cancellation for small
        // strains.
        const Pack alpha = metric.a - Pack(1.0), gamma = metric.c - Pack(1.0),
                   mixed = metric.b * metric.b - alpha * gamma, q = alpha + gamma - mixed;
        const PackLogarithm logarithm(q);
        const Pack log_area = Pack(0.5) * logarithm.log1p, isochoric = mixed + logarithm.rest;
        const Pack slope = (lambda * log_area - mu) / (metric.J * metric.J);
        for (std::size_t i = 0; i < 3; ++i) {
            P[i] = mu * F[i] + slope * (F[i] * metric.c - F[3 + i] * metric.b);
            P[3 + i] = mu * F[3 + i] + slope * (F[3 + i] * metric.a - F[i] * metric.b);
        }
        Pack density = Pack(0.5) * mu * isochoric + Pack(0.5) * lambda * log_area * log_area;
        density = nan_unless_above(metric.J, Pack(1e-4) * (metric.a + metric.c), density);
        store<2>(P, inverse, elements.load(triangles.volume.data()), density, elements, triangles.count, energy, force);
    }
}

}  // namespace stiction::local_global
