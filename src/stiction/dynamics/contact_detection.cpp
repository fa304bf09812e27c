#include "stiction/dynamics/contact_detection.hpp"

namespace stiction {

ContactDetection::ContactDetection(const World& world, double reach)
    : reach_(reach), edge_rest_length_squared_(edge_lengths_squared(world.surface, world.initial_positions)) {
    scene_ = {&world.surface, &world.contact_pairs, world.half_spaces, edge_rest_length_squared_};
    broad_phase_.build(world.surface, world.contact_pairs, world.initial_positions);
}

void ContactDetection::update(const VecX& x) { broad_phase_.find(x, reach_); }

void ContactDetection::update_swept(const VecX& x0, const VecX& x1) { broad_phase_.find_swept(x0, x1, reach_); }

}  // namespace stiction
