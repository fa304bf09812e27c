// Every energy that scenes offer, under every method: what flies, spins and oscillates without any force from outside
// keeps its linear momentum to rounding, and its angular momentum as backward Euler does, or the method refuses it.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/compare.hpp"
#include "support/rigid.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

const Vec3 speed(1.0, -2.0, 3.0), spin(4.0, -2.0, 8.0);

/// A world of one energy, and what is known of it.
struct Flight {
    WorldBuilder builder;
    /// What positions are stretched by at t = 0: no energy is at rest then, and Hessians are indefinite.
    Vec3 stretch{1.06, 0.95, 0.98};
    local_global::Options local_global;
    double step = 1e-3;  ///< s
    int steps = 20;
    double mass_damping = 0.0;  ///< 1/s
    bool keeps_spin = true;     ///< false: the law knows no rotations
};

Mesh block() {
    return generate_box({0.2, 0.1, 0.15}, {2, 1, 2});
}

void add_solid(Flight& flight, const BodyMaterial& material) {
    flight.builder.add_deformable("block", block(), material);
    flight.mass_damping = material.mass_damping;
}

void add_law(Flight& flight, MaterialLaw law) {
    add_solid(flight, {law, 2e4, 0.3, 1000.0});
    flight.keeps_spin = law != MaterialLaw::linear;
}

void add_sum(Flight& flight) {
    BodyMaterial material{MaterialLaw::sum, 2e4, 0.3, 1000.0};
    material.terms = {{TermKind::isochoric_power, 4e3, 2.0},
                      {TermKind::isochoric_power, 1e3, -2.0},
                      {TermKind::log_volume, 2e4},
                      {TermKind::fixed_corotated, 0.0, 2.0, lame_parameters(5e3, 0.3)}};
    add_solid(flight, material);
}

void add_extrapolated(Flight& flight) {
    BodyMaterial material{MaterialLaw::neo_hookean, 2e4, 0.3, 1000.0};
    material.extrapolate_below = 0.9;
    flight.stretch = {0.9, 0.9, 0.95};
    add_solid(flight, material);
}

void add_damped(Flight& flight, double alpha, double beta) {
    BodyMaterial material{MaterialLaw::neo_hookean, 2e4, 0.3, 1000.0};
    material.mass_damping = alpha;
    material.stiffness_damping = beta;
    add_solid(flight, material);
}

void add_consistent(Flight& flight) {
    add_law(flight, MaterialLaw::neo_hookean);
    flight.builder.set_consistent_mass(true);
}

ShellMaterial sheet(MembraneLaw law, BendingModel bending) {
    ShellMaterial material;
    material.law = law;
    material.youngs_modulus = 2e5;
    material.thickness = 2e-3;
    material.bending = bending;
    material.bending_stiffness = 1e-4;
    return material;
}

/// A sheet that is bent in two directions, and the flat one that it is at rest.
void add_sheet(Flight& flight, const ShellMaterial& material) {
    Mesh mesh = generate_cloth(0.2, 0.15, 4, 3);
    const std::vector<Vec3> rest = mesh.vertices;
    for (Vec3& x : mesh.vertices) x.y() += 2.0 * x.x() * x.x() - x.x() * x.z();
    flight.builder.add_shell("sheet", mesh, material, Vec3::Zero(), Vec3::Zero(), rest);
    flight.builder.set_contact(0, 0, false);
    flight.mass_damping = material.mass_damping;
}

void add_membrane(Flight& flight, MembraneLaw law) {
    add_sheet(flight, sheet(law, BendingModel::none));
}

void add_bending(Flight& flight, BendingModel model) {
    add_sheet(flight, sheet(MembraneLaw::neo_hookean, model));
}

void add_strain_limit(Flight& flight) {
    ShellMaterial material = sheet(MembraneLaw::neo_hookean, BendingModel::none);
    material.strain_limit = {1.01, 1.3, 1e5};
    add_sheet(flight, material);
    flight.stretch = {1.02, 1.0, 0.99};
    flight.step = 2e-4;
}

