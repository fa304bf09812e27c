// Sums of isotropic energies: Mooney-Rivlin, Ogden and their like.
#pragma once

#include "stiction/materials/lame.hpp"
#include "stiction/materials/stretches.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// One energy of a sum, in J/m^3. Stretches without the change of volume are l_i = J^(-1/3) s_i, and I1 = sum l_i^2, I2
/// = sum l_i^-2.
enum class TermKind {
    isochoric_power,    ///< c (sum l_i^m - 3): c (I1 - 3) for m = 2, c (I2 - 3) for m = -2 (Ogden 1972, Mooney 1940)
    isochoric_product,  ///< c (I1 - 3) (I2 - 3)
    log_volume,         ///< c/2 (ln J)^2
    volume_power,       ///< c (J - 1)^m, m even
    volume_penalty,     ///< c/2 ((J^2 - 1) / 2 - ln J) (Simo and Taylor 1991)
    neo_hookean,        ///< the law of that name
    saint_venant_kirchhoff,  ///< the law of that name
    fixed_corotated,         ///< the law of that name
};
inline constexpr std::array<TermKind, 8> all_term_kinds = {
    TermKind::isochoric_power,        TermKind::isochoric_product, TermKind::log_volume,
    TermKind::volume_power,           TermKind::volume_penalty,    TermKind::neo_hookean,
    TermKind::saint_venant_kirchhoff, TermKind::fixed_corotated};

/// Name used in scenes: the enumerator as text.
std::string_view term_name(TermKind kind);
/// Names of all kinds.
std::vector<std::string> term_names();
/// The kind of that name, or nothing.
std::optional<TermKind> term_from_name(std::string_view name);

/// Whether a kind is a law with moduli of its own.
bool is_law(TermKind kind);

struct MaterialTerm {
    TermKind kind = TermKind::isochoric_power;
    double coefficient = 0.0;   ///< c, Pa; not used by the laws
    double exponent = 2.0;      ///< m, of the two kinds of powers
    LameParameters lame{0, 0};  ///< of the laws

    bool operator==(const MaterialTerm& other) const {
        return kind == other.kind && coefficient == other.coefficient && exponent == other.exponent &&
               lame.mu == other.lame.mu && lame.lambda == other.lame.lambda;
    }
};

/// The Lame parameters of linear elasticity that a sum of terms has at rest, whatever their signs.
LameParameters lame_of_terms(std::span<const MaterialTerm> terms);
/// Whether shear and bulk modulus are positive beyond rounding: the rest state is stable.
bool is_stable(const LameParameters& lame);

/// The sum of some terms. A barrier: +inf for J <= 0, where stress and Hessian are not defined (NaN). Free of stress at
/// rest, whatever the terms. Stretches are those of signed_svd(): all positive where J > 0. Refers to the terms, which
/// have to outlive it.
struct HyperelasticSum {
    static constexpr bool invertible = false;
    static constexpr bool has_direct_path = false;

    std::span<const MaterialTerm> terms;

    /// Throws InternalError: a sum has terms of its own.
    static HyperelasticSum from_lame(const LameParameters& lame);

    /// Energy density of principal stretches; keeps relative accuracy for small strains.
    double value(const Vec3& s) const;
    /// Principal stresses d psi / d s.
    Vec3 gradient(const Vec3& s) const;
    /// d^2 psi / d s_i d s_j.
    Mat3 hessian(const Vec3& s) const;
    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    double flip(const Vec3& s, int i, int j) const;
    /// (g_i + g_j) / (s_i + s_j).
    double twist(const Vec3& s, int i, int j) const;
};

}  // namespace stiction
