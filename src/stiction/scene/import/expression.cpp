#include "stiction/scene/import/expression.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace stiction::scene {
namespace {

using Arguments = std::vector<std::string>;

struct Function {
    const char* name;
    std::size_t arguments;
    std::string (*write)(const Arguments&);
};

template <const char* name>
std::string same(const Arguments& a) {
    std::string result = std::string(name) + "(" + a[0];
    for (std::size_t i = 1; i < a.size(); ++i) result += ", " + a[i];
    return result + ")";
}

std::string smoothstep(const std::string& a) {
    return fmt::format("(({0} < 0) ? 0 : (({0} > 1) ? 1 : (3 * {0} * {0} - 2 * {0} * {0} * {0})))", a);
}

constexpr char ceil_name[] = "ceil", floor_name[] = "floor", abs_name[] = "abs", acos_name[] = "acos",
               asin_name[] = "asin", atan_name[] = "atan", atan2_name[] = "atan2", cos_name[] = "cos",
               cosh_name[] = "cosh", exp_name[] = "exp", ln_name[] = "ln", log10_name[] = "log10", max_name[] = "max",
               min_name[] = "min", sign_name[] = "sign", sin_name[] = "sin", sinh_name[] = "sinh", sqrt_name[] = "sqrt",
               tan_name[] = "tan", tanh_name[] = "tanh";

/// Arguments come as brackets, numbers, names or calls, so that they can be put beside any operator.
const std::array<Function, 30> functions{{
    {"abs", 1, same<abs_name>},
    {"acos", 1, same<acos_name>},
    {"asin", 1, same<asin_name>},
    {"atan", 1, same<atan_name>},
    {"atan2", 2, same<atan2_name>},
    {"ceil", 1, same<ceil_name>},
    {"floor", 1, same<floor_name>},
    {"cos", 1, same<cos_name>},
    {"cosh", 1, same<cosh_name>},
    {"exp", 1, same<exp_name>},
    {"ln", 1, same<ln_name>},
    {"log", 1, same<log10_name>},
    {"log10", 1, same<log10_name>},
    {"max", 2, same<max_name>},
    {"min", 2, same<min_name>},
    {"sign", 1, same<sign_name>},
    {"sin", 1, same<sin_name>},
    {"sinh", 1, same<sinh_name>},
    {"sqrt", 1, same<sqrt_name>},
    {"tan", 1, same<tan_name>},
    {"tanh", 1, same<tanh_name>},
    {"pow", 2, [](const Arguments& a) { return fmt::format("({} ^ {})", a[0], a[1]); }},
    {"deg2rad", 1, [](const Arguments& a) { return fmt::format("({} * pi / 180)", a[0]); }},
    {"rotate_2D_x", 3,
     [](const Arguments& a) { return fmt::format("({0} * cos({2}) - {1} * sin({2}))", a[0], a[1], a[2]); }},
    {"rotate_2D_y", 3,
     [](const Arguments& a) { return fmt::format("({0} * sin({2}) + {1} * cos({2}))", a[0], a[1], a[2]); }},
    {"smooth_abs", 2, [](const Arguments& a) { return fmt::format("(tanh({1} * {0}) * {0})", a[0], a[1]); }},
    {"smoothstep", 1, [](const Arguments& a) { return smoothstep(a[0]); }},
    {"half_smoothstep", 1,
     [](const Arguments& a) { return fmt::format("(2 * {} - 1)", smoothstep(fmt::format("(({} + 1) / 2)", a[0]))); }},
    {"compare", 2, [](const Arguments& a) { return fmt::format("(({} < {}) ? 1 : 0)", a[0], a[1]); }},
    {"if", 3, [](const Arguments& a) { return fmt::format("(({} >= 0) ? {} : {})", a[0], a[1], a[2]); }},
}};

constexpr const char* functions_and_names =
    "x, y, z, t, pi, e, or a function out of abs acos asin atan atan2 ceil compare cos cosh deg2rad exp floor "
    "half_smoothstep if ln log log10 max min pow rotate_2D_x rotate_2D_y sign sin sinh smooth_abs smoothstep sqrt tan "
    "tanh";

/// A recursive descent over the grammar of TinyExpr; each rule returns text that can stand beside any operator.
class Translator {
public:
    Translator(const std::string& text, const std::function<std::string(char)>& variable, const std::string& file,
               const std::string& field)
        : text_(text), variable_(variable), file_(file), field_(field) {}

