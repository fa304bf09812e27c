// Rigid bodies, driven coordinates and fillings in the contact problem, against dense matrices.
#include "contact_problem.hpp"

#include "stiction/methods/local_global/contact/inverse_modes.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <memory>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

/// Unknowns of some bodies that deform, some of whose coordinates are driven, then four of each rigid one; fillings
/// over all.
struct System {
    DenseOperator system;
    InverseModes modes;
    std::unique_ptr<std::array<InverseModes::DrivenCoordinates, 3>> driven;
    Eigen::MatrixXd inverse;  ///< dense, with all of them
};

/// Masses of a tet, and its corners.
struct Frame {
    Eigen::Matrix4d mass;
    Eigen::Matrix<double, 3, 4> corners;
};

Frame random_body(Random& random) {
    Frame frame;
    Eigen::Matrix4d root;
    for (Eigen::Index k = 0; k < 16; ++k) root(k) = uniform(random);
    frame.mass = root * root.transpose() + 0.1 * Eigen::Matrix4d::Identity();
    for (Eigen::Index k = 0; k < 12; ++k) frame.corners(k) = uniform(random);
    return frame;
}

Eigen::Matrix<double, 12, 12> spread(const Eigen::Matrix4d& mass) {
    Eigen::Matrix<double, 12, 12> result = Eigen::Matrix<double, 12, 12>::Zero();
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) result.block<3, 3>(3 * a, 3 * b) = mass(a, b) * Mat3::Identity();
    }
    return result;
}

InverseModes::RigidModes::Basis motions_of(const Frame& frame) {
    InverseModes::RigidModes::Basis motions;
    for (int k = 0; k < 4; ++k) {
        motions.block<3, 3>(3 * k, 0).setIdentity();
        for (int axis = 0; axis < 3; ++axis)
            motions.block<3, 1>(3 * k, 3 + axis) = Vec3::Unit(axis).cross(frame.corners.col(k));
    }
    return motions;
}

/// Drives coordinates of unknowns below `soft`.
void hold_some(Random& random, Index soft, System& system) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
        InverseModes::DrivenCoordinates& driven = (*system.driven)[axis];
        for (Index i = 0; i < soft; ++i) {
            if (uniform(random) > 0.5) driven.unknowns.push_back(i);
        }
        const auto count = static_cast<Eigen::Index>(driven.unknowns.size());
        Eigen::MatrixXd picks = Eigen::MatrixXd::Zero(system.system.size(), count);
        for (Eigen::Index k = 0; k < count; ++k) picks(driven.unknowns[static_cast<std::size_t>(k)], k) = 1.0;
        const Eigen::MatrixXd moved = system.system.inverse() * picks, between = picks.transpose() * moved;
        driven.lower = between.llt().matrixL();
        driven.response = moved * driven.lower.transpose().inverse();
        Eigen::MatrixXd in_space = Eigen::MatrixXd::Zero(3 * system.system.size(), count);
        for (Index i = 0; i < system.system.size(); ++i) in_space.row(3 * i + static_cast<Index>(axis)) = moved.row(i);
        system.inverse -= in_space * between.inverse() * in_space.transpose();
    }
    system.modes.driven = system.driven.get();
}

