// A clamped beam under gravity: converges to itself and to Euler-Bernoulli.
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

/// Static tip deflection of a beam along x, clamped at its left end; large steps of backward Euler damp it to rest.
double tip_deflection(int across, double length, double width, double modulus, double density) {
    WorldBuilder builder;
    const Mesh mesh = generate_rod(length, width, static_cast<int>(across * length / width / 2), across);
    const Index body = builder.add_deformable("beam", mesh, {MaterialLaw::neo_hookean, modulus, 0.3, density});
    Motion clamp;
    clamp.name = "clamp";
    Index tip = 0;
    for (Index v = 0; v < builder.body(body).vertex_count(); ++v) {
        const Vec3& vertex = mesh.vertices[static_cast<std::size_t>(v)];
        if (vertex.x() < -0.5 * length + 1e-9) clamp.vertices.push_back(v);
        if ((vertex - Vec3(0.5 * length, 0, 0)).norm() <
            (mesh.vertices[static_cast<std::size_t>(tip)] - Vec3(0.5 * length, 0, 0)).norm())
            tip = v;
    }
    clamp.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(clamp);
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    ipc::Options options;
    options.velocity_tolerance = 1e-8;
    ipc::Ipc ipc(options);
    const State end = run_steps(ipc, world, state, 5.0, 30);
    for (const Index v : clamp.vertices) CHECK(end.x.segment<3>(3 * v) == state.x.segment<3>(3 * v));
    return state.x[3 * tip + 1] - end.x[3 * tip + 1];
}

}  // namespace

TEST_CASE("cantilever: self-convergence under refinement, toward Euler-Bernoulli from the stiff side") {
    const double length = 1.0, width = 0.1, modulus = 1e7, density = 500.0;
    // rho g A L^4 / (8 E I), I = w^4 / 12
    const double beam = density * 9.81 * width * width * std::pow(length, 4) / (8 * modulus * std::pow(width, 4) / 12);
    std::vector<double> deflection;
    for (const int across : {2, 4, 8}) deflection.push_back(tip_deflection(across, length, width, modulus, density));
    MESSAGE("deflection ", deflection[0], " ", deflection[1], " ", deflection[2], ", beam theory ", beam);
    // Linear tets lock in bending: deflections grow monotonically with refinement and the increments shrink.
    CHECK(deflection[0] < deflection[1]);
    CHECK(deflection[1] < deflection[2]);
    CHECK(deflection[2] < beam * 1.02);
    CHECK((deflection[1] - deflection[0]) / (deflection[2] - deflection[1]) > 1.5);
    // Richardson's extrapolation of the last two, as if of second order already: 4 % less than beam theory. Increments
    // fall by 1.5 between these meshes, not by 4 yet.
    CHECK(deflection[2] + (deflection[2] - deflection[1]) / 3 == relative(beam, 0.05));
}
