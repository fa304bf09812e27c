// Warm start of contacts: their forces, from one step to the next.
#pragma once

#include "stiction/contact/contact_key.hpp"

#include <array>
#include <string>
#include <vector>

namespace stiction::local_global {

/// Force of a closed contact. Friction is in the world's frame, for the tangents of the next step may differ.
struct RememberedForce {
    ContactKey key;
    double normal = 0.0;               ///< N
    std::array<double, 3> friction{};  ///< N
};

/// The bytes that State::warm_start keeps of one contact.
void append_bytes(std::string& bytes, const RememberedForce& force);

/// The forces of the last step, by contact. Keeps its memory from step to step.
class RememberedForces {
public:
    /// Reads what append_bytes() wrote for the contacts of a step. Throws InternalError for bytes of another size.
    void read(const std::string& bytes);
    /// The force of a contact; null if it was not closed.
    const RememberedForce* find(const ContactKey& key) const;

private:
    std::vector<RememberedForce> forces_;  ///< sorted by key
};

}  // namespace stiction::local_global