System random_system(Random& random, Index soft, Index bodies, Index fillings) {
    std::vector<Frame> frames;
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(soft + 4 * bodies, soft + 4 * bodies);
    matrix.topLeftCorner(soft, soft) = random_scalar_system(random, soft, 20.0);
    for (Index b = 0; b < bodies; ++b) {
        frames.push_back(random_body(random));
        matrix.block<4, 4>(soft + 4 * b, soft + 4 * b) = frames.back().mass;
    }
    System result{DenseOperator(matrix), {}, std::make_unique<std::array<InverseModes::DrivenCoordinates, 3>>(), {}};
    result.inverse = dense_inverse(result.system);
    hold_some(random, soft, result);
    result.modes.rigid_of_unknown.assign(static_cast<std::size_t>(matrix.rows()), -1);
    for (Index b = 0; b < bodies; ++b) {
        const Index first = soft + 4 * b;
        const Mat12 mass = spread(frames[static_cast<std::size_t>(b)].mass);
        const InverseModes::RigidModes::Basis motions = motions_of(frames[static_cast<std::size_t>(b)]);
        const Mat12 rigid = motions * (motions.transpose() * mass * motions).inverse() * motions.transpose();
        result.inverse.block<12, 12>(3 * first, 3 * first) = rigid;
        // A^-1 less the rigid part has six eigenvalues that are not zero, in the scale of the mass.
        const Eigen::SelfAdjointEigenSolver<Mat12> rest(Mat12(mass.inverse() - rigid));
        InverseModes::RigidModes body;
        body.deformations = rest.eigenvectors().rightCols<6>() * rest.eigenvalues().tail<6>().cwiseSqrt().asDiagonal();
        body.scaled = mass * body.deformations;
        for (Index k = 0; k < 4; ++k) {
            body.unknowns[static_cast<std::size_t>(k)] = first + k;
            result.modes.rigid_of_unknown[static_cast<std::size_t>(first + k)] = b;
        }
        result.modes.rigid.push_back(body);
    }
    for (Index f = 0; f < fillings; ++f) {
        const VecX area = random_values(random, 3 * result.system.size());
        const VecX moved = result.inverse * area;
        const double scale = 1.0 / std::sqrt(uniform(random, 0.01, 1.0) + area.dot(moved));
        InverseModes::Filling filling{scale * moved, {}, {}};
        for (Index i = 0; i < result.system.size(); ++i) {
            filling.unknowns.push_back(i);
            filling.weights.emplace_back(scale * area.segment<3>(3 * i));
        }
        result.modes.fillings.push_back(std::move(filling));
        result.inverse -= scale * scale * moved * moved.transpose();
    }
    return result;
}

/// One unknown is driven along y.
std::array<InverseModes::DrivenCoordinates, 3> drive_along_y(const DenseOperator& system, Index unknown) {
    std::array<InverseModes::DrivenCoordinates, 3> driven;
    driven[1].unknowns = {unknown};
    driven[1].lower = Eigen::MatrixXd::Constant(1, 1, std::sqrt(system.inverse()(unknown, unknown)));
    driven[1].response = system.inverse().col(unknown) / driven[1].lower(0, 0);
    return driven;
}

}  // namespace

TEST_CASE("modes: moves under them, W, its diagonal, blocks and positions against the dense inverse") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index soft = 1 + random_index(random, 30), bodies = 1 + random_index(random, 4), n = soft + 4 * bodies;
        const System with_modes = random_system(random, soft, bodies, static_cast<Index>(seed % 3));
        const VecX b = random_values(random, 3 * n);
        VecX moved(3 * n);
        with_modes.system.solve(b.data(), moved.data());
        with_modes.modes.project(moved.data());
        CHECK((moved - with_modes.inverse * b).norm() <= 1e-11 * with_modes.inverse.norm() * b.norm());

        const ContactRows rows = random_rows(random, n, 1 + random_index(random, 40), random_index(random, 6));
        const Eigen::MatrixXd jacobian = dense_jacobian(rows, n),
                              delassus = jacobian * with_modes.inverse * jacobian.transpose();
        const VecX z = random_values(random, rows.row_count()), free = random_values(random, 3 * n);
        DelassusOperator product;
        for (const DelassusKind kind : {DelassusKind::formed, DelassusKind::applied, DelassusKind::formed}) {
            // As from one iteration to the next: prepared with others, then changed, twice.
            InverseModes modes = with_modes.modes;
            modes.fillings.clear();
            for (InverseModes::RigidModes& body : modes.rigid) body.deformations *= 0.5;
            product.prepare(rows, with_modes.system, kind, 10, &modes);
            modes = with_modes.modes;
            product.modes_changed();
            product.modes_changed();
            CHECK(!product.keeps_half());
            VecX out(rows.row_count()), q(3 * n);
            product.multiply(z.data(), out.data());
            CHECK((out - delassus * z).norm() <= 1e-11 * delassus.norm() * z.norm());
            // Rows that are selected are right where z is 0 in all others.
            std::vector<double> selection(static_cast<std::size_t>(rows.row_count()), 1.0);
            VecX selected = z;
            for (Index k = 0; k < rows.contact_count(); ++k) {
                if (uniform(random) > 0.0) continue;
                std::fill_n(selection.begin() + 3 * k, 3, 0.0);
                selected.segment<3>(3 * k).setZero();
            }
            product.select(selection);
            product.multiply_selected(selected.data(), out.data());
            const VecX expected = delassus * selected;
            for (Index j = 0; j < rows.row_count(); ++j) {
                if (selection[static_cast<std::size_t>(j)] != 0.0)
                    CHECK(out[j] == within(expected[j], 1e-11 * delassus.norm() * z.norm()));
            }
            const Eigen::Map<const VecX> diagonal(product.diagonal().data(), rows.row_count());
            CHECK((diagonal - delassus.diagonal()).norm() <= 1e-11 * delassus.diagonal().norm());
            for (Index k = 0; k < rows.contact_count(); ++k) {
                const Mat3 block = delassus.block<3, 3>(3 * k, 3 * k);
                CHECK(product.block_norm(static_cast<std::size_t>(k)) ==
                      relative(block.selfadjointView<Eigen::Lower>().eigenvalues()[2], 1e-9));
            }
            product.positions(free.data(), z.data(), q.data());
            CHECK((q - free - with_modes.inverse * (jacobian.transpose() * z)).norm() <=
                  1e-13 * free.norm() + 1e-11 * with_modes.inverse.norm() * jacobian.norm() * z.norm());
        }
    }
}

