// The methods that a scene may name, and what the rest of scene/ asks about them: the one place that knows their names.
#pragma once

#include "stiction/barrier/options.hpp"
#include "stiction/dynamics/method.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiction {

struct SceneSpec;

/// The key of a scene that decides at which distance contact begins to act.
struct ContactDistanceKey {
    std::string key;  ///< path, as "ipc.dhat"
    double value;     ///< what it says
    double distance;  ///< what that means for the largest body, m
    bool is_share;    ///< whether smaller bodies have less

    /// What it means for a body with itself or with a larger one (m).
    double of_body(const World& world, Index body) const {
        return is_share ? world.length_share(body, body) * distance : distance;
    }
};

/// One method as scenes see it. A member that is null does not apply.
struct SceneMethod {
    const char* name;  ///< the value of "method"; its options are under the key of the same name
    /// The method with the options of the scene. Throws InputError for what the method does not offer.
    std::unique_ptr<Method> (*make)(const SceneSpec&);
    ContactDistanceKey (*contact_distance)(const SceneSpec&, const World&);
    /// Options with the speeds of smoothed friction.
    const BarrierOptions& (*smoothed_friction)(const SceneSpec&) = nullptr;
    /// The setting of the scene by which contact acts only where bodies overlap, so that no distance matters; null when
    /// it acts at a distance.
    const char* (*acts_on_overlap)(const SceneSpec&) = nullptr;
    /// Keys of this method that the scene uses and that say something about the world, which no other method sees:
    /// "local_global.cables: 2 of them".
    std::vector<std::string> (*own_parts)(const SceneSpec&) = nullptr;
    /// Choices that are there to be compared with: one warning each, beginning with the path of the key.
    std::vector<std::string> (*comparisons)(const SceneSpec&) = nullptr;
    /// The setting with which accepted states are free of intersections (Method::promises_separation); null: they are
    /// with every setting.
    const char* separating_setting = nullptr;
};

/// All of them.
const std::vector<SceneMethod>& scene_methods();

/// The one that `spec.method` names. Throws InputError naming the nearest method when there is none of that name.
const SceneMethod& scene_method(const SceneSpec& spec);

/// Every method that `"method"` of a scene may name.
std::vector<std::string> method_names();

}  // namespace stiction
