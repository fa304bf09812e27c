#include "stiction/scene/import/polyfem_value.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/formula.hpp"
#include "stiction/scene/import/expression.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiction::scene {
namespace {

PolyfemValue constant(double number) {
    return {fmt::format("{}", number), number};
}

PolyfemValue expression(const std::string& text, const std::string& path, double factor,
                        const PolyfemContext& context) {
    // The expression is in the units of the scene; the formula it becomes takes and gives metres and seconds.
    const auto variable = [&](char name) {
        if (name == 't') return context.clock();
        const double unit = context.units.length;
        return unit == 1.0 ? std::string(1, name) : fmt::format("({} / {})", name, unit);
    };
    const std::string& file = context.notes.file;
    auto translated = translate_expression(text, variable, file, path);
    if (factor != 1.0) translated.formula = fmt::format("({} * {})", factor, translated.formula);
    const Formula formula(translated.formula, file, path);
    if (!translated.constant) return {std::move(translated.formula), std::nullopt};
    const double number = formula(Vec3::Zero(), 0.0);
    if (!std::isfinite(number)) throw InputError(file, path, "\"" + text + "\"", "an expression with a finite value");
    return constant(number);
}

}  // namespace

std::string PolyfemContext::clock() const {
    const std::string shifted = start == 0.0 ? "t" : fmt::format("(t + {})", start);
    return units.time == 1.0 ? shifted : fmt::format("({} / {})", shifted, units.time);
}

PolyfemValue polyfem_value(const Json& json, const std::string& path, const Dimension& dimension,
                           const PolyfemContext& context) {
    double factor = context.units.factor(dimension);
    const Json* value = &json;
    std::string value_path = path;
    if (json.is_object()) {
        ImportObject object(json, path, context.notes);
        for (const char* key : {"file_name", "function_name"}) {
            if (object.find(key)) object.refuse(key, "`value` and `unit`: functions in files are not offered");
        }
        const Json& inner = object.require("value", "a value beside its unit");
        object.require("unit", "the unit of the value");
        factor = unit_factor(object.text("unit", ""), dimension, context.notes.file, object.path_of("unit"));
        object.finish();
        value = &inner;
        value_path = object.path_of("value");
    }
    if (value->is_string()) return expression(value->get<std::string>(), value_path, factor, context);
    return constant(factor * import_number(*value, value_path, context.notes.file));
}

double polyfem_constant(const Json& json, const std::string& path, const Dimension& dimension,
                        const PolyfemContext& context) {
    const PolyfemValue value = polyfem_value(json, path, dimension, context);
    if (!value.number)
        throw InputError(context.notes.file, path, quoted(json), "a value that does not depend on x, y, z or t");
    return *value.number;
}

Vec3 polyfem_constants(const Json& json, const std::string& path, const Dimension& dimension,
                       const PolyfemContext& context) {
    if (!json.is_array() || json.size() != 3)
        throw InputError(context.notes.file, path, quoted(json), "a list of three values");
    Vec3 result;
    for (std::size_t i = 0; i < 3; ++i)
        result[static_cast<Eigen::Index>(i)] =
            polyfem_constant(json[i], fmt::format("{}[{}]", path, i), dimension, context);
    return result;
}

}  // namespace stiction::scene
