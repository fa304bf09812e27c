#include "stiction/scene/import/polyfem_motion.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace stiction::scene {
namespace {

/// How far a time of `time_reference` may be from the end of a step, in the scene's unit of time.
constexpr double time_tolerance = 1e-3;

/// Picks one of the leaves first..last by the points between them: leaf i holds up to points[i].
std::string branches(const std::string& clock, const std::vector<double>& points, std::size_t first, std::size_t last,
                     const std::function<std::string(std::size_t)>& leaf) {
    if (first == last) return leaf(first);
    const std::size_t middle = (first + last) / 2;
    return fmt::format("(({} < {}) ? {} : {})", clock, points[middle], branches(clock, points, first, middle, leaf),
                       branches(clock, points, middle + 1, last, leaf));
}

std::string piecewise_constant(const std::string& clock, const std::vector<double>& points,
                               const std::vector<double>& values) {
    return branches(clock, {points.begin() + 1, points.end()}, 0, values.size() - 1,
                    [&](std::size_t i) { return fmt::format("{}", values[i]); });
}

std::vector<double> numbers(ImportObject& entry, const char* key, const std::string& expected) {
    const Json& json = entry.require(key, expected);
    if (!json.is_array()) entry.refuse(key, expected);
    std::vector<double> result;
    for (std::size_t i = 0; i < json.size(); ++i)
        result.push_back(import_number(json[i], fmt::format("{}[{}]", entry.path_of(key), i), entry.notes().file));
    return result;
}

/// The factor by which a `piecewise_*` interpolation multiplies the value.
std::string read_piecewise(ImportObject& entry, const std::string& clock, bool is_linear) {
    const auto points = numbers(entry, "points", "a list of at least two rising times");
    if (points.size() < 2 || !std::is_sorted(points.begin(), points.end(), std::less_equal<>()))
        entry.refuse("points", "a list of at least two rising times");
    const auto values = numbers(entry, "values", "a list of numbers, one for each of `points`");
    if (values.size() != points.size()) entry.refuse("values", "a list of numbers, one for each of `points`");
    const auto inside = [&](const std::string& at) {
        return is_linear ? piecewise_linear(at, points, values) : piecewise_constant(at, points, values);
    };
    const std::string extend = entry.text("extend", "constant");
    const double begin = points.front(), length = points.back() - begin;
    if (extend == "constant") return inside(fmt::format("(max({}, min({}, {})))", begin, points.back(), clock));
    if (extend == "extrapolate") return inside(clock);
    if (extend != "repeat" && extend != "repeat_offset")
        entry.refuse("extend", "constant, extrapolate, repeat or repeat_offset");
    const std::string turns = fmt::format("floor(({} - {}) / {})", clock, begin, length);
    const std::string repeated = inside(fmt::format("({} - {} * {})", clock, length, turns));
    if (extend == "repeat") return repeated;
    return fmt::format("({} + {} * {})", repeated, values.back() - values.front(), turns);
}

std::string read_interpolation(const Json& json, const std::string& path, const PolyfemContext& context) {
    ImportObject entry(json, path, context.notes);
    const std::string clock = context.clock();
    const char* expected = "none, linear, linear_ramp, piecewise_constant or piecewise_linear";
    entry.require("type", expected);
    const std::string type = entry.text("type", "");
    std::string factor;
    if (type == "linear") {
        factor = clock;
    } else if (type == "linear_ramp") {
        entry.require("to", "the time at which the ramp ends");
        const double from = entry.number("from", 0.0), to = entry.number("to", 0.0);
        if (!(to > from)) entry.refuse("to", "a time after `from`");
        factor = fmt::format("max(0, min({0} - {1}, {2} - {1}))", clock, from, to);
    } else if (type == "piecewise_linear" || type == "piecewise_constant") {
        factor = read_piecewise(entry, clock, type == "piecewise_linear");
    } else if (type != "none") {
        entry.refuse("type", expected);
    }
    entry.finish();
    return factor;
}

/// One factor an axis, "" for none.
std::array<std::string, 3> read_interpolations(ImportObject& condition, const PolyfemContext& context) {
    const auto list = condition.list("interpolation");
    if (list.size() > 1 && list.size() != 3)
        condition.refuse("interpolation", "one interpolation, or three of them for x, y and z");
    std::array<std::string, 3> factors;
    for (std::size_t i = 0; i < list.size(); ++i)
        factors[i] = read_interpolation(*list[i], condition.entry_path("interpolation", i), context);
    if (list.size() == 1) factors[1] = factors[2] = factors[0];
    return factors;
}

/// A list of values, one for each time of `time_reference`.
std::string read_values_over_time(const Json& values, const std::string& path, const std::vector<double>& times,
                                  const PolyfemContext& context) {
    if (values.size() != times.size())
        throw InputError(context.notes.file, path, fmt::format("{} values", values.size()),
                         fmt::format("one for each of the {} times of `time_reference`", times.size()));
    std::vector<double> points{0.0}, displacements{0.0};
    for (int step = 1; step <= context.steps; ++step) {
        const double end = context.step * step, scene_time = (context.start + end) / context.units.time;
        const auto match = std::find_if(times.begin(), times.end(),
                                        [&](double t) { return std::abs(t - scene_time) < time_tolerance; });
        if (match == times.end())
            throw InputError(context.notes.file, path, fmt::format("none for the time {:.6g}", scene_time),
                             "a time of `time_reference` for the end of every step (PolyFEM takes 0 for it)");
        const auto k = static_cast<std::size_t>(match - times.begin());
        points.push_back(end);
        displacements.push_back(polyfem_constant(values[k], fmt::format("{}[{}]", path, k), length_dimension, context));
    }
    context.notes.known_until = context.step * context.steps;
    return piecewise_linear("t", points, displacements);
}

std::string read_axes(ImportObject& entry) {
    const Json* json = entry.find("dimension");
    if (!json) return "xyz";
    std::string axes;
    if (!json->is_array() || json->size() != 3) entry.refuse("dimension", "a list of three truth values");
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(*json)[k].is_boolean()) entry.refuse("dimension", "a list of three truth values");
        if ((*json)[k].get<bool>()) axes += static_cast<char>('x' + k);
    }
    if (axes.empty()) entry.refuse("dimension", "at least one `true`");
    return axes;
}

}  // namespace

