// Expressions of PolyFEM scenes -> formulas.
#pragma once

#include <functional>
#include <string>

namespace stiction::scene {

/// What an expression became.
struct TranslatedExpression {
    std::string formula;    ///< the same value in the language of Formula, every operation in brackets
    bool constant = false;  ///< uses none of x, y, z, t
};

/// Translates an expression of the TinyExpr language, in which PolyFEM scenes are written. It differs from that of
/// Formula: -a^b means (-a)^b, a^b^c means (a^b)^c, `log` is to the base 10, and a function of one argument needs no
/// brackets. Variables: x, y, z, t. Constants: pi, e. Functions: abs acos asin atan atan2 ceil cos cosh exp floor ln
/// log log10 pow sin sinh sqrt tan tanh, and those that PolyFEM adds: min max deg2rad rotate_2D_x rotate_2D_y
/// smooth_abs smoothstep half_smoothstep sign compare if. `fac`, `ncr` and `npr` are refused: formulas have none of
/// them.
/// @param variable  text that stands for a variable in the formula, given its name; in brackets if it is an operation
/// @throws InputError naming file, field, the expression and what is wrong with it
TranslatedExpression translate_expression(const std::string& text,
                                          const std::function<std::string(char name)>& variable,
                                          const std::string& file, const std::string& field);

}  // namespace stiction::scene