void add_damped_sheet(Flight& flight) {
    ShellMaterial material = sheet(MembraneLaw::neo_hookean, BendingModel::hinge);
    material.mass_damping = 3.0;
    add_sheet(flight, material);
}

void add_rod(Flight& flight) {
    RodMaterial material;
    material.youngs_modulus = 1e6;
    material.radius = 2e-3;
    material.linear_density = 0.02;
    material.rest_shape = RodRestShape::straight;
    flight.builder.add_rod("rod", generate_polyline({{0, 0, 0}, {0.1, 0.02, 0}, {0.2, 0, 0.05}}, false, 0.03),
                           material);
}

/// A hollow ball whose filling pushes or, with a negative over-pressure, sucks.
void add_filled(Flight& flight, VolumeLawKind kind, double overpressure) {
    flight.builder.add_deformable("ball", generate_hollow_ball(0.05, 0.01, 2),
                                  {MaterialLaw::neo_hookean, 1e5, 0.4, 1000.0});
    VolumeLaw law;
    law.kind = kind;
    law.overpressure = overpressure;
    if (kind != VolumeLawKind::ideal_gas) law.compressibility = 1e-6;
    flight.builder.add_filling(0, FilledPart::cavity, law);
    flight.stretch = {1.01, 0.99, 1.0};
}

void add_quadratic(Flight& flight) {
    Mesh mesh = block();
    add_mid_nodes(mesh);
    flight.builder.add_deformable("block", mesh, {MaterialLaw::neo_hookean, 2e4, 0.3, 1000.0}, Vec3::Zero(),
                                  Vec3::Zero(), {}, 1);
}

void add_filled_quadratic(Flight& flight, double overpressure) {
    Mesh mesh = generate_hollow_ball(0.05, 0.02, 1);
    add_mid_nodes(mesh);
    flight.builder.add_deformable("ball", mesh, {MaterialLaw::neo_hookean, 1e5, 0.4, 1000.0}, Vec3::Zero(),
                                  Vec3::Zero(), {}, 2);
    VolumeLaw law;
    law.kind = VolumeLawKind::ideal_gas;
    law.overpressure = overpressure;
    flight.builder.add_filling(0, FilledPart::cavity, law);
    flight.stretch = {1.01, 0.99, 1.0};
}

/// In steps so long that the exact Hessian of the filling takes more than the inertia that A has of the wall.
void add_filled_in_long_steps(Flight& flight) {
    add_filled(flight, VolumeLawKind::ideal_gas, 5000.0);
    flight.step = 0.01;
    flight.steps = 10;
    flight.keeps_spin = false;
}

void add_balloon(Flight& flight) {
    flight.builder.add_shell("balloon", generate_icosphere(0.05, 1),
                             sheet(MembraneLaw::neo_hookean, BendingModel::hinge));
    VolumeLaw law;
    law.kind = VolumeLawKind::ideal_gas;
    law.overpressure = 500.0;
    flight.builder.add_filling(0, FilledPart::surface, law);
    flight.stretch = {1.01, 0.99, 1.0};
}

void add_rigid(Flight& flight) {
    flight.builder.add_rigid("body", lopsided(), 1000.0, speed, spin, 1e8);
    flight.stretch = Vec3::Ones();
}

void add_collision_mesh(Flight& flight) {
    add_law(flight, MaterialLaw::neo_hookean);
    flight.builder.set_collision_mesh(0, generate_box({0.2, 0.1, 0.15}, {1, 1, 1}, Fill::surface));
}

/// Two blocks, the lower vertices of the upper one attached to the lower one.
void add_attached(Flight& flight) {
    flight.builder.add_deformable("lower", block(), {MaterialLaw::neo_hookean, 2e4, 0.3, 1000.0});
    flight.builder.add_deformable("upper", translated(block(), {0.02, 0.12, 0.01}),
                                  {MaterialLaw::neo_hookean, 1e4, 0.3, 500.0});
    flight.local_global.attachments = {{.body = "upper", .to = "lower", .centre = {0.02, 0.07, 0.01}, .radius = 0.1}};
    flight.stretch = Vec3::Ones();
}

