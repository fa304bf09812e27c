// Gas and liquid in closed regions: derivatives of the whole potential, balance of pressure, kept volume, inflation.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/fem/volume_edges.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/generate_hollow.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Eigenvalues>

#include <cmath>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

ShellMaterial rubber() {
    ShellMaterial material;
    material.youngs_modulus = 1e6;
    material.poissons_ratio = 0.3;
    material.thickness = 1e-3;
    material.areal_density = 1.0;
    return material;
}

/// The matrix of an assembly, its rank-one terms included.
Eigen::MatrixXd dense(const HessianAssembly& assembly, Eigen::Index size) {
    Eigen::MatrixXd H(size, size);
    VecX column;
    for (Eigen::Index i = 0; i < size; ++i) {
        assembly.system().multiply(VecX::Unit(size, i), column);
        assembly.newton().rank_one().add_product(VecX::Unit(size, i), column);
        H.col(i) = column;
    }
    return H;
}

/// A soft ball between two plates that have come together by `squeeze` (m) after 10 steps.
struct Squeezed {
    World world;
    State state;
    /// @param compressibility  1/Pa; 0 fills nothing
    Squeezed(double compressibility, bool exact_matrix, double squeeze = 0.04) {
        WorldBuilder builder;
        const Index ball =
            builder.add_deformable("ball", generate_ball(0.1, 3), {MaterialLaw::neo_hookean, 1e4, 0.1, 1000, 5.0, 0.0});
        if (compressibility > 0.0)
            builder.add_filling(ball, FilledPart::tets,
                                {VolumeLawKind::nearly_incompressible, compressibility, standard_atmosphere, 0.0}, {},
                                exact_matrix);
        for (const double side : {-1.0, 1.0}) {
            const Index plate =
                builder.add_half_space(side < 0 ? "below" : "above", {0, side * 0.1005, 0}, {0, -side, 0});
            Motion motion;
            motion.name = "press";
            motion.vertices = {builder.first_vertex(plate)};
            auto path = std::make_shared<RigidTrajectory>();
            path->velocity = {0, -side * squeeze / 0.2 / 2, 0};
            motion.trajectory = path;
            builder.add_motion(motion);
        }
        builder.set_gravity(Vec3::Zero());
        builder.set_default_friction(0.2);
        std::tie(world, state) = builder.build();
    }
};

double tet_volume(const World& world, const VecX& x) {
    double volume = 0.0;
    for (const Tet& tet : world.elastic[0].elements.vertices) volume += edge_matrix(tet, x).determinant() / 6.0;
    return volume;
}

}  // namespace

TEST_CASE("fillings: gradient and matrix of the whole potential are derivatives of its value") {
    for (const VolumeLawKind kind :
         {VolumeLawKind::quadratic, VolumeLawKind::ideal_gas, VolumeLawKind::nearly_incompressible}) {
        WorldBuilder builder;
        const Index balloon = builder.add_shell("balloon", generate_icosphere(0.3, 1), rubber());
        builder.add_filling(balloon, FilledPart::surface, {kind, 1e-5, standard_atmosphere, 2e4});
        const Index hollow =
            builder.add_deformable("hollow", translated(generate_hollow_ball(0.3, 0.1, 1, 1), {1, 0, 0}),
                                   {MaterialLaw::neo_hookean, 1e5, 0.3, 900});
        builder.add_filling(hollow, FilledPart::cavity, {kind, 1e-6, standard_atmosphere, -1e4},
                            {{0.0, -1e4}, {1.0, 5e4}});
        auto [world, state] = builder.build();
        REQUIRE(world.fillings.size() == 2);
        std::mt19937 random(4);
        std::uniform_real_distribution<double> jitter(-0.01, 0.01);
        for (double& x : state.x) x += jitter(random);
        const Stage stage{1.0, 0.05, state.x, state.v};
        const std::vector<double> overpressure = overpressures(world, 0.5);
        CHECK(overpressure == std::vector<double>{2e4, 2e4});
        const IncrementalPotential potential(world, stage, VecX::Zero(state.x.size()), state.x, overpressure);
        const VecX x = state.x;
        const PotentialValues at_x = potential.values(x);
        const auto value = [&](const VecX& y) {
            return potential.difference(x, at_x, y, potential.values(y), 0.0).value;
        };
        const auto gradient = [&](const VecX& y) { return potential.gradient(y); };
        HessianAssembly assembly(world);
        assembly.begin(DofMap(std::vector<std::uint8_t>(world.body_of_vertex.size(), 0)));
        const auto hessian = [&](const VecX& y) {
            potential.assemble(y, false, assembly);
            return dense(assembly, y.size());
        };
        const auto found = check_derivatives(value, gradient, hessian, x, 1e-2);
        CHECK(found.gradient_error < 1e-6);
        CHECK(found.hessian_error < 1e-6);
        const Eigen::MatrixXd plain = hessian(x);
        potential.assemble(x, true, assembly);
        const Eigen::MatrixXd projected = dense(assembly, x.size());
        const auto least = [](const Eigen::MatrixXd& H) {
            return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues().minCoeff();
        };
        CHECK(least(projected) > 0.0);
        CHECK(least(projected - plain) > -1e-12 * projected.norm());
        VecX step;
        REQUIRE(assembly.solve(gradient(x), step));
        CHECK((projected * step + gradient(x)).norm() < 1e-8 * gradient(x).norm());
    }
}

