// Formulas in x, y, z and t.
#pragma once

#include "stiction/base/types.hpp"

#include <memory>
#include <string>

namespace stiction {

/// A formula such as "0.1*sin(2*pi*t)*x". Variables: x, y, z (m), t (s); constants: pi, e; operators + - * / ^,
/// comparisons, && ||, a ? b : c; functions sin cos tan asin acos atan atan2 sinh cosh tanh exp ln log2 log10 sqrt abs
/// sign rint floor ceil fmod (two arguments, sign of the first) min max sum avg (angles in radians). Copies share the
/// compiled formula; evaluation is safe from several threads.
class Formula {
public:
    /// @param field  path of the key, for messages
    /// @throws InputError naming file, field, the formula and the unknown name or the position of the mistake
    Formula(const std::string& text, const std::string& file, const std::string& field);
    /// Value at a point (m) and time (s); may be NaN or infinite where the formula is.
    double operator()(const Vec3& point, double t) const;

private:
    struct Compiled;
    std::shared_ptr<Compiled> compiled_;
};

}  // namespace stiction
