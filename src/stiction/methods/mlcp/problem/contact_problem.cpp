#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include "stiction/linalg/vector_ops.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {

void VelocityMatrix::multiply(const VecX& x, VecX& y) const {
    multiply_with(elastic, x, y);
}

void VelocityMatrix::multiply_rounded(const VecX& x, VecX& y) const {
    if (rounded == nullptr) {
        multiply_with(elastic, x, y);
    } else {
        multiply_with(rounded, x, y);
    }
}

template <class Matrix>
void VelocityMatrix::multiply_with(const Matrix* soft_part, const VecX& x, VecX& y) const {
    const Eigen::Index soft = 3 * static_cast<Eigen::Index>(elastic_nodes());
    if (rigid.empty()) {
        soft_part->multiply(x, y);
        if (rank_one != nullptr) rank_one->add_product(x, y);
        return;
    }
    y.resize(x.size());
    if (soft > 0) {
        const VecX part = x.head(soft);
        VecX product;
        soft_part->multiply(part, product);
        if (rank_one != nullptr) rank_one->add_product(part, product);
        y.head(soft) = product;
    }
    for (std::size_t i = 0; i < rigid.size(); ++i) {
        const Eigen::Index at = soft + 3 * static_cast<Eigen::Index>(i);
        y.segment<3>(at) = rigid[i] * x.segment<3>(at);
    }
}

Mat3 VelocityMatrix::diagonal_block(Index node) const {
    if (node >= elastic_nodes()) return rigid[static_cast<std::size_t>(node - elastic_nodes())];
    return elastic
        ->values()[static_cast<std::size_t>(elastic->pattern()->column_begin[static_cast<std::size_t>(node)])];
}

double ContactProblem::scale() const {
    return momentum_scale > 0.0 ? momentum_scale : norm(rhs);
}

double ContactProblem::momentum_error(const VecX& r) const {
    const double whole = scale();
    if (!(whole > 0.0)) return norm(r);
    std::vector<double> squares(bodies.size());
    const auto sum_up = [&](std::size_t k) {
        const BodyMomentum& body = bodies[k];
        squares[k] =
            r.segment(3 * static_cast<Eigen::Index>(body.first_node), 3 * static_cast<Eigen::Index>(body.node_count))
                .squaredNorm();
    };
    parallel_for(bodies.size(), sum_up, 1);
    double error = 0.0;
    if (!groups.empty()) {
        std::vector<double> of_group(groups.size(), 0.0);
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            of_group[bodies[k].group] += squares[k];
            if (bodies[k].turns)
                of_group[bodies[k].group] +=
                    r.segment<3>(3 * static_cast<Eigen::Index>(bodies[k].first_node + 1)).squaredNorm();
        }
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (groups[g] > 0.0) error = std::max(error, std::sqrt(of_group[g]) / groups[g]);
        }
    }
    Index covered = 0;
    double square = 0.0;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        covered += bodies[k].node_count;
        square += squares[k];
    }
    // Bodies share no nodes. Where every node is of a body, their sums are that of all.
    if (groups.empty()) error = (covered == matrix->nodes() ? std::sqrt(square) : norm(r)) / whole;
    // NaN has to come first: std::max(error, NaN) is `error`.
    for (std::size_t k = 0; k < bodies.size(); ++k) error = std::max(error, std::sqrt(squares[k]) / bodies[k].scale);
    return error;
}

void ContactConstraint::add(Index node, const Mat3& matrix) {
    const auto place = static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
    if (place == nodes.size()) {
        nodes.push_back(node);
        jacobian.push_back(Mat3::Zero());
    }
    jacobian[place] += matrix;
}

double friction_bound(const ContactConstraint& contact, const ContactUnknowns& unknowns) {
    if (unknowns.mode == ContactMode::open) return 0.0;
    const double ratio = unknowns.mode == ContactMode::sliding ? contact.kinetic_ratio : 1.0;
    return ratio * contact.friction * std::max(unknowns.normal, 0.0);
}

Vec3 relative_motion(const ContactConstraint& contact, const VecX& v) {
    Vec3 u = -contact.target;
    for (std::size_t i = 0; i < contact.node_count(); ++i)
        u += contact.jacobian[i] * v.segment<3>(3 * contact.nodes[i]);
    return u;
}

ContactErrors row_errors(const ContactProblem& problem, const ContactSolution& solution,
                         const std::vector<Vec3>& compliance) {
    ContactErrors errors;
    const auto take = [&](std::size_t k, double error, double& largest) {
        largest = std::max(largest, error / problem.contacts[k].share);
    };
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const ContactConstraint& contact = problem.contacts[k];
        const ContactUnknowns& unknowns = solution.contacts[k];
        const Vec3 motion = relative_motion(contact, solution.v);
        const double scaled = compliance[k][0] * unknowns.normal;
        take(k, std::abs(scaled + motion[0] - std::hypot(scaled, motion[0])), errors.normal);
        const double tangential = 0.5 * (compliance[k][1] + compliance[k][2]);
        if (unknowns.mode == ContactMode::open || contact.friction == 0.0) {
            take(k, tangential * unknowns.friction().norm(), errors.sliding);
            continue;
        }
        const double size = friction_bound(contact, unknowns);
        const Vec2 slip = motion.tail<2>();
        if (unknowns.mode == ContactMode::sticking) {
            const double excess = tangential * (unknowns.friction().norm() - size);
            take(k, std::max(slip.norm(), excess), errors.sticking);
        } else {
            const Vec2 friction = unknowns.friction(), trial = friction + slip / tangential;
            const Vec2 natural = trial.norm() > size ? Vec2(size / trial.norm() * trial) : trial;
            take(k, tangential * (friction - natural).norm(), errors.sliding);
        }
    }
    return errors;
}

ContactErrors contact_errors(const ContactProblem& problem, const ContactSolution& solution,
                             const std::vector<Vec3>& compliance) {
    ContactErrors errors = row_errors(problem, solution, compliance);
    VecX residual;
    problem.matrix->multiply(solution.v, residual);
    residual = problem.rhs - residual;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const ContactConstraint& contact = problem.contacts[k];
        const ContactUnknowns& unknowns = solution.contacts[k];
        const Vec3 force(-unknowns.normal, unknowns.friction().x(), unknowns.friction().y());
        for (std::size_t i = 0; i < contact.node_count(); ++i)
            residual.segment<3>(3 * contact.nodes[i]) -= contact.jacobian[i].transpose() * force;
    }
    errors.momentum = problem.momentum_error(residual);
    return errors;
}

}  // namespace stiction::mlcp