std::string piecewise_linear(const std::string& clock, const std::vector<double>& points,
                             const std::vector<double>& values) {
    const std::vector<double> inner(points.begin() + 1, points.end());
    return branches(clock, inner, 0, points.size() - 2, [&](std::size_t i) {
        const double slope = (values[i + 1] - values[i]) / (points[i + 1] - points[i]);
        return fmt::format("({} + {} * ({} - {}))", values[i], slope, clock, points[i]);
    });
}

MotionSpec read_polyfem_motion(ImportObject& entry, const PolyfemContext& context) {
    MotionSpec motion;
    motion.axes = read_axes(entry);
    const Json& values = entry.require("value", "a list of three displacements");
    if (!values.is_array() || values.size() != 3) entry.refuse("value", "a list of three displacements");
    const bool is_over_time = entry.find("time_reference") && !entry.find("time_reference")->empty();
    const auto times = is_over_time ? numbers(entry, "time_reference", "a list of times") : std::vector<double>{};
    const auto factors = read_interpolations(entry, context);
    std::array<std::string, 3> formula{"0", "0", "0"};
    bool is_zero = true;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::string path = fmt::format("{}[{}]", entry.path_of("value"), k);
        const bool is_list = values[k].is_array() && is_over_time;
        PolyfemValue value;
        if (is_list)
            value.formula = read_values_over_time(values[k], path, times, context);
        else
            value = polyfem_value(values[k], path, length_dimension, context);
        if (motion.axes.find(static_cast<char>('x' + k)) == std::string::npos) continue;
        formula[k] = factors[k].empty() ? value.formula : fmt::format("({} * {})", value.formula, factors[k]);
        is_zero = is_zero && value.number && *value.number == 0.0;
    }
    if (is_zero)
        motion.fix = true;
    else
        motion.move.emplace().formula = formula;
    return motion;
}

}  // namespace stiction::scene
