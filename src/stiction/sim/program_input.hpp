// What a program that steps a simulation adds to its world.
#pragma once

#include "stiction/world/step.hpp"

#include <vector>

namespace stiction {

/// Forces, and places of commanded vertices (Motion::commanded).
class ProgramInput {
public:
    explicit ProgramInput(const World& world);

    /// Where commanded vertices go in the next step, as Simulator::command(). @param x  of the present state
    void command(const World& world, const VecX& x, const std::vector<Index>& vertices, const VecX& positions);
    void forget_commands() { commanded_.clear(); }
    /// Forces (N), stacked, all vertices, beside those of the world from now on; empty: none.
    void apply(const World& world, VecX force);
    const VecX& force() const { return force_; }
    /// Adds both to the schedule of a step, or of a piece of one, that begins at `from`.
    /// @param end  of the step (s)
    void follow(const World& world, const State& from, double end, StepInput& input) const;

private:
    VecX force_;
    std::vector<char> commandable_, commanded_;  ///< one a vertex; empty: none
    VecX target_;                                ///< stacked (m): where those of commanded_ go
};

}  // namespace stiction
