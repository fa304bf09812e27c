// Energies and gradients on a device against those of the CPU, for any device.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/device/device_elements.hpp"
#include "stiction/world/world_builder.hpp"

#include "methods/local_global/contact/device_checks.hpp"

namespace stiction::test {

inline Mesh shifted(Mesh mesh, double x) {
    for (Vec3& vertex : mesh.vertices) vertex.x() += x;
    return mesh;
}

/// A cube of every law, and a sheet of every law and bending.
inline std::pair<World, State> one_of_each() {
    WorldBuilder builder;
    double place = 0.0;
    for (const MaterialLaw law : objective_laws) {
        BodyMaterial material{law, 2e5, 0.3, 1000};
        for (const double extrapolate : {0.0, 0.3}) {
            if (extrapolate > 0.0 && law != MaterialLaw::neo_hookean) continue;
            material.extrapolate_below = extrapolate;
            builder.add_deformable("cube " + std::to_string(place),
                                   shifted(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), place), material);
            place += 0.3;
        }
    }
    for (const MembraneLaw law : all_membrane_laws) {
        for (const BendingModel bending : {BendingModel::none, BendingModel::hinge, BendingModel::isometric}) {
            ShellMaterial material{.law = law, .youngs_modulus = 1e5, .areal_density = 0.3, .bending = bending};
            material.mass_damping = 0.4;
            builder.add_shell("sheet " + std::to_string(place), shifted(generate_cloth(0.2, 0.2, 3, 3), place),
                              material);
            place += 0.3;
        }
    }
    builder.set_gravity({0.3, -9.81, 0});
    return builder.build();
}

/// Positions from small strains to elements that are turned inside out.
inline VecX jittered(const World& world, double size) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> jitter(-size, size);
    VecX x = world.initial_positions;
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += jitter(random);
    return x;
}

/// Energies and gradients of every law against those of the objective.
template <class Device>
void check_evaluations() {
    const auto [world, start] = one_of_each();
    const ElementArrays elements(world, 0.05);
    Objective objective(world, elements);
    const StepInput input = schedule(world, start, 0.01);
    local_global::Options options;
    options.factors = OperatorKind::sparse_inverse;
    const GlobalSystem system(world, elements, objective, options, input.h, input.driven_axes);
    State state = start;
    state.v = 3.0 * jittered(world, 0.01);
    objective.begin(state, input, system.unknowns());
    Device device;
    DeviceElements<Device> on_device(device, elements, objective);
    on_device.begin(system);
    for (const double size : {1e-6, 1e-3, 0.03}) {
        CAPTURE(size);
        Evaluation expected;
        expected.x = jittered(world, size);
        objective.evaluate(expected);
        DeviceEvaluation<Device> ours;
        ours.x.upload(expected.x.data(), static_cast<std::size_t>(expected.x.size()));
        on_device.evaluate(ours);
        const std::vector<double> energy = downloaded(ours.energy), gradient = downloaded(ours.gradient);
        REQUIRE(energy.size() == expected.energy.size());
        REQUIRE(gradient.size() == static_cast<std::size_t>(expected.gradient.size()));
        double error = 0.0, largest = 0.0;
        for (std::size_t e = 0; e < energy.size(); ++e) {
            error = std::max(error, std::abs(energy[e] - expected.energy[e]));
            largest = std::max(largest, std::abs(expected.energy[e]));
        }
        REQUIRE(largest > 0.0);
        CHECK(error < 1e-9 * largest);
        const Eigen::Map<const VecX> difference(gradient.data(), expected.gradient.size());
        CHECK((difference - expected.gradient).cwiseAbs().maxCoeff() < 1e-9 * expected.gradient.cwiseAbs().maxCoeff());
    }
}

}  // namespace stiction::test
