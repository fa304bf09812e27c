// frames/NNNNNN.vtu, frames.pvd and the optional surface series.
#pragma once

#include "stiction/output/frame_data.hpp"
#include "stiction/output/run_directory.hpp"

#include <vector>

namespace stiction {

/// What to write for each frame.
struct FrameOptions {
    FrameFields fields;
    bool obj = false;  ///< also frames_obj/NNNNNN.obj: the surfaces of the deformable bodies
    bool ply = false;  ///< also frames_ply/NNNNNN.ply
};

/// Writes frames of one run. Every file appears complete or not at all, so that a killed run leaves a readable series.
class FrameWriter {
public:
    /// Takes up the frames that are there already: the series goes on after them. `world` must outlive the writer.
    /// @param h  step size (s): frame n is at time n h
    FrameWriter(const World& world, const RunDirectory& directory, const FrameOptions& options, double h);

    /// Removes frames of steps after `last_step` (a killed run may have got further than its checkpoint).
    void discard_after(int last_step);

    /// Writes the frame of state.step and the index. Throws InputError when a file cannot be written.
    /// @param result  of the step that led to `state`; null before the first: no forces
    void write(const State& state, const StepResult* result);

    /// Step of the last frame of the series, -1 if there is none.
    int last_step() const { return steps_.empty() ? -1 : steps_.back(); }

private:
    void write_index() const;
    void write_surfaces(const State& state) const;

    const World& world_;
    RunDirectory directory_;
    FrameOptions options_;
    double h_;
    std::vector<int> steps_;  // ascending
};

}  // namespace stiction