void add_cable(Flight& flight) {
    add_law(flight, MaterialLaw::neo_hookean);
    flight.local_global.cables = {{.body = "block",
                                   .points = {{-0.1, 0.05, -0.075}, {0.0, -0.05, 0.0}, {0.1, 0.05, 0.075}},
                                   .length = {{0.0, 1.0}, {0.02, 0.98}}}};
    flight.stretch = Vec3::Ones();
}

/// Methods with tolerances that leave rounding alone.
/// @param tight  mlcp: as far as rounding allows in a flight that does not start with the solution
std::unique_ptr<Method> make(const std::string& name, const Flight& flight, bool tight = true) {
    if (name == "ipc") {
        ipc::Options options;
        options.velocity_tolerance = 1e-11;
        return std::make_unique<ipc::Ipc>(options);
    }
    if (name == "implicit") {
        implicit::Options options;
        options.velocity_tolerance = options.implicit_tolerance = 1e-11;
        return std::make_unique<implicit::Implicit>(options);
    }
    if (name == "local_global") {
        local_global::Options options = flight.local_global;
        options.iterations = 200;
        options.tolerance = 1e-9;
        return std::make_unique<local_global::LocalGlobal>(options);
    }
    mlcp::Options options;
    options.tolerance = tight ? 1e-13 : 1e-5;
    if (name == "mlcp, nonlinear") {
        options.elasticity = mlcp::ElasticityModel::nonlinear;
        options.velocity_tolerance = tight ? 1e-10 : 1e-7;
    }
    return std::make_unique<mlcp::Mlcp>(options);
}

Vec3 centre(const World& world, const State& state) {
    const VecX moments = mass_product(world, state.x);
    Vec3 sum = Vec3::Zero();
    for (Index v = 0; v < world.vertex_count(); ++v) sum += moments.segment<3>(3 * v);
    return sum / world.mass.sum();
}

Vec3 momentum(const World& world, const State& state) {
    const VecX momenta = mass_product(world, state.v);
    Vec3 sum = Vec3::Zero();
    for (Index v = 0; v < world.vertex_count(); ++v) sum += momenta.segment<3>(3 * v);
    return sum;
}

/// About the centre of mass.
Vec3 own_spin(const World& world, const State& state) {
    return angular_momentum(world, state) - centre(world, state).cross(momentum(world, state));
}

using Add = std::function<void(Flight&)>;

struct Start {
    Flight flight;
    World world;
    State state;
    std::unique_ptr<Method> method;
};

Start start(const Add& add, const std::string& method) {
    Start result;
    add(result.flight);
    result.flight.builder.set_gravity(Vec3::Zero());
    std::tie(result.world, result.state) = result.flight.builder.build();
    const World& world = result.world;
    State& state = result.state;
    if (world.rigid_bodies.empty()) {
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 x = result.flight.stretch.cwiseProduct(Vec3(state.x.segment<3>(3 * v)));
            state.x.segment<3>(3 * v) = x;
        }
        const Vec3 middle = centre(world, state);
        for (Index v = 0; v < world.vertex_count(); ++v)
            state.v.segment<3>(3 * v) = speed + spin.cross(Vec3(state.x.segment<3>(3 * v)) - middle);
    }
    result.method = make(method, result.flight);
    return result;
}

struct Flown {
    double loss = 0.0;        ///< of angular momentum, relative
    double turn_loss = 0.0;   ///< what backward Euler takes from a rigid spin: t |w|^2 h
    bool is_bounded = false;  ///< whether it is to be bounded
    std::vector<std::string> notes;
};

/// @param halves  steps in place of each
Flown fly(const Add& add, const std::string& method, int halves) {
    Start at = start(add, method);
    at.method->check(at.world);
    const double h = at.flight.step / halves;
    const int steps = at.flight.steps * halves;
    Flown result;
    const State end = run_steps(*at.method, at.world, at.state, h, steps, [&](const State&, const StepResult& step) {
        result.notes.insert(result.notes.end(), step.report.notes.begin(), step.report.notes.end());
    });
    const double kept = std::pow(1.0 + h * at.flight.mass_damping, -steps);
    const Vec3 before = kept * momentum(at.world, at.state), after = momentum(at.world, end);
    CHECK((after - before).norm() < 1e-10 * before.norm());
    const Vec3 spin_before = kept * own_spin(at.world, at.state), spin_after = own_spin(at.world, end);
    result.loss = (spin_after - spin_before).norm() / spin_before.norm();
    result.turn_loss = steps * h * spin.squaredNorm() * h;
    result.is_bounded = at.flight.keeps_spin;
    return result;
}

