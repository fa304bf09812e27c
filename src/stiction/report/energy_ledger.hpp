// Energy that a run gained and nobody put in.
#pragma once

#include "stiction/report/step_report.hpp"

#include <cmath>

namespace stiction {

/// Energy that came into being over the steps of a run, beside what there was and what was put in.
class EnergyLedger {
public:
    /// Parts of scale() and gross_scale() from which a gain is one.
    static constexpr double tolerated_gain = 0.01, tolerated_gross_gain = 0.05;

    EnergyLedger() = default;
    /// @param unnoticed  energy that nobody would notice (J): rounding at rest is not held against nothing
    /// @param negligible  a gain up to this is none (J), for instance what a start in contact pushes bodies apart with
    explicit EnergyLedger(double unnoticed, double negligible = 0.0) : unnoticed_(unnoticed), negligible_(negligible) {}
    void add(const StepReport& report);
    /// Sum of EnergyBalance::gain (J).
    double gain() const { return gain_; }
    /// What the gain is small against: the largest kinetic + elastic energy so far, and all work that loads and driven
    /// vertices did, of either sign, and what nobody would notice (J).
    double scale() const { return peak_ + work_ + unnoticed_; }
    /// Gain before friction and damping took their parts (J). It shows a gain that they hide. It is known less well:
    /// forces at the end of a step stand for those within it.
    double gross_gain() const { return gain_ + dissipated_; }
    /// What the gross gain is small against: the scale and what friction and damping took (J).
    double gross_scale() const { return scale() + std::abs(dissipated_); }
    /// The worst moment of the run so far: what had come into being (J), over its scale, and the tolerated part of
    /// that.
    struct Worst {
        double gain = 0.0, share = 0.0, tolerated = tolerated_gain;
    };
    const Worst& worst() const { return worst_; }
    /// Whether more came into being than there was and was put in.
    bool exploded() const { return gain_ > negligible_ && gain_ > 0.5 * scale(); }
    /// Steps after which the gain was no longer negligible and more than a hundredth of its scale, or the gross gain
    /// more than a twentieth of its own.
    long steps_above() const { return steps_above_; }

private:
    double unnoticed_ = 0.0, negligible_ = 0.0, gain_ = 0.0, dissipated_ = 0.0, peak_ = 0.0, work_ = 0.0;
    long steps_above_ = 0;
    Worst worst_;
};

}  // namespace stiction
