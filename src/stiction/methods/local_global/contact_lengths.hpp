// Distances and speeds of contact, by pair of bodies.
#pragma once

#include "stiction/methods/local_global/options.hpp"
#include "stiction/world/world.hpp"

namespace stiction::local_global {

/// What surfaces keep and where the kinetic coefficient holds: given for all pairs, or a share of the size of the
/// smaller body (World::length_share).
class ContactLengths {
public:
    /// @param world  kept by reference
    ContactLengths(const World& world, const Options& options)
        : ContactLengths(world, contact_thickness(options, world.length), options.thickness == 0.0) {
        kinetic_velocity_ = local_global::kinetic_velocity(options, world.length);
        velocity_is_share_ = options.kinetic_velocity == 0.0;
    }
    /// Without kinetic friction.
    /// @param thickness  of the largest pair (m)
    /// @param is_share   whether smaller pairs have less
    ContactLengths(const World& world, double thickness, bool is_share)
        : world_(&world), thickness_(thickness), thickness_is_share_(is_share) {}

    /// Distance that touching surfaces keep, beside their contact thickness, of the largest pair (m).
    double thickness() const { return thickness_; }
    /// What a pair of bodies has of it, at most 1.
    double share(Index body_a, Index body_b) const {
        return thickness_is_share_ ? world_->length_share(body_a, body_b) : 1.0;
    }
    /// Sliding speed from which the kinetic coefficient of a pair holds (m/s).
    double kinetic_velocity(Index body_a, Index body_b) const {
        return velocity_is_share_ ? world_->length_share(body_a, body_b) * kinetic_velocity_ : kinetic_velocity_;
    }

private:
    const World* world_;
    double thickness_, kinetic_velocity_ = 0.0;
    bool thickness_is_share_, velocity_is_share_ = false;
};

}  // namespace stiction::local_global
