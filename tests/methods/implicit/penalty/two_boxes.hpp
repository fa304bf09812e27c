// Two soft boxes that meet under contact by penalty.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/implicit/penalty/stage.hpp"

#include "support/block_on_slope.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <cstring>

namespace stiction::test {

inline implicit::Options penalty_options() {
    implicit::Options options;
    options.contact = implicit::ContactModel::penalty;
    options.implicit_surface_radius_factor = 1.5;  // the boxes are few elements thick
    return options;
}

/// A box that lands askew on another one, which rests on the ground; both soft.
inline std::pair<World, State> two_boxes(double friction = 0.4) {
    WorldBuilder builder;
    const Mat3 turn = Eigen::AngleAxisd(0.3, Vec3(0.2, 1.0, 0.1).normalized()).toRotationMatrix();
    builder.add_deformable("upper",
                           translated(rotated(generate_box({0.15, 0.1, 0.15}, {3, 2, 3}), turn), {0.02, 0.125, 0.01}),
                           {MaterialLaw::neo_hookean, 2e5, 0.3, 1000}, {0.3, -0.5, 0.1});
    builder.add_deformable("lower", generate_box({0.3, 0.1, 0.3}, {6, 2, 6}),
                           {MaterialLaw::neo_hookean, 2e5, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.0502, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(friction);
    return builder.build();
}

inline double kappa_of(const State& state) {
    double kappa = 0.0;
    std::memcpy(&kappa, state.warm_start.at(implicit::PenaltyStages::stiffness_key).data(), sizeof(kappa));
    return kappa;
}

}  // namespace stiction::test