TEST_CASE("modes: the contact solver ends at the conditions that the dense inverse has, formed and applied") {
    int converged = 0;
    constexpr int count = 40;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index soft = 10 + random_index(random, 30), bodies = 1 + random_index(random, 4), n = soft + 4 * bodies;
        const System with_modes = random_system(random, soft, bodies, static_cast<Index>(seed % 3));
        const ContactRows rows = random_rows(random, n, 3 + random_index(random, 8), seed % 3);
        const Eigen::MatrixXd jacobian = dense_jacobian(rows, n);
        const VecX free = 0.3 * random_values(random, 3 * n);
        ContactSolverOptions options = with(NcpFunction::fischer_burmeister);
        options.delassus = seed % 2 == 0 ? DelassusKind::formed : DelassusKind::applied;
        ContactSolver solver(options);
        solver.prepare(rows, with_modes.system, time_step, nullptr, &with_modes.modes);
        std::vector<double> lambda(static_cast<std::size_t>(rows.row_count()), 0.0), acting(lambda.size());
        VecX q = free;
        ContactResidual residual;
        for (int k = 0; k < 40; ++k)
            residual = solver.solve({.free = free.data(), .last = q.data(), .lambda = lambda.data(), .q = q.data()});
        solver.row_forces(acting.data());
        const VecX force = Eigen::Map<const VecX>(acting.data(), rows.row_count());
        const VecX expected = free + time_step * time_step * (with_modes.inverse * (jacobian.transpose() * force));
        CHECK((q - expected).norm() <=
              1e-11 * (1.0 + expected.norm() + time_step * time_step * with_modes.inverse.norm() * force.norm()));
        // The conditions, from the definition: gaps and forces are complementary, forces are in their cones and oppose
        // the slip.
        const VecX values = jacobian * expected + Eigen::Map<const VecX>(rows.constants.data(), rows.row_count());
        if (!(residual.largest() < 1e-9)) continue;
        ++converged;
        for (Index b = 0; b < rows.bilateral_count(); ++b) {
            const Index j = 3 * rows.contact_count() + b;
            CHECK(values[j] + rows.compliance[static_cast<std::size_t>(b)] * force[j] == within(0.0, 2e-9));
        }
        for (Index k = 0; k < rows.contact_count(); ++k) {
            const double limit = rows.friction[static_cast<std::size_t>(k)] * force[3 * k];
            const Vec2 slip = values.segment<2>(3 * k + 1), friction = force.segment<2>(3 * k + 1);
            CHECK(values[3 * k] > -2e-9);
            CHECK(force[3 * k] >= 0.0);
            CHECK(friction.norm() <= limit * (1.0 + 1e-12));
            if (values[3 * k] > 1e-8) CHECK(force[3 * k] * time_step * time_step < 1e-8);
            if (slip.norm() > 1e-6 && limit > 1e-2) CHECK(friction.dot(slip) < -0.99 * limit * slip.norm());
        }
    }
    MESSAGE(converged << " of " << count << " converged");
    CHECK(converged >= count * 9 / 10);
}

