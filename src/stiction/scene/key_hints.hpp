// What was probably meant by a key that does not exist.
#pragma once

#include <string>
#include <vector>

namespace stiction::scene {

/// The key that stands for `key` among those known here, in quotes: its name here where other programs call it
/// otherwise, its path where it belongs into an object of this one or to the top of the scene, else the nearest name.
/// Empty when nothing is near.
///   "dt" -> "'step'", in a body "E" -> "'material.youngs_modulus'", "mu" -> "'contact.friction' of the scene"
std::string proposed_key(const std::string& key, const std::vector<std::string>& known);

}  // namespace stiction::scene
