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
inline std::pair<World, State> one_of_each(bool consistent_mass) {
    WorldBuilder builder;
    builder.set_consistent_mass(consistent_mass);
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
        if (consistent_mass) break;  // sheets have lumped mass only
        for (const BendingModel bending :
             {BendingModel::none, BendingModel::hinge, BendingModel::isometric, BendingModel::laplacian}) {
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

/// |a - b| <= tolerance times the largest |b|, of some consecutive numbers that are not all zero.
inline void check_range(const double* a, const double* b, std::size_t count, double tolerance) {
    double error = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        error = std::max(error, std::abs(a[i] - b[i]));
        largest = std::max(largest, std::abs(b[i]));
    }
    REQUIRE(largest > 0.0);
    CHECK(error <= tolerance * largest);
}

/// Energies block by block, gradients body by body: each against its own largest.
inline void compare_evaluations(const World& world, const ElementArrays& elements, const Evaluation& expected,
                                const std::vector<double>& energy, const std::vector<double>& gradient) {
    REQUIRE(energy.size() == expected.energy.size());
    REQUIRE(gradient.size() == static_cast<std::size_t>(expected.gradient.size()));
    const auto energies = [&](std::size_t first, std::size_t count) {
        check_range(energy.data() + first, expected.energy.data() + first, count, 1e-8);
    };
    for (const TetArrays& block : elements.tets) energies(block.first_element, block.count);
    for (const TriangleArrays& block : elements.triangles) energies(block.first_element, block.count);
    if (const std::size_t hinges = energy.size() - elements.element_count; hinges > 0)
        energies(elements.element_count, hinges);
    for (const Body& body : world.bodies) {
        const auto first = static_cast<std::size_t>(3 * body.first_vertex);
        check_range(gradient.data() + first, expected.gradient.data() + first,
                    static_cast<std::size_t>(3 * body.vertex_count()), 1e-8);
    }
}

/// Energies and gradients of every law against those of the objective.
template <class Device>
void check_evaluations(bool consistent_mass) {
    const auto [world, start] = one_of_each(consistent_mass);
    const ElementArrays elements(world, 0.05);
    Objective objective(world, elements);
    const StepInput input = schedule(world, start, 0.01);
    local_global::Options options;
    options.factors = OperatorKind::sparse_inverse;
    const GlobalSystem system(world, elements, objective, options, input.h, input.driven_axes);
    Device device;
    DeviceElements<Device> on_device(device, elements, objective);
    for (const double size : {1e-6, 1e-3, 0.03}) {
        CAPTURE(size);
        Evaluation expected;
        expected.x = jittered(world, size);
        State state = start;
        state.v = 3.0 * (expected.x - world.initial_positions);
        objective.begin(state, input, system.unknowns());
        on_device.begin(system);
        objective.evaluate(expected);
        DeviceEvaluation<Device> ours;
        ours.x.upload(expected.x.data(), static_cast<std::size_t>(expected.x.size()));
        on_device.evaluate(ours);
        compare_evaluations(world, elements, expected, downloaded(ours.energy), downloaded(ours.gradient));
    }
}

}  // namespace stiction::test
