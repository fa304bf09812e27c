// A run with files: a JSON scene with a driven plate, the force on it, and a second part that goes on with the first.
#include <stiction/base/error.hpp>
#include <stiction/scene/parse.hpp>
#include <stiction/session/session.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

using namespace stiction;

namespace {

/// Prints the force that the plate bears (N).
class PlateForce final : public Observer {
public:
    void step_done(const World& world, const State& state, const StepResult& result) override {
        Vec3 force = Vec3::Zero();
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (world.body_at(v).name == "plate") force += result.contact_force.segment<3>(3 * v);
        }
        if (state.step % 5 == 0) std::printf("t = %.2f s: the plate bears %7.3f N\n", state.t, force.y());
    }
};

/// Runs a session to its end.
int run(Session session) {
    PlateForce force;
    session.begin().add_observer(force);
    const SessionEnd end = session.run();
    std::printf("%s at step %d of %d; verdict: %s\n", end.report.status.c_str(), end.step, end.last_step,
                in_words(end.doubts).c_str());
    return end.end == RunEnd::done ? 0 : 2;
}

}  // namespace

/// scene_run SCENE FOLDER: 30 steps of the scene, then 10 more from the checkpoint in the folder.
int main(int argc, char** argv) {
    if (argc != 3) return 1;
    try {
        const std::string scene = argv[1], folder = argv[2];
        Session session = Session::create(parse_scene(scene), scene, folder, {.force = true});
        for (const StartProblem& problem : session.problems()) std::printf("%s\n", problem.text.c_str());
        if (!session.problems().empty()) return 1;
        const int first = run(std::move(session));
        return first != 0 ? first : run(Session::resume(folder, {}, 40));
    } catch (const InputError& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
