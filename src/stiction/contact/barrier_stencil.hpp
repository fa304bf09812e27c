// The barrier of one contact with its derivatives on the contact's vertices.
#pragma once

#include "stiction/contact/barrier.hpp"
#include "stiction/contact/contact_set.hpp"

namespace stiction {

/// b(g^2) and its derivatives by the squared distance d^2, with the gap g = d - offset: without an offset barrier()
/// itself. The activation distance is the contact's share of the one whose square is s_hat, here and below.
ScalarJet contact_barrier(const Contact& contact, double s_hat);
/// multiplicity * [mollifier *] b(g^2), per unit barrier stiffness (m^4). The contact's closest features are taken as
/// found.
double barrier_value(const Contact& contact, const VecX& x, double s_hat);
/// Gradient on the contact's vertices, unused entries zero.
Vec12 barrier_gradient(const Contact& contact, const VecX& x, double s_hat);
/// Hessian on the contact's vertices, unused entries zero. With `project`, the nearest positive semi-definite matrix.
Mat12 barrier_hessian(const Contact& contact, const VecX& x, double s_hat, bool project);
/// The same with other derivatives b by the squared distance than those of contact_barrier().
Mat12 barrier_hessian(const Contact& contact, const VecX& x, bool project, const ScalarJet& b);
/// The mollifier e(c) of nearly parallel edges (equation 24); 1 for other contacts.
double mollifier(const Contact& contact, const VecX& x);
/// Signed weights of the closest points on the contact's vertices: relative motion = sum_i w_i dx_i, from second
/// feature to first.
Vec4 contact_weights(const Contact& contact, const VecX& x);
/// Orthonormal tangents of the contact.
Mat32 contact_frame(const Contact& contact, const VecX& x);

}  // namespace stiction
