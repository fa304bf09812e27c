// Scenes as Python hands them over: the text of a scene file, and meshes in memory.
#pragma once

#include "stiction/report/step_report.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/world/start_check.hpp"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace stiction::python {

/// A scene that was read: what the command makes of a scene file.
struct ParsedScene {
    SceneSpec spec;
};

/// A start that is refused. what() has the first problem and the number of all.
class StartError : public std::runtime_error {
public:
    /// @param remedy  end of the message
    StartError(const std::string& scene, std::vector<StartProblem> found, const char* remedy);
    std::vector<StartProblem> problems;
};

/// {text, points, edges, triangles, tets}: ids of the world's vertices.
nanobind::dict problem_dictionary(const StartProblem& problem);

/// Throws StartError if anything keeps the state from starting.
/// @param spec  the scene whose start it is, which `repair` takes; null: another state
void require_start(const std::string& scene, const World& world, const State& state, const SceneSpec* spec);

/// StepReport as a dictionary, without its trace.
nanobind::dict report_dictionary(const StepReport& step);

/// Throws std::runtime_error in a child process that was forked after threads had been started, where whatever uses
/// them would wait for ever.
void refuse_forked_child();

void bind_scene(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_run(nanobind::module_& module);

}  // namespace stiction::python
