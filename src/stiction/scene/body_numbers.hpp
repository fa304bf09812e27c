// What is worth a look before a run: sizes, masses and moduli of each body, and what they mean to contact and step.
#pragma once

#include "stiction/scene/spec.hpp"
#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <string>
#include <vector>

namespace stiction {

/// Numbers of one body. What does not apply to its kind is 0.
struct BodyNumbers {
    std::string name;
    std::string kind;            ///< "deformable", "shell", "rod", "rigid", "obstacle" or "half-space"
    Index vertices = 0;          ///< those of a collision mesh among them
    std::size_t elements = 0;    ///< tets; of what has none triangles; of what has neither bare edges, else bare points
    std::string element_name;    ///< "tets", "triangles", "edges" or "points"
    double size = 0.0;           ///< largest side of the bounding box at the start (m)
    double mass = 0.0;           ///< kg
    double volume = 0.0;         ///< m^3 at the start: of tets, of what a closed surface encloses, of a sheet or rod
    double shortest_edge = 0.0;  ///< m, of the surface; of a rod of its edges
    std::size_t cavities = 0;    ///< of tets
    std::string law;             ///< of the material; empty for what is not deformable
    double youngs_modulus = 0.0;    ///< Pa; the smallest of the parts
    double poissons_ratio = 0.0;    ///< the largest of the parts
    double weight_strain = 0.0;     ///< rho g size / E: strain under its own weight of a column as high as it is large
    double contact_distance = 0.0;  ///< distance at which contact begins to act, over the shortest edge
    double wave_time = 0.0;  ///< time in which a stretch wave, of speed sqrt(E / rho), crosses it, over time.step
};

/// Of every body of the world, which was compiled from `spec`, in its order.
std::vector<BodyNumbers> body_numbers(const SceneSpec& spec, const World& world, const State& state);

/// A table of them, one line a body below two of heads; ends with a newline.
/// @param most  bodies that are listed; the number of the others stands below
std::string to_text(const std::vector<BodyNumbers>& bodies, std::size_t most);

}  // namespace stiction
