// Iterations that confirm the end of a Newton solve.
#pragma once

#include "stiction/barrier/direction.hpp"

#include <optional>
#include <vector>

namespace stiction {

/// A projected direction is too short a measure where the last move met much less curvature than its matrix has; the
/// refined one is up to a hundred times as long there. So the solve goes on with refined directions for a while, and
/// goes back to where that began if the balance was better there. Moves are told when it is known which of them stand.
class Confirmation {
public:
    /// Everything is kept by reference.
    Confirmation(const StageModel& model, BarrierPotential& potential, const StoppingRule& stopping, SolveLog& log)
        : model_(model), potential_(potential), stopping_(stopping), log_(log) {}

    /// Whether one has begun.
    bool runs() const { return begun_.has_value(); }
    void forget() { begun_.reset(); }
    /// After a solve that seems finished: whether to go on with refined directions. Begins a confirmation, or goes on
    /// with it while more than half of the imbalance at its start is left, or the direction is above a fifth of the
    /// tolerance.
    /// @param residual  |p|_inf / s of the last direction (m/s)
    bool wants_more(Iterate& iterate, const NewtonDirection& direction, double residual);
    /// Counts an iteration of one that runs. @return whether there are none left
    bool runs_out() { return begun_ && begun_->iterations_left-- == 0; }
    /// Ends it: goes back to where it began if that was nearer to a balance. An end that is kept may have a residual
    /// above the tolerance, if its iterations ran out.
    /// @return whether the iterate is the earlier one
    bool end(Iterate& iterate);
    /// Tells StepInput::moves of a move of all vertices, at the end of the confirmation if one runs.
    void report_move(const VecX& from, const VecX& to);

private:
    struct Begun {
        Iterate iterate;
        double stiffness, imbalance, residual;  ///< there
        int iterations_left;
        std::vector<VecX> path;  ///< ends of the moves since, told if they are kept
    };

    const StageModel& model_;
    BarrierPotential& potential_;
    const StoppingRule& stopping_;
    SolveLog& log_;
    std::optional<Begun> begun_;
};

}  // namespace stiction
