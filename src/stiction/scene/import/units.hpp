// Units of scenes that were written for other programs.
#pragma once

#include <string>

namespace stiction::scene {

/// Exponents of length, mass and time.
struct Dimension {
    int length = 0;
    int mass = 0;
    int time = 0;
    bool operator==(const Dimension&) const = default;
};

inline constexpr Dimension length_dimension{1, 0, 0};
inline constexpr Dimension mass_dimension{0, 1, 0};
inline constexpr Dimension time_dimension{0, 0, 1};
inline constexpr Dimension velocity_dimension{1, 0, -1};
inline constexpr Dimension acceleration_dimension{1, 0, -2};
inline constexpr Dimension density_dimension{-3, 1, 0};
inline constexpr Dimension stress_dimension{-1, 1, -2};
inline constexpr Dimension number_dimension{};

/// The base units in which plain numbers of a scene are given, in SI.
struct UnitSystem {
    double length = 1.0;  ///< m
    double mass = 1.0;    ///< kg
    double time = 1.0;    ///< s

    /// SI value of 1 in these units.
    double factor(const Dimension& dimension) const;
};

/// SI value of one `unit`: m, dm, cm, mm, um, nm, km, in, ft, kg, g, mg, t, s, ms, us, min, h, Hz, N, mN, kN, Pa, hPa,
/// kPa, MPa, GPa, and products, quotients and powers of these ("kg/m^3", "N*s^2").
/// @throws InputError naming `file` and `field` for an unknown unit or one of another dimension
double unit_factor(const std::string& unit, const Dimension& expected, const std::string& file,
                   const std::string& field);

}  // namespace stiction::scene