/// Of first order: of half the step half the loss, or close to it. Where losses of several kinds cancel at one of the
/// steps, it is compared with what a rigid spin loses.
void check_flight(const Add& add, const std::string& method) {
    const Flown coarse = fly(add, method, 1), fine = fly(add, method, 2);
    CAPTURE(coarse.loss);
    CAPTURE(fine.loss);
    if (!coarse.is_bounded) return;
    CHECK(coarse.loss < 0.04);
    CHECK(fine.loss < 0.7 * std::max(coarse.loss, coarse.turn_loss));
}

void check_refusal(const Add& add, const std::string& method, const std::string& complaint) {
    const Start at = start(add, method);
    std::string message;
    try {
        at.method->check(at.world);
    } catch (const InputError& error) {
        message = error.what();
    }
    CAPTURE(message);
    CHECK(message.find(complaint) != std::string::npos);
}

}  // namespace

#define FLIES(energy, method, ...)                                 \
    TEST_CASE("free flight: " energy " under " method) {           \
        check_flight([](Flight& flight) { __VA_ARGS__; }, method); \
    }
#define REFUSED(energy, method, complaint, ...)                                \
    TEST_CASE("free flight: " energy " is refused by " method) {               \
        check_refusal([](Flight& flight) { __VA_ARGS__; }, method, complaint); \
    }
#define FLIES_BUT_LOCAL_GLOBAL(energy, ...) \
    FLIES(energy, "ipc", __VA_ARGS__)       \
    FLIES(energy, "implicit", __VA_ARGS__)  \
    FLIES(energy, "mlcp", __VA_ARGS__)      \
    FLIES(energy, "mlcp, nonlinear", __VA_ARGS__)
#define FLIES_UNDER_ALL(energy, ...)            \
    FLIES_BUT_LOCAL_GLOBAL(energy, __VA_ARGS__) \
    FLIES(energy, "local_global", __VA_ARGS__)
#define FLIES_REFUSED_BY_LOCAL_GLOBAL(energy, complaint, ...) \
    FLIES_BUT_LOCAL_GLOBAL(energy, __VA_ARGS__)               \
    REFUSED(energy, "local_global", complaint, __VA_ARGS__)

FLIES_UNDER_ALL("neo_hookean", add_law(flight, MaterialLaw::neo_hookean))
FLIES_UNDER_ALL("stable_neo_hookean", add_law(flight, MaterialLaw::stable_neo_hookean))
FLIES_UNDER_ALL("fixed_corotated", add_law(flight, MaterialLaw::fixed_corotated))
FLIES_UNDER_ALL("arap", add_law(flight, MaterialLaw::arap))
FLIES_UNDER_ALL("saint_venant_kirchhoff", add_law(flight, MaterialLaw::saint_venant_kirchhoff))
FLIES_REFUSED_BY_LOCAL_GLOBAL("linear", "material.law", add_law(flight, MaterialLaw::linear))
FLIES_REFUSED_BY_LOCAL_GLOBAL("sum", "material.law", add_sum(flight))
FLIES_UNDER_ALL("extrapolated neo_hookean", add_extrapolated(flight))
FLIES_UNDER_ALL("consistent mass", add_consistent(flight))
FLIES_UNDER_ALL("mass damping", add_damped(flight, 3.0, 0.0))
FLIES_UNDER_ALL("stiffness damping", add_damped(flight, 0.0, 2e-3))

