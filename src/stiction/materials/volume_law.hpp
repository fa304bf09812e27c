// Energy of a closed region as a function of its volume: gas or liquid in hydrostatic equilibrium at constant
// temperature.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// One standard atmosphere in Pa.
inline constexpr double standard_atmosphere = 101325.0;

/// Compressibility in 1/Pa from one in 1/atm: air at one atmosphere has 1 /atm, water about 4.6e-5 /atm.
constexpr double compressibility_from_per_atmosphere(double per_atmosphere) {
    return per_atmosphere / standard_atmosphere;
}

/// How pressure depends on volume; see VolumeLaw.
enum class VolumeLawKind { quadratic, ideal_gas, nearly_incompressible, regulator };

/// Name used in scenes and reports: the enumerator as text ("ideal_gas").
std::string_view volume_law_name(VolumeLawKind kind);
/// The kind of that name, or nothing.
std::optional<VolumeLawKind> volume_law_from_name(std::string_view name);
/// Names of all kinds, for messages.
std::vector<std::string> volume_law_names();

/// Energy W(V) of what fills a region of rest volume V0 (both m^3), less the work of the atmosphere around it, with the
/// compressibility k, the atmospheric pressure P and the over-pressure dp (docs/physics/volume.md):
///
///     quadratic              (V - V0)^2 / (2 V0 k) - dp (V - V0)                  Larionov et al. 2022, eq. (20)
///     ideal_gas              P (V - V0) - (P + dp) V0 ln(V / V0)                  eq. (18) for dp = 0
///     nearly_incompressible  (V0 - V (1 - ln(V / V0))) / k - dp (V - V0)          eq. (19) for dp = 0
///     regulator              -dp (V - V0): the gauge pressure is dp at every volume
///
/// W(V0) = 0 and W'(V0) = -dp. Small changes of volume lose no digits in any of them.
struct VolumeLaw {
    VolumeLawKind kind = VolumeLawKind::quadratic;
    /// k, 1/Pa, > 0. Not used by ideal_gas, whose compressibility is one over its absolute pressure, and regulator.
    double compressibility = 1.0 / standard_atmosphere;
    /// P, Pa, > 0. Used by ideal_gas only.
    double atmospheric_pressure = standard_atmosphere;
    /// dp, Pa: gauge pressure that the filling has at V = V0. May change from step to step (inflating); then W(x) is
    /// another function in each step. ideal_gas needs dp > -P.
    double overpressure = 0.0;

    /// W in J; +inf for V <= 0 if the law has a logarithm.
    double value(double volume, double rest_volume) const;
    /// W' = dW/dV in Pa, minus the gauge pressure; NaN for V <= 0 if the law has a logarithm.
    double derivative(double volume, double rest_volume) const;
    /// W'' in Pa/m^3, positive, of regulator 0; NaN for V <= 0 if the law has a logarithm.
    double second_derivative(double volume, double rest_volume) const;
    /// Gauge pressure -W' in Pa: positive pushes the walls outwards.
    double pressure(double volume, double rest_volume) const { return -derivative(volume, rest_volume); }
    /// Whether negative volumes have a finite energy: true for quadratic and regulator.
    bool invertible() const { return kind == VolumeLawKind::quadratic || kind == VolumeLawKind::regulator; }
};

/// What is wrong with a law's numbers: the parts of an InputError that the caller, who knows file and path, composes.
struct VolumeLawComplaint {
    std::string parameter;  ///< member of VolumeLaw
    double value;           ///< as given
    std::string expected;   ///< noun phrase with the unit
};

/// Nothing if the numbers that the law uses are finite, compressibility and atmospheric pressure are > 0 and the
/// absolute pressure of an ideal gas is > 0.
std::optional<VolumeLawComplaint> check_volume_law(const VolumeLaw& law);

}  // namespace stiction
