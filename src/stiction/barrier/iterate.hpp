// Where a barrier solve stands.
#pragma once

#include "stiction/barrier/stiffness.hpp"
#include "stiction/contact/contact_set.hpp"

#include <utility>

namespace stiction {

/// One iterate of a barrier solve: a plain value, so that a solve can go back to an earlier one.
struct Iterate {
    VecX x;               ///< positions of all vertices (stacked, m)
    ContactSet contacts;  ///< at x, where `knows_contacts`; at an earlier x otherwise
    bool knows_contacts = false;
    VecX gradient;           ///< of the potential, in the last direction's terms: bodies that keep still have none
    double force_sum = 0.0;  ///< see BarrierPotential::difference
    StiffnessGuard guard;    ///< of the contacts of the iterates so far

    /// Moves to x, where contacts are to be found anew.
    void move(VecX to) {
        x = std::move(to);
        knows_contacts = false;
    }
    /// Moves to x with its contacts.
    void move(VecX to, ContactSet contacts_there) {
        x = std::move(to);
        contacts = std::move(contacts_there);
        knows_contacts = true;
    }
};

}  // namespace stiction
