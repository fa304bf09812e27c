#include "stiction/scene/import/units.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace stiction::scene {
namespace {

struct NamedUnit {
    std::string_view name;
    double factor;
    Dimension dimension;
};

constexpr Dimension force_dimension{1, 1, -2};
constexpr std::array<NamedUnit, 28> named_units{{
    {"m", 1.0, length_dimension},     {"cm", 1e-2, length_dimension},   {"mm", 1e-3, length_dimension},
    {"um", 1e-6, length_dimension},   {"nm", 1e-9, length_dimension},   {"km", 1e3, length_dimension},
    {"in", 0.0254, length_dimension}, {"ft", 0.3048, length_dimension}, {"dm", 0.1, length_dimension},
    {"kg", 1.0, mass_dimension},      {"g", 1e-3, mass_dimension},      {"mg", 1e-6, mass_dimension},
    {"t", 1e3, mass_dimension},       {"s", 1.0, time_dimension},       {"ms", 1e-3, time_dimension},
    {"us", 1e-6, time_dimension},     {"min", 60.0, time_dimension},    {"h", 3600.0, time_dimension},
    {"Hz", 1.0, {0, 0, -1}},          {"N", 1.0, force_dimension},      {"mN", 1e-3, force_dimension},
    {"kN", 1e3, force_dimension},     {"Pa", 1.0, stress_dimension},    {"hPa", 1e2, stress_dimension},
    {"kPa", 1e3, stress_dimension},   {"MPa", 1e6, stress_dimension},   {"GPa", 1e9, stress_dimension},
    {"1", 1.0, number_dimension},
}};

struct Unit {
    double factor = 1.0;
    Dimension dimension;
};

std::optional<Unit> power_of(std::string_view name, int exponent) {
    const auto found =
        std::find_if(named_units.begin(), named_units.end(), [&](const NamedUnit& unit) { return unit.name == name; });
    if (found == named_units.end()) return std::nullopt;
    const Dimension& d = found->dimension;
    return Unit{std::pow(found->factor, exponent), {d.length * exponent, d.mass * exponent, d.time * exponent}};
}

/// "kg/m^3": factors separated by '*' and '/', each a name with an optional power.
std::optional<Unit> parse_unit(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    Unit result;
    int sign = 1;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of("*/", at), text.size());
        const std::string_view factor = std::string_view(text).substr(at, end - at);
        const std::size_t caret = factor.find('^');
        int exponent = 1;
        if (caret != std::string_view::npos) {
            const std::string_view digits = factor.substr(caret + 1);
            const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
            if (error != std::errc() || stop != digits.data() + digits.size() || std::abs(exponent) > 9)
                return std::nullopt;
        }
        const auto unit = power_of(factor.substr(0, caret), sign * exponent);
        if (!unit) return std::nullopt;
        result.factor *= unit->factor;
        result.dimension.length += unit->dimension.length;
        result.dimension.mass += unit->dimension.mass;
        result.dimension.time += unit->dimension.time;
        sign = end < text.size() && text[end] == '/' ? -1 : 1;
        at = end + 1;
    }
    return result;
}

std::string dimension_text(const Dimension& d) {
    if (d == length_dimension) return "a length such as mm";
    if (d == mass_dimension) return "a mass such as g";
    if (d == time_dimension) return "a time such as ms";
    if (d == stress_dimension) return "a pressure such as MPa";
    if (d == density_dimension) return "a density such as kg/m^3";
    if (d == velocity_dimension) return "a velocity such as m/s";
    if (d == acceleration_dimension) return "an acceleration such as m/s^2";
    return fmt::format("m^{} kg^{} s^{}", d.length, d.mass, d.time);
}

}  // namespace

double UnitSystem::factor(const Dimension& d) const {
    return std::pow(length, d.length) * std::pow(mass, d.mass) * std::pow(time, d.time);
}

double unit_factor(const std::string& unit, const Dimension& expected, const std::string& file,
                   const std::string& field) {
    const auto parsed = parse_unit(unit);
    if (!parsed || parsed->dimension != expected)
        throw InputError(file, field, "\"" + unit + "\"", "a unit that is known here, of " + dimension_text(expected));
    return parsed->factor;
}

}  // namespace stiction::scene
