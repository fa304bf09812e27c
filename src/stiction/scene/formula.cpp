#include "stiction/scene/formula.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <cmath>
#include <mutex>
#include <numbers>

namespace stiction {
namespace {

const char* const known_names = "x, y, z, t, pi, e";

/// The parser would take "x = 1" as an assignment.
bool has_assignment(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '=') continue;
        const char before = i > 0 ? text[i - 1] : ' ';
        const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
        if (doubled)
            ++i;
        else if (before != '<' && before != '>' && before != '!')
            return true;
    }
    return false;
}

}  // namespace

struct Formula::Compiled {
    mu::Parser parser;
    double x = 0.0, y = 0.0, z = 0.0, t = 0.0;
    std::mutex mutex;
};

Formula::Formula(const std::string& text, const std::string& file, const std::string& field)
    : compiled_(std::make_shared<Compiled>()) {
    const auto refuse = [&](const std::string& expected) {
        throw InputError(file, field, "\"" + text + "\"", expected);
    };
    if (text.find_first_not_of(" \t") == std::string::npos) refuse("a formula in x, y, z, t");
    if (has_assignment(text)) refuse("a formula without '=' (equality is '==')");
    mu::Parser& parser = compiled_->parser;
    try {
        parser.DefineVar("x", &compiled_->x);
        parser.DefineVar("y", &compiled_->y);
        parser.DefineVar("z", &compiled_->z);
        parser.DefineVar("t", &compiled_->t);
        parser.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
        parser.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
        parser.DefineFun("fmod", static_cast<double (*)(double, double)>(std::fmod));
        parser.DefineConst("pi", std::numbers::pi);
        parser.DefineConst("e", std::numbers::e);
        parser.SetExpr(text);
        int results = 0;
        parser.Eval(results);
        if (results != 1) refuse("one formula, not several separated by commas");
    } catch (const mu::Parser::exception_type& error) {
        if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
            std::vector<std::string> names{"x", "y", "z", "t", "pi", "e"};
            for (const auto& [name, unused] : parser.GetFunDef()) names.push_back(name);
            const std::string nearest = nearest_name(error.GetToken(), names);
            refuse(fmt::format("known names: '{}' is neither a variable ({}) nor a function{}", error.GetToken(),
                               known_names, nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
        }
        if (error.GetCode() != mu::ecDIV_BY_ZERO && error.GetCode() != mu::ecDOMAIN_ERROR) {
            refuse(fmt::format("a formula in x, y, z, t: {}", error.GetMsg()));
        }
    }
}

double Formula::operator()(const Vec3& point, double t) const {
    const std::lock_guard<std::mutex> lock(compiled_->mutex);
    compiled_->x = point.x();
    compiled_->y = point.y();
    compiled_->z = point.z();
    compiled_->t = t;
    try {
        return compiled_->parser.Eval();
    } catch (const mu::Parser::exception_type&) {
        return std::nan("");
    }
}

}  // namespace stiction
