#include "stiction/methods/local_global/remembered_forces.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"

#include <algorithm>

namespace stiction::local_global {

void append_bytes(std::string& bytes, const RememberedForce& force) {
    stiction::append_bytes(bytes, force.key);
    stiction::append_bytes(bytes, force.normal);
    stiction::append_bytes(bytes, force.friction);
}

void RememberedForces::read(const std::string& bytes) {
    constexpr std::size_t record_size = ContactKey::byte_count + 4 * sizeof(double);
    STICTION_CHECK(bytes.size() % record_size == 0, "warm start of another size");
    forces_.clear();
    for (const char* at = bytes.data(); at != bytes.data() + bytes.size();) {
        RememberedForce force;
        take_bytes(at, force.key);
        take_bytes(at, force.normal);
        take_bytes(at, force.friction);
        forces_.push_back(force);
    }
    std::sort(forces_.begin(), forces_.end(),
              [](const RememberedForce& a, const RememberedForce& b) { return a.key < b.key; });
}

const RememberedForce* RememberedForces::find(const ContactKey& key) const {
    const auto found =
        std::lower_bound(forces_.begin(), forces_.end(), key,
                         [](const RememberedForce& force, const ContactKey& k) { return force.key < k; });
    return found == forces_.end() || found->key != key ? nullptr : &*found;
}

}  // namespace stiction::local_global
