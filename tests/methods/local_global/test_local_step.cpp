// The local step over arrays against the energies and gradients of fem/, element by element.
#include "stiction/fem/elasticity.hpp"
#include "stiction/math/pack.hpp"
#include "stiction/math/x_minus_log1p.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/local_step.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::simd;

namespace {

/// Positions from small strains under a rotation to elements that are turned inside out.
VecX deformed(const World& world, double size) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> jitter(-size, size);
    const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    VecX x = world.initial_positions;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        x.segment<3>(3 * v) = R * x.segment<3>(3 * v) + Vec3(3, -2, 1);
        for (int axis = 0; axis < 3; ++axis) x[3 * v + axis] += jitter(random);
    }
    return x;
}

/// Largest difference of forces over the largest force, and of energies over the largest energy.
template <class Block>
void compare(const Block& block, std::size_t corners, const VecX& x, const std::vector<double>& energies,
             const std::vector<Vec12>& gradients) {
    std::vector<double> energy(block.count), force(3 * corners * block.count);
    local_step(block, x.data(), energy.data(), force.data());
    double force_scale = 0.0, energy_scale = 0.0, force_error = 0.0, energy_error = 0.0;
    for (std::size_t e = 0; e < block.count; ++e) {
        energy_scale = std::max(energy_scale, std::abs(energies[e]));
        energy_error = std::max(energy_error, std::abs(energy[e] - energies[e]));
        for (std::size_t c = 0; c < corners; ++c) {
            const Vec3 expected = gradients[e].segment<3>(3 * static_cast<Eigen::Index>(c));
            force_scale = std::max(force_scale, expected.norm());
            force_error = std::max(
                force_error, (Eigen::Map<const Vec3>(force.data() + 3 * (c * block.count + e)) - expected).norm());
        }
    }
    REQUIRE(energy_scale > 0.0);
    CHECK(energy_error < 1e-9 * energy_scale);
    CHECK(force_error < 1e-9 * force_scale);
}

}  // namespace

TEST_CASE("local_global: logarithms of four numbers at a time") {
    std::mt19937 random(5);
    CAPTURE("seed 5");
    std::uniform_real_distribution<double> power(-12.0, 3.0);
    for (int k = 0; k < 20000; ++k) {
        const double size = std::pow(10.0, power(random)), x = k % 2 == 0 ? size : -size;
        if (x <= -0.999) continue;
        Pack lanes(0.0);
        lanes[static_cast<std::size_t>(k % 4)] = x;
        const PackLogarithm logarithm(lanes);
        for (std::size_t lane = 0; lane < Pack::size; ++lane) {
            const auto exact = static_cast<long double>(lanes[lane]);  // 64 bits of mantissa
            const double log1p = static_cast<double>(std::log1p(exact)),
                         rest = std::abs(lanes[lane]) < 0.01 ? x_minus_log1p(lanes[lane])
                                                             : static_cast<double>(exact - std::log1p(exact));
            CAPTURE(lanes[lane]);
            CHECK(std::abs(logarithm.log1p[lane] - log1p) <= 4e-16 * std::abs(log1p));
            CHECK(std::abs(logarithm.rest[lane] - rest) <= 3e-15 * rest);
        }
    }
}

TEST_CASE("local_global: the local step of tets is that of the finite elements") {
    for (const MaterialLaw law : objective_laws) {
        for (const double size : {1e-5, 0.01, 0.1}) {
            CAPTURE(law_name(law));
            CAPTURE(size);
            WorldBuilder builder;
            builder.add_deformable("box", generate_box({1, 1, 1}, {4, 4, 5}),
                                   {law, 1e5, 0.4, 1000});  // 480 tets: no multiple of what is done at a time
            const World world = builder.build().first;
            const VecX x = deformed(world, is_invertible(law) ? size : 0.1 * size);
            TetElements tets = world.elastic.front().elements;
            const ElementArrays arrays(world, 0.05);
            if (!is_invertible(law)) tets.extrapolate_below = 0.05;
            std::vector<double> energies;
            std::vector<Vec12> gradients;
            element_energies(tets, x, energies);
            element_gradients(tets, x, gradients);
            compare(arrays.tets.front(), 4, x, energies, gradients);
        }
    }
}

TEST_CASE("local_global: the rotations of flattened and of long tets are those of the singular value decomposition") {
    // Singular values from one to a hundred: volume ratios on both sides of where a pack leaves an element out.
    std::mt19937 random(3);
    CAPTURE("seed 3");
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const Vec3& stretch : {Vec3(1, 1, 0.02), Vec3(100, 1, 1), Vec3(100, 1.5, 1), Vec3(1, 0.05, 0.04),
                                Vec3(1, 1 + 1e-5, 1), Vec3(30, 30, 30)}) {
        CAPTURE(stretch.transpose());
        for (const MaterialLaw law : {MaterialLaw::arap, MaterialLaw::fixed_corotated}) {
            WorldBuilder builder;
            builder.add_deformable("box", generate_box({1, 1, 1}, {3, 3, 3}), {law, 1e5, 0.4, 1000});
            const World world = builder.build().first;
            const Eigen::Quaterniond left(uniform(random), uniform(random), uniform(random), uniform(random)),
                right(uniform(random), uniform(random), uniform(random), uniform(random));
            const Mat3 F =
                left.normalized().toRotationMatrix() * stretch.asDiagonal() * right.normalized().toRotationMatrix();
            VecX x = world.initial_positions;
            for (Index v = 0; v < world.vertex_count(); ++v) x.segment<3>(3 * v) = F * x.segment<3>(3 * v);
            std::vector<double> energies;
            std::vector<Vec12> gradients;
            element_energies(world.elastic.front().elements, x, energies);
            element_gradients(world.elastic.front().elements, x, gradients);
            compare(ElementArrays(world, 0.05).tets.front(), 4, x, energies, gradients);
        }
    }
}

TEST_CASE("local_global: the local step of triangles is that of the finite elements") {
    for (const MembraneLaw law : all_membrane_laws) {
        for (const double size : {1e-5, 0.01, 0.1}) {
            CAPTURE(membrane_law_name(law));
            CAPTURE(size);
            ShellMaterial material;
            material.law = law;
            material.bending = BendingModel::none;
            WorldBuilder builder;
            builder.add_shell("sheet", generate_cloth(1, 1, 7, 9), material);
            const World world = builder.build().first;
            VecX x = deformed(world, size);
            if (is_collapsible(law)) x.segment<3>(3) = x.segment<3>(0);  // triangles without area
            const ElementArrays arrays(world, 0.05);
            const TriangleElements& triangles = std::get<TriangleElements>(world.sheets.front().elements);
            std::vector<double> energies;
            std::vector<Vec12> gradients;
            sheet_energies(triangles, x, energies);
            sheet_gradients(triangles, x, gradients);
            compare(arrays.triangles.front(), 3, x, energies, gradients);
        }
    }
}
