#include "scene.hpp"
#include "signals.hpp"
#include "simulation.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/verdict.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/sim/energy_balance.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cmath>

namespace stiction::python {
namespace {

std::atomic<int> process_with_threads{0};

/// How far vertices are from what a rigid motion makes of `shape`, at most (m).
double bend(const Eigen::Matrix3Xd& shape, const Eigen::Matrix3Xd& now) {
    const Eigen::Matrix4d pose = Eigen::umeyama(shape, now, false);
    const Eigen::Matrix3Xd placed = (pose.topLeftCorner<3, 3>() * shape).colwise() + pose.topRightCorner<3, 1>();
    return (placed - now).colwise().norm().maxCoeff();
}

/// Vertices of rigid bodies keep their distances: an edit moves a rigid body as a whole, or not at all. Affine bodies
/// may be strained a little before it, and then keep that.
void check_rigid(const World& world, const VecX& before, const VecX& x) {
    for (const Body& body : world.bodies) {
        if (body.kind != BodyKind::rigid) continue;
        const Index first = body.first_vertex, n = body.vertex_count();
        const auto part = [&](const VecX& stacked) {
            return Eigen::Map<const Eigen::Matrix3Xd>(stacked.data() + 3 * first, 3, n);
        };
        const auto rest = part(world.initial_positions), now = part(x);
        if (now == part(before)) continue;
        const double size = (rest.colwise() - rest.rowwise().mean()).colwise().norm().maxCoeff();
        const double error = std::min(bend(rest, now), bend(part(before), now));
        if (error > 1e-6 * size)
            throw InputError("", fmt::format("body '{}'", body.name), fmt::format("bent by {:.3g} m", error),
                             "positions of a rigid body that is moved as a whole");
    }
}

/// How far velocities at x are from those of a rigid motion, at most (m/s).
double shear(const Eigen::Matrix3Xd& x, const Eigen::Matrix3Xd& v) {
    const Vec3 centre = x.rowwise().mean(), mean = v.rowwise().mean();
    Mat3 inertia = Mat3::Zero();
    Vec3 momentum = Vec3::Zero();
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
        const Vec3 r = x.col(k) - centre;
        inertia += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
        momentum += r.cross(v.col(k) - mean);
    }
    const Vec3 spin = inertia.completeOrthogonalDecomposition().solve(momentum);
    double worst = 0.0;
    for (Eigen::Index k = 0; k < x.cols(); ++k)
        worst = std::max(worst, (mean + spin.cross(x.col(k) - centre) - v.col(k)).norm());
    return worst;
}

/// Other velocities of a rigid body are none that it can have, and some methods would make energy of them. Those after
/// a step are not exactly rigid: differences of positions, of affine bodies with a strain rate.
void check_rigid_velocities(const World& world, const State& before, const State& after) {
    for (const Body& body : world.bodies) {
        if (body.kind != BodyKind::rigid) continue;
        const auto part = [&](const VecX& stacked) {
            return Eigen::Map<const Eigen::Matrix3Xd>(stacked.data() + 3 * body.first_vertex, 3, body.vertex_count());
        };
        const auto x = part(after.x), v = part(after.v), old_v = part(before.v);
        if (x == part(before.x) && v == old_v) continue;
        const double size = v.colwise().norm().maxCoeff(), old_size = old_v.colwise().norm().maxCoeff();
        const double usual = old_size > 0.0 ? shear(part(before.x), old_v) * std::max(1.0, size / old_size) : 0.0;
        const double error = shear(x, v);
        if (error > 1e-6 * size + 1.01 * usual)
            throw InputError("", fmt::format("body '{}'", body.name),
                             fmt::format("velocities {:.3g} m/s off those of a rigid motion", error),
                             "one velocity for all vertices, or that of a turning body");
    }
}

/// The anchor from which a motion leads to x at time t, the same motion otherwise: an axis that is carried along stays
/// where it is. Positions are affine in the anchor; of formulas and sequences they do not depend on it.
Vec3 anchor_through(const Motion& motion, const ScheduledVertex& vertex, double t, const Vec3& x) {
    if (motion.commanded) return x;
    const auto position = [&](const Vec3& anchor) {
        return motion.trajectory->position(t, {vertex.index_in_motion, anchor, vertex.initial, vertex.anchor_time});
    };
    const Vec3 offset = position(Vec3::Zero());
    Mat3 turn;
    for (int k = 0; k < 3; ++k) turn.col(k) = position(Vec3::Unit(k)) - offset;
    return turn.transpose() * (x - offset);
}

/// Motions under way go on from where an edit put their vertices.
void move_anchors(const World& world, const VecX& before, State& state) {
    for (std::size_t m = 0; m < world.motions.size(); ++m) {
        const Motion& motion = world.motions[m];
        for (std::size_t k = 0; k < motion.vertices.size(); ++k) {
            const auto v = static_cast<std::size_t>(motion.vertices[k]);
            const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
            const Vec3 x = state.x.segment<3>(at);
            if (state.active_motion[v] != static_cast<Index>(m) || x == before.segment<3>(at)) continue;
            const ScheduledVertex vertex{static_cast<Index>(k), state.anchor.segment<3>(at),
                                         world.initial_positions.segment<3>(at), state.anchor_time[v]};
            state.anchor.segment<3>(at) = anchor_through(motion, vertex, state.t, x);
        }
    }
}

}  // namespace

