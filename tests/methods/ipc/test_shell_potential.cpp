// Sheets in the potential of a time step: its derivatives, energies and masses.
#include "stiction/barrier/potential.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"

#include "methods/ipc/cloth_material.hpp"
#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Eigenvalues>

#include <cmath>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Two crumpled sheets of different models, a cube and a half-space, near enough to touch; one vertex is driven along
/// y.
struct Fixture {
    World world;
    State state;
    VecX force;
    double dhat = 0.05;
    Stage stage;

    /// @param contact_thickness  of the first sheet (m)
    explicit Fixture(double contact_thickness = 0.0) {
        WorldBuilder builder;
        builder.add_deformable("cube", translated(generate_box({0.5, 0.5, 0.5}, {1, 1, 1}), {0, 0.27, 0}),
                               {MaterialLaw::neo_hookean, 1e4, 0.3, 900, 0.5, 0.01});
        ShellMaterial damped = cloth(1e4);
        damped.bending_stiffness = 0.3;
        damped.mass_damping = 2.0;
        damped.strain_limit = {1.02, 1.5, 2e3};
        builder.add_shell("hinges", translated(generate_cloth(1, 0.8, 3, 2), {0.05, 0.55, 0.02}), damped,
                          {0.1, -0.2, 0.3});
        ShellMaterial flat = cloth(2e4, BendingModel::isometric);
        flat.law = MembraneLaw::fixed_corotated;
        flat.bending_stiffness = 0.2;
        builder.add_shell("quadratic", translated(generate_cloth(0.9, 0.9, 2, 3), {-0.05, 0.59, 0.03}), flat);
        flat.bending = BendingModel::laplacian;
        builder.add_shell("laplacian", translated(generate_cloth(0.9, 0.9, 3, 3), {3.0, 0.59, 0.03}), flat);
        builder.set_contact_thickness(1, contact_thickness);
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.5);
        std::tie(world, state) = builder.build();
        std::mt19937 random(5);
        std::uniform_real_distribution<double> jitter(-0.008, 0.008);
        for (Eigen::Index i = 0; i < state.x.size() - 3; ++i) {
            state.x[i] += jitter(random);
            state.v[i] += 10 * jitter(random);
        }
        force = schedule(world, state, 0.02).external_force;
        stage = {1.0, 0.02, state.x, state.v};
    }

    BarrierPotential potential() const {
        return {world, stage, force, state.x, dhat, {FrictionProfile::quadratic, 0.01, 0.0}};
    }
};

}  // namespace

TEST_CASE("shells: gradient and unprojected Hessian of the whole potential are derivatives of its value") {
    double thickness = 0.0;
    SUBCASE("sheets without contact thickness") {}
    SUBCASE("one with it") {
        thickness = 0.02;
    }
    const Fixture scene(thickness);
    REQUIRE(scene.world.sheets.size() == 4);
    BarrierPotential potential = scene.potential();
    potential.set_stiffness(50.0);
    ContactDetection detection(scene.world, 2 * scene.dhat);
    detection.update(scene.state.x);
    const auto contacts = [&](const VecX& y) { return detection.contacts(y, scene.dhat); };
    REQUIRE(contacts(scene.state.x).contacts.size() > 3);
    VecX x = scene.state.x;
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 1e-3 * std::sin(7.0 * static_cast<double>(i));
    const BarrierPotentialValues at_x = potential.values(x, contacts(x));
    const auto value = [&](const VecX& y) {
        return potential.difference(x, at_x, y, potential.values(y, contacts(y)), 0.0).value;
    };
    const auto gradient = [&](const VecX& y) { return potential.gradient(y, contacts(y)); };
    HessianAssembly assembly(scene.world);
    assembly.begin(DofMap(std::vector<std::uint8_t>(scene.world.body_of_vertex.size(), 0)));
    assembly.extend(detection.near(x, detection.reach()));
    const auto hessian = [&](const VecX& y) {
        potential.assemble(y, contacts(y), false, assembly);
        Eigen::MatrixXd H(y.size(), y.size());
        VecX column;
        for (Eigen::Index i = 0; i < y.size(); ++i) {
            assembly.system().multiply(VecX::Unit(y.size(), i), column);
            H.col(i) = column;
        }
        return H;
    };
    const auto found = check_derivatives(value, gradient, hessian, x, 1e-2);
    CHECK(found.gradient_error < 1e-5);
    CHECK(found.hessian_error < 1e-4);
    const Eigen::MatrixXd plain = hessian(x);
    potential.assemble(x, contacts(x), true, assembly);
    Eigen::MatrixXd projected(x.size(), x.size());
    VecX column;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        assembly.system().multiply(VecX::Unit(x.size(), i), column);
        projected.col(i) = column;
    }
    const auto least = [](const Eigen::MatrixXd& H) {
        return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues().minCoeff();
    };
    CHECK(least(projected) > -1e-12 * projected.norm());
    CHECK(least(projected - plain) > -1e-12 * projected.norm());
    CHECK((projected - plain).norm() > 1e-6 * projected.norm());
}

TEST_CASE("shells: energies and masses of the world are sums of its sheets") {
    const Fixture scene;
    StepReport report;
    measure(scene.world, scene.state, report);
    double energy = 0.0;
    for (const ElasticGroup& group : scene.world.elastic) {
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const Mat3 F = deformation_gradient(group.elements, e, scene.state.x);
            const double log_j = std::log(F.determinant());
            energy += group.elements.volume[e] * (0.5 * group.elements.mu[e] * (F.squaredNorm() - 3.0 - 2.0 * log_j) +
                                                  0.5 * group.elements.lambda[e] * log_j * log_j);
        }
    }
    std::vector<double> local;
    for (const SheetGroup& group : scene.world.sheets) {
        sheet_energies(group.elements, scene.state.x, local);
        REQUIRE(local.size() == group.stencils.size());
        for (const double e : local) energy += e;
    }
    CHECK(report.elastic == relative(energy, 1e-12));
    for (const Index body : {1, 2}) {
        double mass = 0.0;
        for (Index v = 0; v < scene.world.vertex_count(); ++v)
            mass += scene.world.body_of_vertex[static_cast<std::size_t>(v)] == body ? scene.world.mass[v] : 0.0;
        CHECK(mass == relative(0.2 * (body == 1 ? 0.8 : 0.81), 1e-12));
    }
}
