// The clamped logarithmic barrier of Li et al. 2020 on squared distance, and its edge-edge mollifier.
#pragma once

namespace stiction {

/// Value and derivatives of a scalar function of one variable.
struct ScalarJet {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
};

/// b(s) = -(s - S)^2 ln(s / S) for 0 < s < S, 0 for s >= S, +infinity for s <= 0; equation 6 with s = d^2, S = dhat^2.
/// @param s squared distance (m^2)   @param s_hat squared activation distance (m^2)
/// @return b (m^4), b' (m^2), b'' (-). C2 at s = S; decreasing and convex.
ScalarJet barrier(double s, double s_hat);

/// Edge-edge mollifier e(c) = -c^2 / eps^2 + 2 c / eps for c < eps, else 1; equation 24's smooth cut for near-parallel
/// edges.
/// @param c |e1 x e2|^2 (m^4)   @param eps threshold (m^4)
ScalarJet edge_edge_mollifier(double c, double eps);

/// eps_x = 1e-3 |e1|^2 |e2|^2 of the rest lengths: below it a pair of edges counts as nearly parallel.
double edge_edge_mollifier_threshold(double rest_length_squared_1, double rest_length_squared_2);

/// Magnitude of the contact force a barrier exerts per unit stiffness, -d b(d^2)/d d = -2 d b'(d^2) >= 0 (m^3).
double barrier_force(double squared_distance, double s_hat);

/// Second derivative of a function of the squared distance s by the distance, 4 s b'' + 2 b' (m^2 for the barrier).
/// @param b  its derivatives by s
double slope_over_distance(const ScalarJet& b, double s);

/// Stiffness of the chord of barrier_force() from a gap to the gap at which it is `force`: (F(gap) - force) / (that gap
/// - gap), per unit stiffness (m^2). Forces fall as gaps grow, so it is positive.
/// @param gap    0 < gap < dhat (m)
/// @param force  > 0 (m^3), another than F(gap)
double barrier_chord(double gap, double force, double dhat);

}  // namespace stiction