void refuse_forked_child() {
    const int now = getpid();
    int expected = 0;
    if (!process_with_threads.compare_exchange_strong(expected, now) && expected != now)
        throw std::runtime_error(
            "this process was forked from one that had simulated: its threads are gone; start "
            "processes with the method 'spawn' or 'forkserver'");
}

namespace {

/// The commanded vertices of a body, in order. Throws InputError if there are none.
std::vector<Index> commanded_vertices(const World& world, Index body) {
    std::vector<Index> vertices;
    for (const Motion& motion : world.motions) {
        if (!motion.commanded) continue;
        for (const Index v : motion.vertices) {
            if (world.body_of_vertex[static_cast<std::size_t>(v)] == body) vertices.push_back(v);
        }
    }
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    if (vertices.empty())
        throw InputError("", "target", fmt::format("'{}'", world.bodies.at(static_cast<std::size_t>(body)).name),
                         "a body with a motion or boundary that is `commanded`, and with vertices");
    return vertices;
}

}  // namespace

void command_body(Simulator& simulator, Index body, const VecX& positions) {
    const World& world = simulator.world();
    const Body& target = world.bodies.at(static_cast<std::size_t>(body));
    const std::vector<Index> vertices = commanded_vertices(world, body);
    const auto wanted = static_cast<Eigen::Index>(vertices.size());
    const bool all = positions.size() == 3 * target.vertex_count();
    if (!all && positions.size() != 3 * wanted)
        throw InputError("", "target", fmt::format("{} positions", positions.size() / 3),
                         all || wanted == target.vertex_count()
                             ? fmt::format("{} of them, one a vertex", wanted)
                             : fmt::format("{} of them, one a commanded vertex, or {}, one a vertex of the body",
                                           wanted, target.vertex_count()));
    VecX chosen(3 * wanted);
    for (Eigen::Index k = 0; k < wanted; ++k) {
        const Eigen::Index from = all ? vertices[static_cast<std::size_t>(k)] - target.first_vertex : k;
        chosen.segment<3>(3 * k) = positions.segment<3>(3 * from);
    }
    simulator.command(vertices, chosen);
}

Simulation::Simulation(const SceneSpec& spec) : signals_(std::make_unique<SignalWatch>()) {
    refuse_forked_child();
    CompiledScene scene = compile_scene(spec);
    require_start(spec.origin.file, scene.world, scene.state, &scene.spec);
    spec_ = std::move(scene.spec);
    simulator_ =
        std::make_unique<Simulator>(std::move(scene.world), std::move(scene.state), std::move(scene.method),
                                    SimulatorOptions{spec_.time.step, halvings_within(spec_.time.max_substeps)});
    for (const auto& body : simulator_->world().bodies) body_names_.push_back(body.name);
    simulator_->list_contacts(true);
    simulator_->add_observer(*signals_);
}

Simulation::~Simulation() = default;

