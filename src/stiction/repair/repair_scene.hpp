// Separates the bodies of a scene whose start intersects.
#pragma once

#include "stiction/scene/spec.hpp"
#include "stiction/world/start_check.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace stiction::repair {

/// A body that is moved.
struct BodyMove {
    std::string body;
    Vec3 shift = Vec3::Zero();  ///< m
};

/// Two bodies that overlap at the start.
struct BodyOverlap {
    std::array<std::string, 2> names;
    std::string text;  ///< "body 'ball' and half-space 'ground'"
};

struct RepairReport {
    double gap = 0.0;                      ///< m, left between the largest bodies where they overlapped
    bool any_smaller_gap = false;          ///< whether a pair of smaller ones was left with less, by its own size
    std::vector<BodyOverlap> overlapping;  ///< at the start
    std::vector<BodyMove> moves;           ///< in the order of the scene
    std::vector<Vec3> shifts;              ///< m, one a body of the scene
};

/// Finds the bodies that overlap at the start, and moves without turning them until the scene can start: see
/// separate_bodies. Obstacles stay, and so do bodies with a `boundary`, with attachments or with cables, which are tied
/// to places. A closed surface holds material if its body has tetrahedra or is rigid.
///
/// @param text  the scene of `spec`, for the last check: the repaired scene is read, compiled and looked at again
/// @param gap   m, above 0; absent: the distance at which contact of the two bodies begins to act under the
/// scene's method
/// @throws InputError with one message that names all that keeps the scene from starting and cannot be repaired: bodies
/// that intersect themselves, inverted elements, overlapping bodies of which none may move, and pairs for which no way
/// was found
RepairReport repair_scene(const SceneSpec& spec, const std::string& text, std::optional<double> gap = {});

/// Whether repair_scene may separate all these problems of a start of `spec`: each is one of two bodies of which one
/// may be moved. It may find no way all the same.
bool can_help(const SceneSpec& spec, const World& world, const std::vector<StartProblem>& problems);

}  // namespace stiction::repair