TEST_CASE("modes: a contact whose gap no force changes has none, whatever its gap") {
    Random random(11);
    const Index n = 6;
    const DenseOperator system(random_scalar_system(random, n, 10.0));
    const auto driven = drive_along_y(system, 0);
    InverseModes modes;
    modes.driven = &driven;
    ContactRows rows;
    // Unknown 0 is driven along y: of the first contact the normal is y, of the second nearly, of the third not.
    const std::array<Index, 1> unknown{0};
    const std::array<double, 1> weight{1.0};
    const auto frame = [](const Vec3& normal) {
        Mat3 result;
        result.row(0) = normal.normalized();
        result.row(1) = Vec3::UnitZ();
        result.row(2) = result.row(0).cross(result.row(1));
        return result;
    };
    for (const Vec3& normal : {Vec3(0, 1, 0), Vec3(1e-5, 1, 0), Vec3(1, 1, 0)})
        rows.add_contact(unknown, weight, frame(normal), -0.01, Vec2::Zero(), 0.5);
    for (const DelassusKind kind : {DelassusKind::formed, DelassusKind::applied}) {
        ContactSolverOptions options;
        options.delassus = kind;
        ContactSolver solver(options);
        solver.prepare(rows, system, time_step, nullptr, &modes);
        std::vector<double> lambda(9, 3.0), acting(9);
        const VecX free = VecX::Zero(3 * n);
        VecX q = free;
        for (int k = 0; k < 20; ++k)
            solver.solve({.free = free.data(), .last = q.data(), .lambda = lambda.data(), .q = q.data()});
        solver.row_forces(acting.data());
        for (std::size_t j = 0; j < 6; ++j) CHECK(acting[j] == 0.0);
        CHECK(acting[6] > 0.0);
        CHECK((rows.frames[18] * q[0] + rows.frames[19] * q[1]) == relative(0.01, 1e-6));
        CHECK(q[1] == 0.0);
    }
}

TEST_CASE("modes: a driven vertex against a heavy free one: the contact acts, however small a part of W it has") {
    Random random(12);
    const Index n = 6;
    Eigen::MatrixXd matrix = random_scalar_system(random, n, 10.0);
    matrix.row(5).setZero();
    matrix.col(5).setZero();
    matrix(5, 5) = 1e9;
    const DenseOperator system(matrix);
    const auto driven = drive_along_y(system, 0);
    InverseModes modes;
    modes.driven = &driven;
    ContactRows rows;
    const std::array<Index, 2> unknowns{5, 0};
    const std::array<double, 2> weights{1.0, -1.0};
    Mat3 frame;
    frame << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    rows.add_contact(unknowns, weights, frame, -0.01, Vec2::Zero(), 0.5);
    ContactSolver solver{ContactSolverOptions{}};
    solver.prepare(rows, system, time_step, nullptr, &modes);
    std::vector<double> lambda(3, 0.0), acting(3);
    const VecX free = VecX::Zero(3 * n);
    VecX q = free;
    for (int k = 0; k < 20; ++k)
        solver.solve({.free = free.data(), .last = q.data(), .lambda = lambda.data(), .q = q.data()});
    solver.row_forces(acting.data());
    CHECK(q[1] == 0.0);
    CHECK(q[3 * 5 + 1] == relative(0.01, 1e-6));
    CHECK(acting[0] == relative(0.01 * 1e9 / (time_step * time_step), 1e-6));
}