std::unique_lock<std::mutex> Simulation::hold() const {
    refuse_forked_child();
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) throw std::runtime_error("this simulation is in use by another thread");
    return lock;
}

Simulation::Step Simulation::step() {
    const auto lock = hold();
    shared_state_.reset();
    const bool done = simulator_->advance(&signals_->interrupt());
    if (simulator_->was_interrupted()) return {false, {}, "", signals_->take()};
    if (!done) return {false, *simulator_->failure(), "", signals_->take()};
    const StepReport& report = simulator_->last_result()->report;
    const std::vector<Doubt> doubts =
        verdict(report, simulator_->state().step, body_names_, energy_ledger(simulator_->world()), spec_.verdict);
    return {true, report, in_words(doubts), signals_->take()};
}

std::pair<double, Index> Simulation::now() const {
    const auto lock = hold();
    return {simulator_->state().t, simulator_->state().step};
}

Present Simulation::present() {
    const auto lock = hold();
    if (const auto result = simulator_->shared_result()) {
        // The state inside the result is the one of the simulator, and lives with it.
        return {std::shared_ptr<const State>(result, &result->state), result};
    }
    if (!shared_state_) shared_state_ = std::make_shared<const State>(simulator_->state());
    return {shared_state_, nullptr};
}

std::string Simulation::state() const {
    const auto lock = hold();
    return to_bytes(simulator_->state());
}

void Simulation::restore(std::string_view bytes) {
    const auto lock = hold();
    State state = state_from_bytes(bytes, "state");
    check_state(state, world(), "state", "of this scene");
    if (state.t != state.step * step_size())
        throw InputError("state", "", fmt::format("t = {} s after {} steps", state.t, state.step),
                         fmt::format("a state of this scene, with steps of {} s", step_size()));
    simulator_->restore(std::move(state));
    shared_state_.reset();
}

namespace {

/// Vertices of collision meshes follow the tets that they hang in: `given` gets what these say. Those that are not as
/// in `before` have to be there already.
void follow_tets(const World& world, const VecX& before, const char* name, VecX& given) {
    VecX change = given - before;
    carry(world.carried, change);
    const double allowed = 1e-6 * change.lpNorm<Eigen::Infinity>();
    for (const EmbeddedVertex& entry : world.carried) {
        auto there = given.segment<3>(3 * entry.vertex);
        const Vec3 old = before.segment<3>(3 * entry.vertex), followed = old + change.segment<3>(3 * entry.vertex);
        const Body& body = world.body_at(entry.vertex);
        if (there != old && (there - followed).norm() > allowed)
            throw InputError("", name,
                             fmt::format("vertex {} of '{}' apart from the tet that it hangs in",
                                         entry.vertex - body.first_vertex, body.name),
                             "vertices of a collision mesh as they are, or where their tets carry them");
        there = followed;
    }
}

}  // namespace

void Simulation::edit(VecX x, VecX v) {
    const auto lock = hold();
    State state = simulator_->state();
    if (!v.allFinite()) throw InputError("", "v", "a velocity that is not finite", "finite velocities");
    if (x == state.x && v == state.v) return;
    follow_tets(world(), state.x, "x", x);
    follow_tets(world(), state.v, "v", v);
    if (x != state.x) {
        state.x = std::move(x);
        require_start("edit", world(), state, nullptr);  // says, too, where positions are not finite
        check_rigid(world(), simulator_->state().x, state.x);
    }
    state.v = std::move(v);
    check_rigid_velocities(world(), simulator_->state(), state);
    state.previous_x = state.x;
    state.previous_v = state.v;
    state.previous_h = 0.0;
    state.acceleration.resize(0);
    state.warm_start.clear();
    move_anchors(world(), simulator_->state().x, state);
    simulator_->restore(std::move(state));
    shared_state_.reset();
}

void Simulation::command(Index body, const VecX& positions) {
    const auto lock = hold();
    command_body(*simulator_, body, positions);
}

void Simulation::check_commanded(Index body) const {
    commanded_vertices(world(), body);
}

void Simulation::apply_force(VecX force) {
    const auto lock = hold();
    simulator_->apply_force(std::move(force));
}

}  // namespace stiction::python
