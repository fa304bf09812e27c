// Audits and certificates of a whole run, summed up: counts and extremes.
#pragma once

#include "stiction/audit/interval_ccd.hpp"

#include <string>
#include <vector>

namespace stiction::audit {

/// Results of audit_state and audit_step, added up.
struct RunAudit {
    std::string every = "off";  ///< "off", "frame" or "step"
    int last_step = -1;         ///< up to which step the run has been audited at this rate; -1: not at all
    long states = 0;            ///< states looked at
    long faulty_states =
        0;  ///< of these, those with any fault; overlaps are one where the method promises that there are none
    long not_finite = 0;  ///< faults of each kind, over all states
    long intersections = 0;
    long half_spaces = 0;
    long inversions = 0;
    long overlapping_states = 0;  ///< states with intersections or vertices behind half-spaces, where the method does
                                  ///< not promise that there are none
    double penetration = 0.0;     ///< deepest of these (m), see penetration_depth()
    long steps = 0;               ///< steps in one piece whose balance and forces were recomputed
    double imbalance = 0.0;  ///< largest |what is left of a vertex's balance| divided by the largest force of that step
    double imbalance_share = 0.0;    ///< largest sum of what is left over the sum of forces of the step;
                                     ///< 0 where no balance is promised
    int imbalance_step = 0;          ///< in which step
    double velocity_mismatch = 0.0;  ///< largest |v1 - (x1 - x0) / h| (m/s)
    double cone_excess =
        0.0;  ///< largest |friction| - mu |contact| of a vertex divided by the largest contact force of that step
    /// Sums over vertices and steps: friction beyond its cone, and |contact| (N).
    double friction_beyond = 0.0, contact_total = 0.0;
    long forces_without_contact = 0;  ///< vertices with a contact force and nothing within dhat
    long pulling = 0;                 ///< vertices that contact pulls
    double friction_power = 0.0;      ///< largest power of friction (W); positive: friction drove
    double energy_gain = 0.0;         ///< largest energy that came into being in a step (J); see StepAudit::energy_gain
    std::vector<std::string> examples;  ///< the first faults
    double milliseconds = 0.0;

    bool ok() const { return faulty_states == 0; }
};

/// What has been proved about the moves of a run's steps.
struct RunCertificate {
    int first_step = 0;  ///< certified are the steps first_step + 1 .. last_step
    int last_step = 0;
    int uncertified_steps = 0;  ///< of these, steps that a run without --certify made in between
    long start_faults =
        0;  ///< faults of the states that certified stretches start from: moves prove nothing if there are any
    MoveCertificate moves;              ///< of all moves that led to accepted states
    long broken_chains = 0;             ///< steps whose moves do not lead from the state before to the state after
    std::vector<std::string> examples;  ///< the first pairs that were not proved
    double milliseconds = 0.0;

    bool ok() const { return start_faults == 0 && broken_chains == 0 && moves.ok(); }
};

}  // namespace stiction::audit