TEST_CASE(
    "fillings: blocks of edges are the second derivative of the volume, and their projection clamps eigenvalues") {
    const Mesh ball = generate_icosphere(1.0, 1);
    const VolumeZone zone = VolumeZone::from_surface(ball.vertices, ball.triangles);
    const std::vector<Tet> edges = volume_edges(zone);
    CHECK(edges.size() == 3 * ball.triangles.size() / 2);
    std::mt19937 random(8);
    std::uniform_real_distribution<double> jitter(-0.1, 0.1);
    VecX x(3 * static_cast<Eigen::Index>(ball.vertices.size())), p(x.size());
    for (std::size_t v = 0; v < ball.vertices.size(); ++v)
        x.segment<3>(3 * static_cast<Eigen::Index>(v)) = ball.vertices[v];
    for (double& entry : x) entry += jitter(random) + 5.0;
    for (double& entry : p) entry = jitter(random);
    std::vector<Mat12> blocks, projected;
    blocks.resize(edges.size());
    projected.resize(edges.size());
    volume_edge_hessians(edges, x, -2.5, false, 0, edges.size(), blocks.data());
    volume_edge_hessians(edges, x, -2.5, true, 0, edges.size(), projected.data());
    VecX sum = VecX::Zero(x.size()), reference;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        for (int a = 0; a < 2; ++a) {
            for (int b = 0; b < 2; ++b) {
                sum.segment<3>(3 * edges[e][static_cast<std::size_t>(a)]) +=
                    blocks[e].block<3, 3>(3 * a, 3 * b) * p.segment<3>(3 * edges[e][static_cast<std::size_t>(b)]);
            }
        }
        const Eigen::SelfAdjointEigenSolver<Mat12> eigen(blocks[e]);
        const Mat12 clamped =
            eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
        CHECK((clamped - projected[e]).norm() < 1e-12 * blocks[e].norm());
    }
    zone.hessian_product(x, p, reference);
    VecX expected = VecX::Zero(x.size());
    zone.add(reference, -2.5, expected);
    CHECK((sum - expected).norm() < 1e-12 * expected.norm());
}

TEST_CASE("fillings: an inflated balloon stops where the wall holds the pressure, p R / (2 t) = E eps / (1 - nu)") {
    for (const bool exact_matrix : {true, false}) {
        WorldBuilder builder;
        const double radius = 0.1, dp = 200.0;
        ShellMaterial material = rubber();
        material.mass_damping = 5.0;
        const Index balloon = builder.add_shell("balloon", generate_icosphere(radius, 3), material);
        builder.add_filling(balloon, FilledPart::surface, {VolumeLawKind::ideal_gas, 1.0, 1000.0, 0.0},
                            {{0.0, 0.0}, {1.0, dp}}, exact_matrix);
        builder.set_gravity(Vec3::Zero());
        auto [world, state] = builder.build();
        ipc::Options options;
        options.velocity_tolerance = 1e-7;
        ipc::Ipc ipc(options);
        state = run_steps(ipc, world, state, 0.1, 40);
        const VolumeZone& zone = world.fillings[0].energy.zone;
        const double volume = zone.volume(state.x), rest = zone.rest_volume();
        const double pressure = (1000.0 + dp) * rest / volume - 1000.0;
        double mean = 0.0;
        for (Index v = 0; v < world.vertex_count(); ++v)
            mean += state.x.segment<3>(3 * v).norm() / static_cast<double>(world.vertex_count());
        const double strain = mean / radius - 1.0;
        // Hoop stress E eps / (1 - nu) in both directions of a thin wall, force balance over a great circle.
        const double held =
            2.0 * material.thickness / radius * material.youngs_modulus * strain / (1.0 - material.poissons_ratio);
        MESSAGE("pressure ", pressure, " Pa, wall holds ", held, " Pa at strain ", strain);
        CHECK(strain > 0.002);
        CHECK(pressure < dp);
        CHECK(held == relative(pressure, 0.03));
    }
}

