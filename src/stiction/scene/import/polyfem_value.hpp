// Numbers of PolyFEM scenes: plain, with a unit, or as expressions.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/scene/import/object.hpp"
#include "stiction/scene/import/units.hpp"
#include "stiction/scene/spec.hpp"

namespace stiction::scene {

/// What all parts of the importer need to know.
struct PolyfemContext {
    const SceneOrigin& origin;
    UnitSystem units;  ///< of plain numbers
    ImportNotes& notes;
    double start = 0.0;  ///< PolyFEM's time at our 0 (s)
    double step = 0.0;   ///< time step (s)
    int steps = 0;       ///< of the run

    /// PolyFEM's time in its own unit, as a formula in ours; in brackets if it is an operation.
    std::string clock() const;
};

/// A value in SI units.
struct PolyfemValue {
    std::string formula;           ///< in x, y, z (m) and t (s), for Formula
    std::optional<double> number;  ///< set when it depends on none of them
};

/// Reads a number, an expression or {"value": ..., "unit": ...}.
/// @throws InputError naming `path`
PolyfemValue polyfem_value(const Json& json, const std::string& path, const Dimension& dimension,
                           const PolyfemContext& context);

/// The same where only a constant makes sense.
double polyfem_constant(const Json& json, const std::string& path, const Dimension& dimension,
                        const PolyfemContext& context);

/// Three constants.
Vec3 polyfem_constants(const Json& json, const std::string& path, const Dimension& dimension,
                       const PolyfemContext& context);

}  // namespace stiction::scene
