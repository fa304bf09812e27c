// Random contact problems, plain and degenerate.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include "linalg/random_system.hpp"
#include <Eigen/Geometry>

#include <cmath>
#include <memory>

namespace stiction::test {

using namespace stiction::mlcp;

/// What makes a problem hard.
enum class Degeneracy {
    none,
    duplicates,      ///< rows that repeat others, exactly or nearly
    rank_deficient,  ///< many more rows than unknowns
    contradictory,   ///< no velocity satisfies all normal rows: nothing may be called a solution
    extreme_masses,  ///< nodes from 1e-4 to 1e4 times as heavy as the others
};

/// How much is known about the solutions.
enum class Targets {
    at_rest,   ///< c_n <= 0, c_t = 0: v = 0 satisfies every row, so Coulomb's problem has a solution (Acary, Cadoux,
               ///< Lemarechal and Malick 2011)
    planted,   ///< made from a solution, which is kept
    feasible,  ///< a common velocity satisfies all normal rows: without friction there is a solution, with friction
               ///< perhaps
};

/// Owns what a ContactProblem points to.
struct RandomProblem {
    BlockSystem elastic;
    SinglePrecisionRows rounded;
    VelocityMatrix matrix;
    ContactProblem problem;
    Eigen::MatrixXd dense;    ///< A, made without the help of the above
    ContactSolution planted;  ///< of Targets::planted alone
};

inline Vec3 random_direction(Random& random) {
    Vec3 d;
    do {
        d = Vec3(uniform(random), uniform(random), uniform(random));
    } while (d.norm() < 0.1);
    return d.normalized();
}

inline Mat3 random_frame(Random& random) {
    const Vec3 n = random_direction(random), t = n.cross(random_direction(random)).normalized();
    Mat3 frame;
    frame << n.transpose(), t.transpose(), n.cross(t).transpose();
    return frame;
}

/// Rows along a random frame over one to four different nodes, weights of the first side 1, of the others up to -1.
inline ContactConstraint random_contact(Random& random, const VelocityMatrix& matrix, double h) {
    ContactConstraint contact;
    const Mat3 frame = random_frame(random);
    const auto wanted = static_cast<std::size_t>(std::min<int>(1 + random_index(random, 4), matrix.nodes()));
    while (contact.node_count() < wanted) {
        const Index node = random_index(random, matrix.nodes());
        if (std::find(contact.nodes.begin(), contact.nodes.end(), node) != contact.nodes.end()) continue;
        Mat3 arm = Mat3::Identity() * (contact.nodes.empty() ? 1.0 : -uniform(random, 0.0, 1.0));
        if (node >= matrix.elastic_nodes() && (node - matrix.elastic_nodes()) % 2 == 1) {  // a rotation: omega x r
            const Vec3 r = 0.5 * random_direction(random);
            arm << 0.0, r.z(), -r.y(), -r.z(), 0.0, r.x(), r.y(), -r.x(), 0.0;
        }
        contact.add(node, h * frame * arm);
    }
    contact.friction = random_index(random, 4) == 0 ? 0.0 : uniform(random, 0.05, 1.0);
    return contact;
}

/// Elastic nodes, and translations and rotations of up to two rigid bodies.
inline void fill_matrix(Random& random, Degeneracy degeneracy, RandomProblem& made) {
    const Index nodes = 1 + random_index(random, 12);
    const auto pairs = random_pairs(random, nodes, 2 * nodes);
    made.elastic.set_pattern(nodes, pairs);
    const Eigen::MatrixXd soft =
        fill_positive_definite(random, pairs, made.elastic, std::pow(10.0, uniform(random, -2.0, 1.0)));
    const bool extreme = degeneracy == Degeneracy::extreme_masses;
    const int rigid = 2 * (extreme ? 1 + random_index(random, 2) : random_index(random, 3));
    made.dense.setZero(3 * (nodes + rigid), 3 * (nodes + rigid));
    made.dense.topLeftCorner(3 * nodes, 3 * nodes) = soft;
    if (extreme) {
        for (Index i = 0; i < nodes; ++i) {
            if (random_index(random, 3) > 0) continue;
            const double mass = std::pow(10.0, uniform(random, 0.0, 4.0));
            made.elastic.add_diagonal(i, mass * Mat3::Identity());
            made.dense.block<3, 3>(3 * i, 3 * i) += mass * Mat3::Identity();
        }
    }
    made.matrix.elastic = &made.elastic;
    made.rounded.fill(made.elastic);
    made.matrix.rounded = &made.rounded;
    for (int k = 0; k < rigid; ++k) {
        const double scale = extreme ? std::pow(10.0, uniform(random, -4.0, 4.0)) : 1.0;
        made.matrix.rigid.push_back(
            (scale * Vec3(uniform(random, 0.1, 2.0), uniform(random, 0.1, 2.0), uniform(random, 0.1, 2.0)))
                .asDiagonal());
        made.dense.block<3, 3>(3 * (nodes + k), 3 * (nodes + k)) = made.matrix.rigid.back();
    }
}

/// Force and target of a contact at velocities v: open, sticking or sliding by chance.
inline ContactUnknowns plant(Random& random, const VecX& v, double h, ContactConstraint& contact) {
    ContactUnknowns unknowns;
    contact.target.setZero();
    const Vec3 u = relative_motion(contact, v);
    const int mode = random_index(random, 3);
    if (mode == 0) {
        contact.target[0] = u[0] - h * uniform(random, 0.0, 2.0);
        return unknowns;
    }
    contact.target[0] = u[0];
    unknowns.normal = std::pow(10.0, uniform(random, -2.0, 1.0)) / h;
    unknowns.mode = mode == 1 ? ContactMode::sticking : ContactMode::sliding;
    const double size = contact.friction * unknowns.normal, angle = uniform(random, 0.0, 6.3);
    if (mode == 1) {
        contact.target.tail<2>() = u.tail<2>();
        unknowns.sticking = size * uniform(random, 0.0, 1.0) * Vec2(std::cos(angle), std::sin(angle));
    } else {
        unknowns.direction = u.tail<2>().normalized();
        unknowns.sliding = size * unknowns.direction;
    }
    return unknowns;
}

/// A random problem; h = 0.01 s, masses and velocities about 1.
inline std::unique_ptr<RandomProblem> random_problem(Random& random, Degeneracy degeneracy, Targets targets,
                                                     bool frictionless = false) {
    auto made = std::make_unique<RandomProblem>();
    constexpr double h = 1e-2;
    fill_matrix(random, degeneracy, *made);
    ContactProblem& problem = made->problem;
    problem.matrix = &made->matrix;
    const Index nodes = made->matrix.nodes();
    problem.rhs = made->dense * random_vector(random, 3 * nodes);
    const VecX possible = random_vector(random, 3 * nodes);
    const VecX solution = random_vector(random, 3 * nodes);
    Index count = 1 + random_index(random, 2 * nodes);
    if (degeneracy == Degeneracy::rank_deficient) count = 3 * nodes + random_index(random, 10);
    VecX forces = VecX::Zero(3 * nodes);
    const auto add = [&](ContactConstraint contact, bool retarget) {
        ContactUnknowns unknowns;
        if (targets == Targets::planted) {
            unknowns = plant(random, solution, h, contact);
            const Vec3 m(-unknowns.normal, unknowns.friction().x(), unknowns.friction().y());
            for (std::size_t i = 0; i < contact.node_count(); ++i) {
                forces.segment<3>(3 * contact.nodes[i]) += contact.jacobian[i].transpose() * m;
            }
        } else if (retarget) {
            const double gap = random_index(random, 3) == 0 ? 0.0 : h * uniform(random, 0.0, 2.0);
            contact.target.setZero();
            contact.target[0] = targets == Targets::at_rest ? -gap : relative_motion(contact, possible)[0] - gap;
        }
        problem.contacts.push_back(contact);
        made->planted.contacts.push_back(unknowns);
    };
    for (Index k = 0; k < count; ++k) {
        ContactConstraint contact = random_contact(random, made->matrix, h);
        if (frictionless) contact.friction = 0.0;
        add(contact, true);
    }
    if (degeneracy == Degeneracy::duplicates) {
        for (Index k = 0; k < count; ++k) {
            ContactConstraint copy = problem.contacts[static_cast<std::size_t>(random_index(random, count))];
            if (random_index(random, 2) == 0) {
                for (std::size_t i = 0; i < copy.node_count(); ++i) copy.jacobian[i] += 1e-6 * h * random_block(random);
                copy.target[0] -= 1e-5 * h;
            }
            add(copy, false);
        }
    }
    if (degeneracy == Degeneracy::contradictory) {
        ContactConstraint wall = problem.contacts[static_cast<std::size_t>(random_index(random, count))];
        for (std::size_t i = 0; i < wall.node_count(); ++i) wall.jacobian[i] *= -1.0;
        wall.target[0] = -wall.target[0] + h * uniform(random, 0.1, 1.0);
        problem.contacts.push_back(wall);
        made->planted.contacts.emplace_back();
    }
    if (targets == Targets::planted) {
        made->planted.v = solution;
        problem.rhs = made->dense * solution + forces;
    }
    return made;
}

/// Nothing known: v = 0, all contacts open.
inline ContactSolution cold_start(const ContactProblem& problem) {
    return {VecX::Zero(3 * problem.matrix->nodes()), std::vector<ContactUnknowns>(problem.contacts.size())};
}

/// A warm start that is wrong: modes, forces and velocities by chance.
inline ContactSolution wrong_start(Random& random, const ContactProblem& problem) {
    ContactSolution start = cold_start(problem);
    start.v = 3.0 * random_vector(random, start.v.size());
    for (std::size_t k = 0; k < start.contacts.size(); ++k) {
        ContactUnknowns& unknowns = start.contacts[k];
        unknowns.mode = static_cast<ContactMode>(random_index(random, 3));
        if (unknowns.mode == ContactMode::open) continue;
        unknowns.normal = 1e3 * uniform(random, -0.2, 1.0);
        if (problem.contacts[k].friction == 0.0) continue;
        const Vec2 friction = 300.0 * Vec2(uniform(random), uniform(random));
        if (unknowns.mode == ContactMode::sticking) {
            unknowns.sticking = friction;
        } else {
            unknowns.direction = friction.normalized();
            unknowns.sliding = friction;
            unknowns.last_normal = std::max(unknowns.normal, 0.0);
        }
    }
    return start;
}

}  // namespace stiction::test