TEST_CASE("fillings: a ball that is squeezed keeps its volume with a filling, and not without") {
    ipc::Options options;
    options.velocity_tolerance = 1e-6;
    const auto change = [&](double compressibility, bool exact, int& iterations) {
        Squeezed scene(compressibility, exact);
        ipc::Ipc ipc(options);
        const double before = tet_volume(scene.world, scene.state.x);
        iterations = 0;
        const State end =
            run_steps(ipc, scene.world, scene.state, 0.02, 10,
                      [&](const State&, const StepResult& result) { iterations += result.report.iterations; });
        CHECK(end.x.allFinite());
        return tet_volume(scene.world, end.x) / before - 1.0;
    };
    int stiff_count = 0, exact_count = 0, sparse_count = 0, empty_count = 0;
    const double stiff = change(1e-9, true, stiff_count), exact = change(1e-4, true, exact_count),
                 sparse = change(1e-4, false, sparse_count), empty = change(0.0, true, empty_count);
    MESSAGE("relative change of volume (iterations): 1e-9/Pa ", stiff, " (", stiff_count, "), 1e-4/Pa ", exact, " (",
            exact_count, "), with the sparse matrix ", sparse, " (", sparse_count, "), nothing filled ", empty, " (",
            empty_count, ")");
    CHECK(empty < -0.02);
    // Almost incompressible: a volume change of -1e-9/Pa times the pressure that undoes what the empty ball loses. Over
    // that loss it is a stiffness: the ball's bulk modulus (4167 Pa) while strains are small, here 17 % more.
    const double stiffness = stiff / 1e-9 / empty, bulk_modulus = 1e4 / (3.0 * (1.0 - 2.0 * 0.1));
    CHECK(stiffness == relative(bulk_modulus, 0.25));
    // Compressible: ball and filling share the change as springs in series do. Finite strain leaves 1 %.
    const double share = 1e-4 * stiffness / (1.0 + 1e-4 * stiffness);
    CHECK(exact == relative(share * empty, 0.03));
    CHECK(sparse == relative(exact, 1e-3));
    CHECK(exact_count < sparse_count);
}

TEST_CASE("fillings: same bits for 1 and 2 threads") {
    const auto run = [](int threads) {
        set_thread_count(threads);
        Squeezed scene(1e-7, true);
        ipc::Ipc ipc(ipc::Options{});
        return to_bytes(run_steps(ipc, scene.world, scene.state, 0.02, 6));
    };
    const std::string reference = run(1);
    CHECK(run(2) == reference);
    set_thread_count(0);
}

TEST_CASE("fillings: regions that are not there or not closed are refused by name") {
    WorldBuilder builder;
    const Index cloth = builder.add_shell("cloth", generate_cloth(1, 1, 2, 2), rubber());
    const Index solid = builder.add_deformable("solid", translated(generate_box({1, 1, 1}, {1, 1, 1}), {0, 3, 0}), {});
    const Index ball = builder.add_shell("ball", translated(generate_icosphere(1, 1), {0, 9, 0}), rubber());
    const auto says = [&](Index body, FilledPart part, VolumeLaw law, std::vector<PressureKey> keys,
                          const std::string& name, const std::string& part_of_message) {
        std::string text;
        try {
            builder.add_filling(body, part, law, std::move(keys));
        } catch (const InputError& error) {
            text = error.what();
        }
        INFO(text);
        CHECK(text.find(name) != std::string::npos);
        CHECK(text.find(part_of_message) != std::string::npos);
    };
    says(cloth, FilledPart::surface, {}, {}, "cloth", "is open");
    says(cloth, FilledPart::cavity, {}, {}, "cloth", "surface");
    says(solid, FilledPart::cavity, {}, {}, "solid", "no cavity");
    says(ball, FilledPart::surface, {VolumeLawKind::quadratic, 0.0, 1.0, 0.0}, {}, "ball", "compressibility");
    says(ball, FilledPart::surface, {VolumeLawKind::ideal_gas, 1.0, 1e5, 0.0}, {{0.0, 0.0}, {1.0, -2e5}}, "ball",
         "overpressure");
    says(ball, FilledPart::surface, {}, {{1.0, 0.0}, {1.0, 1.0}}, "ball", "rising times");
}