    TranslatedExpression run() {
        std::string formula = sum();
        skip_blanks();
        if (at_ < text_.size()) refuse(fmt::format("an operator or the end at '{}'", text_.substr(at_, 12)));
        return {std::move(formula), constant_};
    }

private:
    [[noreturn]] void refuse(const std::string& expected) const {
        const std::string shown = text_.size() > 80 ? text_.substr(0, 77) + "..." : text_;
        throw InputError(file_, field_, "\"" + shown + "\"", expected);
    }

    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }

    bool take(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    std::string checked(std::string formula) const {
        if (formula.size() > 100000) refuse("an expression that is not this long when it is written out");
        return formula;
    }

    std::string binary(const std::string& left, char operation, const std::string& right) const {
        return checked(fmt::format("({} {} {})", left, operation, right));
    }

    std::string sum() {
        if (++depth_ > 100) refuse("brackets that are not nested this deep");
        std::string value = product();
        for (;;) {
            if (take('+'))
                value = binary(value, '+', product());
            else if (take('-'))
                value = binary(value, '-', product());
            else
                break;
        }
        --depth_;
        return value;
    }

    std::string product() {
        std::string value = power();
        for (;;) {
            if (take('*'))
                value = binary(value, '*', power());
            else if (take('/'))
                value = binary(value, '/', power());
            else if (take('%'))
                value = checked(fmt::format("fmod({}, {})", value, power()));
            else
                return value;
        }
    }

    std::string power() {
        std::string value = signed_base();
        while (take('^')) value = binary(value, '^', signed_base());
        return value;
    }

    std::string signed_base() {
        bool negative = false;
        for (;;) {
            if (take('-'))
                negative = !negative;
            else if (!take('+'))
                break;
        }
        const std::string value = base();
        return negative ? "(-" + value + ")" : value;
    }

    std::string base() {
        skip_blanks();
        if (at_ >= text_.size()) refuse("an expression that goes on");
        const auto c = static_cast<unsigned char>(text_[at_]);
        if (std::isdigit(c) || c == '.') return number();
        if (std::isalpha(c) || c == '_') return named();
        if (take('(')) {
            std::string value = sum();
            close_bracket();
            return value;
        }
        refuse(fmt::format("a number, a name or '(' at '{}'", text_.substr(at_, 12)));
    }

    void close_bracket() {
        if (take(',')) refuse("one value where the comma is");
        if (!take(')')) refuse("a closing bracket");
    }

    std::string number() {
        double value = 0.0;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc() || !std::isfinite(value))
            refuse(fmt::format("a number at '{}'", text_.substr(at_, 12)));
        at_ += static_cast<std::size_t>(end - begin);
        return fmt::format("{}", value);
    }

    std::string named() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        const std::string name = text_.substr(begin, at_ - begin);
        if (name == "x" || name == "y" || name == "z" || name == "t") {
            constant_ = false;
            return variable_(name[0]);
        }
        if (name == "pi" || name == "e") {
            if (take('(')) close_bracket();
            return name;
        }
        const auto found =
            std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return name == f.name; });
        if (found == functions.end()) refuse(fmt::format("known names: '{}' is none of {}", name, functions_and_names));
        return checked(found->write(arguments(*found)));
    }

    Arguments arguments(const Function& function) {
        if (!take('(')) {
            if (function.arguments > 1) refuse(fmt::format("brackets after '{}'", function.name));
            if (++depth_ > 100) refuse("functions that are not nested this deep");
            Arguments result{signed_base()};
            --depth_;
            return result;
        }
        Arguments result{sum()};
        while (take(',')) result.push_back(sum());
        if (result.size() != function.arguments)
            refuse(fmt::format("{} argument{} of '{}'", function.arguments, function.arguments == 1 ? "" : "s",
                               function.name));
        if (!take(')')) refuse("a closing bracket");
        return result;
    }

    const std::string& text_;
    const std::function<std::string(char)>& variable_;
    const std::string& file_;
    const std::string& field_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool constant_ = true;
};

}  // namespace

TranslatedExpression translate_expression(const std::string& text,
                                          const std::function<std::string(char name)>& variable,
                                          const std::string& file, const std::string& field) {
    return Translator(text, variable, file, field).run();
}

}  // namespace stiction::scene
