#include "stiction/dynamics/contact_detection.hpp"

#include <algorithm>
#include <utility>

namespace stiction {
namespace {

/// Half the contact thickness of every body; empty if none has one.
std::vector<double> half_thickness_of(const World& world) {
    std::vector<double> half;
    for (const Body& body : world.bodies) half.push_back(0.5 * body.contact_thickness);
    if (std::all_of(half.begin(), half.end(), [](double value) { return value == 0.0; })) half.clear();
    return half;
}

}  // namespace

ContactDetection::ContactDetection(const World& world, double reach, const BodyPairTable& pairs)
    : reach_(reach),
      edge_rest_length_squared_(edge_lengths_squared(world.surface, world.initial_positions)),
      half_thickness_(half_thickness_of(world)) {
    scene_.surface = &world.surface;
    scene_.pairs = &pairs;
    scene_.half_spaces = world.half_spaces;
    scene_.edge_rest_length_squared = edge_rest_length_squared_;
    scene_.half_thickness = half_thickness_;
    broad_phase_.build(world.surface, pairs, world.initial_positions);
    broad_phase_.scale({scales_.length_share, half_thickness_});
}

void ContactDetection::weigh(ContactWeights weights) {
    weights_ = std::move(weights);
    scene_.weights = &*weights_;
}

void ContactDetection::scale(PairScales scales) {
    scales_ = std::move(scales);
    scene_.length_share = scales_.length_share;
    scene_.strength = scales_.strength;
    broad_phase_.scale({scales_.length_share, half_thickness_});
}

void ContactDetection::update(const VecX& x) {
    broad_phase_.find(x, reach_);
}

void ContactDetection::update_swept(const VecX& x0, const VecX& x1) {
    broad_phase_.find_swept(x0, x1, reach_);
}

void ContactDetection::update_swept(const VecX& x0, const VecX& x1, const std::vector<char>& moving) {
    broad_phase_.find_swept(x0, x1, reach_, moving);
}

}  // namespace stiction