FLIES_UNDER_ALL("membrane neo_hookean", add_membrane(flight, MembraneLaw::neo_hookean))
FLIES_UNDER_ALL("membrane saint_venant_kirchhoff", add_membrane(flight, MembraneLaw::saint_venant_kirchhoff))
FLIES_UNDER_ALL("membrane fixed_corotated", add_membrane(flight, MembraneLaw::fixed_corotated))
FLIES_UNDER_ALL("membrane arap", add_membrane(flight, MembraneLaw::arap))
FLIES_REFUSED_BY_LOCAL_GLOBAL("strain limit", "a strain limit", add_strain_limit(flight))
FLIES_UNDER_ALL("bending hinge", add_bending(flight, BendingModel::hinge))
FLIES_UNDER_ALL("bending isometric", add_bending(flight, BendingModel::isometric))
FLIES_UNDER_ALL("bending laplacian", add_bending(flight, BendingModel::laplacian))
FLIES_UNDER_ALL("mass damping of a sheet", add_damped_sheet(flight))
FLIES_REFUSED_BY_LOCAL_GLOBAL("rod", "a rod", add_rod(flight))

FLIES_UNDER_ALL("gas", add_filled(flight, VolumeLawKind::ideal_gas, 2000.0))
FLIES_UNDER_ALL("gas below the pressure outside", add_filled(flight, VolumeLawKind::ideal_gas, -2000.0))
FLIES_UNDER_ALL("quadratic filling", add_filled(flight, VolumeLawKind::quadratic, 2000.0))
FLIES_UNDER_ALL("liquid", add_filled(flight, VolumeLawKind::nearly_incompressible, 2000.0))
FLIES_UNDER_ALL("gas in long steps", add_filled_in_long_steps(flight))
FLIES_UNDER_ALL("balloon", add_balloon(flight))

FLIES_UNDER_ALL("rigid body", add_rigid(flight))
FLIES("attachment", "local_global", add_attached(flight))
FLIES("cable", "local_global", add_cable(flight))
FLIES_UNDER_ALL("collision mesh", add_collision_mesh(flight))
FLIES_REFUSED_BY_LOCAL_GLOBAL("quadratic tets", "order", add_quadratic(flight))
FLIES_REFUSED_BY_LOCAL_GLOBAL("gas in quadratic tets", "order", add_filled_quadratic(flight, 2000.0))
FLIES_REFUSED_BY_LOCAL_GLOBAL("gas that sucks in quadratic tets", "order", add_filled_quadratic(flight, -2000.0))

TEST_CASE("free flight: mlcp says where the exact Hessian of a filling would take the inertia away") {
    const auto said = [](const Add& add) {
        const std::vector<std::string> notes = fly(add, "mlcp", 1).notes;
        return std::ranges::any_of(notes, [](const std::string& note) { return note.find("filling") != note.npos; });
    };
    CHECK(said(add_filled_in_long_steps));
    CHECK_FALSE(said([](Flight& flight) { add_filled(flight, VolumeLawKind::ideal_gas, 2000.0); }));
}

TEST_CASE("free flight: a filled ball that flies with a driven patch keeps its shape and speed") {
    for (const std::string method : {"ipc", "implicit", "mlcp", "mlcp, nonlinear", "local_global"}) {
        CAPTURE(method);
        Flight flight;
        add_filled(flight, VolumeLawKind::quadratic, 0.0);
        Motion motion;
        motion.name = "patch";
        for (Index v = 0; v < flight.builder.body(0).vertex_count(); ++v) {
            if (flight.builder.body(0).mesh.vertices[static_cast<std::size_t>(v)].y() > 0.035)
                motion.vertices.push_back(v);
        }
        REQUIRE(motion.vertices.size() > 2);
        auto trajectory = std::make_shared<RigidTrajectory>();
        trajectory->velocity = speed;
        motion.trajectory = trajectory;
        flight.builder.add_motion(motion);
        flight.builder.set_gravity(Vec3::Zero());
        auto [world, state] = flight.builder.build();
        for (Index v = 0; v < world.vertex_count(); ++v) state.v.segment<3>(3 * v) = speed;
        const auto made = make(method, flight, false);
        const State end = run_steps(*made, world, state, 0.01, 5);
        double most = 0.0;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 move = end.x.segment<3>(3 * v) - state.x.segment<3>(3 * v);
            most = std::max(most, (move - 0.05 * speed).norm());
        }
        CHECK(most < 1e-9);
    }
}
