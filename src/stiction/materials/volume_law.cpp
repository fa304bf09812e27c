#include "stiction/materials/volume_law.hpp"

#include "stiction/base/error.hpp"
#include "stiction/math/x_minus_log1p.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

constexpr std::array<VolumeLawKind, 4> all_kinds = {VolumeLawKind::quadratic, VolumeLawKind::ideal_gas,
                                                    VolumeLawKind::nearly_incompressible, VolumeLawKind::regulator};

/// V / V0 = 1 + s in the two forms that keep digits: s near V0, the ratio far from it.
struct Ratio {
    Ratio(double volume, double rest_volume) : s((volume - rest_volume) / rest_volume), ratio(volume / rest_volume) {}

    bool near_one() const { return std::abs(s) < 0.1; }
    double log() const { return near_one() ? std::log1p(s) : std::log(ratio); }
    /// s - ln(1 + s), about s^2 / 2 for small s.
    double s_minus_log() const { return near_one() ? x_minus_log1p(s) : s - std::log(ratio); }
    /// (1 + s) ln(1 + s) - s, about s^2 / 2 for small s.
    double ratio_log_minus_s() const {
        return near_one() ? s * s - ratio * x_minus_log1p(s) : ratio * std::log(ratio) - s;
    }

    double s, ratio;
};

}  // namespace

std::string_view volume_law_name(VolumeLawKind kind) {
    switch (kind) {
        case VolumeLawKind::quadratic: return "quadratic";
        case VolumeLawKind::ideal_gas: return "ideal_gas";
        case VolumeLawKind::nearly_incompressible: return "nearly_incompressible";
        case VolumeLawKind::regulator: return "regulator";
    }
    throw InternalError("unknown volume law");
}

std::optional<VolumeLawKind> volume_law_from_name(std::string_view name) {
    for (const VolumeLawKind kind : all_kinds) {
        if (volume_law_name(kind) == name) return kind;
    }
    return std::nullopt;
}

std::vector<std::string> volume_law_names() {
    std::vector<std::string> names;
    for (const VolumeLawKind kind : all_kinds) names.emplace_back(volume_law_name(kind));
    return names;
}

double VolumeLaw::value(double volume, double rest_volume) const {
    if (!invertible() && volume <= 0.0) return std::numeric_limits<double>::infinity();
    const Ratio r(volume, rest_volume);
    switch (kind) {
        case VolumeLawKind::quadratic: return rest_volume * r.s * (0.5 * r.s / compressibility - overpressure);
        case VolumeLawKind::ideal_gas:
            return rest_volume * (atmospheric_pressure * r.s_minus_log() - overpressure * r.log());
        case VolumeLawKind::nearly_incompressible:
            return rest_volume * (r.ratio_log_minus_s() / compressibility - overpressure * r.s);
        case VolumeLawKind::regulator: return -rest_volume * overpressure * r.s;
    }
    throw InternalError("unknown volume law");
}

double VolumeLaw::derivative(double volume, double rest_volume) const {
    if (!invertible() && volume <= 0.0) return std::numeric_limits<double>::quiet_NaN();
    const Ratio r(volume, rest_volume);
    switch (kind) {
        case VolumeLawKind::quadratic: return r.s / compressibility - overpressure;
        case VolumeLawKind::ideal_gas: return (atmospheric_pressure * r.s - overpressure) / r.ratio;
        case VolumeLawKind::nearly_incompressible: return r.log() / compressibility - overpressure;
        case VolumeLawKind::regulator: return -overpressure;
    }
    throw InternalError("unknown volume law");
}

double VolumeLaw::second_derivative(double volume, double rest_volume) const {
    if (!invertible() && volume <= 0.0) return std::numeric_limits<double>::quiet_NaN();
    switch (kind) {
        case VolumeLawKind::quadratic: return 1.0 / (rest_volume * compressibility);
        case VolumeLawKind::ideal_gas: return (atmospheric_pressure + overpressure) * (rest_volume / volume) / volume;
        case VolumeLawKind::nearly_incompressible: return 1.0 / (volume * compressibility);
        case VolumeLawKind::regulator: return 0.0;
    }
    throw InternalError("unknown volume law");
}

std::optional<VolumeLawComplaint> check_volume_law(const VolumeLaw& law) {
    const bool gas = law.kind == VolumeLawKind::ideal_gas, compressible = !gas && law.kind != VolumeLawKind::regulator;
    if (compressible && (!(law.compressibility > 0.0) || !std::isfinite(1.0 / law.compressibility) ||
                         !std::isfinite(law.compressibility)))
        return VolumeLawComplaint{"compressibility", law.compressibility, "a finite compressibility > 0 (1/Pa)"};
    if (gas && (!(law.atmospheric_pressure > 0.0) || !std::isfinite(law.atmospheric_pressure)))
        return VolumeLawComplaint{"atmospheric_pressure", law.atmospheric_pressure, "a finite pressure > 0 (Pa)"};
    if (!std::isfinite(law.overpressure))
        return VolumeLawComplaint{"overpressure", law.overpressure, "a finite pressure (Pa)"};
    if (gas && !(law.overpressure > -law.atmospheric_pressure)) {
        return VolumeLawComplaint{
            "overpressure", law.overpressure,
            fmt::format("more than minus the atmospheric pressure, -{} Pa", law.atmospheric_pressure)};
    }
    return std::nullopt;
}

}  // namespace stiction
