#include "stiction/base/parallel.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/krylov/truncated_cg.hpp"
#include "stiction/linalg/multigrid/multigrid.hpp"
#include "stiction/linalg/multigrid/transfer.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <doctest/doctest.h>

#include <initializer_list>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Linear elasticity of the unit cube, n nodes along an edge, Young's modulus 1, Poisson's ratio 0.4, with the nodes of
/// the lowest layer held by springs.
struct ElasticCube {
    KuhnCube cube;
    VecX positions;
    BlockSystem system;
    std::vector<Index> lowest;

    explicit ElasticCube(Index n, double spring = 1.0)
        : cube(n), positions(3 * static_cast<Eigen::Index>(cube.nodes.size())) {
        for (std::size_t i = 0; i < cube.nodes.size(); ++i) {
            positions.segment<3>(3 * static_cast<Eigen::Index>(i)) = cube.nodes[i];
            if (cube.nodes[i].z() == 0.0) lowest.push_back(static_cast<Index>(i));
        }
        system.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
        std::vector<Mat12> hessians;
        for (const Tet& tet : cube.tets) hessians.push_back(stiffness(tet));
        ElementScatter(system.pattern(), cube.tets).add(hessians, 1.0, system);
        for (const Index i : lowest) system.add_diagonal(i, Vec3(0, 0, spring).asDiagonal());
    }

    Mat12 stiffness(const Tet& tet) const {
        constexpr double mu = 1.0 / 2.8, lambda = 0.4 / (1.4 * 0.2);
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = cube.nodes[at(tet[at(k + 1)])] - cube.nodes[at(tet[0])];
        Eigen::Matrix<double, 3, 4> gradients;
        gradients.rightCols<3>() = edges.inverse().transpose();
        gradients.col(0) = -gradients.rightCols<3>().rowwise().sum();
        Mat12 result;
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                const Vec3 ga = gradients.col(a), gb = gradients.col(b);
                result.block<3, 3>(3 * a, 3 * b) =
                    lambda * ga * gb.transpose() + mu * gb * ga.transpose() + mu * ga.dot(gb) * Mat3::Identity();
            }
        }
        return std::abs(edges.determinant()) / 6.0 * result;
    }
    /// Inertia on every node, so that nothing is singular.
    void add_mass(double mass) {
        for (Index i = 0; i < system.nodes(); ++i) system.add_diagonal(i, mass * Mat3::Identity());
    }
};

/// x = A^-1 b by conjugate gradients. @return iterations
int solve(const BlockSystem& system, const Multigrid& multigrid, const VecX& b, VecX& x, double tolerance) {
    const auto result =
        truncated_conjugate_gradient(system, [&](const VecX& r, VecX& z) { multigrid.apply(r, z); }, b, x,
                                     {.tolerance = tolerance, .max_iterations = 300, .min_curvature = 0.0});
    CHECK(result.end == TruncatedCgResult::End::converged);
    return result.iterations;
}

template <int R, int C>
Eigen::MatrixXd dense(const BlockRows<R, C>& A) {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(R * A.rows, C * A.columns);
    for (Index i = 0; i < A.rows; ++i) {
        for (std::size_t k = A.begin[at(i)]; k < A.begin[at(i) + 1]; ++k)
            result.block<R, C>(R * i, C * A.column[k]) = A.value[k];
    }
    return result;
}

template <int N>
Eigen::MatrixXd stacked(const Modes<N>& modes) {
    Eigen::MatrixXd result(N * static_cast<Eigen::Index>(modes.size()), 6);
    for (std::size_t i = 0; i < modes.size(); ++i) result.middleRows<N>(N * static_cast<Eigen::Index>(i)) = modes[i];
    return result;
}

/// Both triangles, row by row.
BlockRows<3, 3> block_rows(const BlockSystem& system) {
    BlockRows<3, 3> A;
    A.rows = A.columns = system.nodes();
    for (Index i = 0; i < A.rows; ++i) {
        for (Index j = 0; j < A.columns; ++j) {
            if (!system.contains(i, j)) continue;
            A.column.push_back(j);
            A.value.push_back(system.block(i, j));
        }
        A.begin.push_back(A.column.size());
    }
    return A;
}

}  // namespace

TEST_CASE("multigrid: block rows multiply and transpose as dense matrices do") {
    const std::uint64_t seed = 11;
    CAPTURE(seed);
    Random random(seed);
    const auto fill = [&](auto& A, Index rows, Index columns) {
        A.rows = rows;
        A.columns = columns;
        for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < columns; ++j) {
                if (uniform(random) < 0.0) continue;
                A.column.push_back(j);
                auto& block = A.value.emplace_back();
                for (auto& entry : block.reshaped()) entry = uniform(random);
            }
            A.begin.push_back(A.column.size());
        }
    };
    BlockRows<3, 3> A;
    BlockRows<3, 6> B;
    fill(A, 40, 30);
    fill(B, 30, 7);
    const Eigen::MatrixXd expected = dense(A) * dense(B);
    CHECK((dense(product(A, B)) - expected).norm() <= 1e-14 * expected.norm());
    CHECK(dense(B.transposed()) == dense(B).transpose());
    const VecX x = random_vector(random, 6 * 7);
    VecX y;
    B.multiply(x, y);
    CHECK((y - dense(B) * x).norm() <= 1e-14 * y.norm() * std::sqrt(42.0));
}

TEST_CASE("multigrid: aggregates cover every coupled node once, and each is connected") {
    const ElasticCube body(7);
    const StrengthGraph graph = strength_graph(block_rows(body.system), 0.0);
    const Aggregates found = aggregate(graph);
    CHECK(found.count > 1);
    CHECK(found.count < body.system.nodes() / 6);
    std::vector<int> size(at(found.count), 0);
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        REQUIRE(found.of_node[i] >= 0);
        REQUIRE(found.of_node[i] < found.count);
        ++size[at(found.of_node[i])];
        bool has_neighbour = false;
        for (std::size_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k)
            has_neighbour = has_neighbour || found.of_node[at(graph.column[k])] == found.of_node[i];
        CHECK((has_neighbour || size[at(found.of_node[i])] == 1));
    }
    for (const int nodes : size) CHECK(nodes > 0);
}

TEST_CASE("multigrid: prolongation reproduces rigid-body modes") {
    const ElasticCube body(7, 0.0);  // free: the modes have no energy, and smoothing keeps them
    const BlockRows<3, 3> A = block_rows(body.system);
    const Modes<3> modes = rigid_modes(body.positions);
    REQUIRE((dense(A) * stacked(modes)).norm() <= 1e-13 * dense(A).norm() * stacked(modes).norm());
    Modes<6> coarse;
    const Aggregates aggregates = aggregate(strength_graph(A, 0.0));
    const BlockRows<3, 6> T = tentative_prolongation<3>(modes, aggregates, coarse);
    CHECK((dense(T) * stacked(coarse) - stacked(modes)).norm() <= 1e-13 * stacked(modes).norm());
    const Eigen::MatrixXd product_of_columns = dense(T).transpose() * dense(T);
    CHECK((product_of_columns - Eigen::MatrixXd::Identity(6 * T.columns, 6 * T.columns)).norm() <= 1e-12);
    std::vector<Mat3> inverse;
    for (Index i = 0; i < body.system.nodes(); ++i) inverse.push_back(body.system.block(i, i).inverse());
    const BlockRows<3, 6> P = smoothed_prolongation<3>(A, inverse, 0.6, T);
    CHECK((dense(P) * stacked(coarse) - stacked(modes)).norm() <= 1e-13 * stacked(modes).norm());
    Eigen::MatrixXd expected = dense(A) * dense(T);
    for (Index i = 0; i < body.system.nodes(); ++i)
        expected.middleRows<3>(3 * i) =
            dense(T).middleRows<3>(3 * i) - 0.6 * inverse[at(i)] * expected.middleRows<3>(3 * i);
    CHECK((dense(P) - expected).norm() <= 1e-13 * expected.norm());
}

TEST_CASE("multigrid: aggregates of one and two nodes leave out the directions that they cannot have") {
    const Modes<3> modes = rigid_modes(VecX::LinSpaced(9, 0.0, 1.0));  // three nodes on a line
    Modes<6> coarse;
    const BlockRows<3, 6> T = tentative_prolongation<3>(modes, {{0, 1, 1}, 2}, coarse);
    CHECK((dense(T) * stacked(coarse) - stacked(modes)).norm() <= 1e-13);
    const Eigen::MatrixXd columns = dense(T).transpose() * dense(T);
    CHECK(columns.isDiagonal(1e-12));
    CHECK(columns.diagonal().head<6>().sum() == relative(3.0, 1e-12));
    CHECK(columns.diagonal().tail<6>().sum() == relative(5.0, 1e-12));
}

TEST_CASE("multigrid: coarse matrices are the Galerkin products") {
    ElasticCube body(9);
    body.add_mass(1e-4);
    MultigridOptions options;
    options.coarsest_blocks = 4;
    Multigrid multigrid(options);
    REQUIRE(multigrid.set_up(body.system, body.positions));
    REQUIRE(multigrid.coarse().size() >= 1);
    const Eigen::MatrixXd P = dense(multigrid.fine().prolongation), A = dense(multigrid.fine().matrix);
    Eigen::MatrixXd expected = P.transpose() * A * P;
    CHECK((dense(multigrid.coarse()[0].matrix) - expected).norm() <= 1e-12 * expected.norm());
}

TEST_CASE("multigrid: the preconditioner is symmetric and positive definite") {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        CAPTURE(seed);
        Random random(seed);
        ElasticCube body(6, 1e4);
        body.add_mass(1e-4);
        Multigrid multigrid;
        REQUIRE(multigrid.set_up(body.system, body.positions));
        const Eigen::Index size = 3 * body.system.nodes();
        Eigen::MatrixXd M(size, size);
        VecX column;
        for (Eigen::Index k = 0; k < size; ++k) {
            multigrid.apply(VecX::Unit(size, k), column);
            M.col(k) = column;
        }
        CHECK((M - M.transpose()).norm() <= 1e-11 * M.norm());
        CHECK(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues()[0] > 0.0);
        const VecX r = random_vector(random, size);
        VecX z;
        multigrid.apply(r, z);
        CHECK((z - M * r).norm() <= 1e-11 * z.norm());
    }
}

TEST_CASE("multigrid: iterations hardly depend on the size of the body") {
    int fewest = 1000, most = 0;
    for (const Index n : {8, 13, 20}) {
        CAPTURE(n);
        ElasticCube body(n);
        body.add_mass(1e-3 / static_cast<double>(n * n * n));
        Multigrid multigrid;
        REQUIRE(multigrid.set_up(body.system, body.positions));
        const VecX b = VecX::LinSpaced(3 * body.system.nodes(), -1.0, 2.0);
        VecX x, Ax;
        const int iterations = solve(body.system, multigrid, b, x, 1e-8);
        MESSAGE(n, "^3 nodes: ", iterations, " iterations");
        body.system.multiply(x, Ax);
        CHECK((Ax - b).norm() <= 1e-5 * b.norm());
        fewest = std::min(fewest, iterations);
        most = std::max(most, iterations);
    }
    CHECK(most <= 30);
    CHECK(most <= 2 * fewest);
}

TEST_CASE("multigrid: a dense coarse level keeps the tentative prolongation, and iterations stay few") {
    ElasticCube body(14);
    body.add_mass(1e-6);
    Multigrid multigrid({.coarsest_blocks = 5, .longest_smoothed_row = 20});
    REQUIRE(multigrid.set_up(body.system, body.positions));
    REQUIRE(multigrid.coarse().size() > 1);
    const MultigridLevel<6>& level = multigrid.coarse().front();
    REQUIRE(level.matrix.value.size() > 20 * at(level.matrix.rows));
    CHECK(level.prolongation.value.size() == at(level.matrix.rows));
    CHECK(multigrid.fine().prolongation.value.size() > at(body.system.nodes()));
    VecX x;
    const VecX b = VecX::LinSpaced(3 * static_cast<Eigen::Index>(body.system.nodes()), -1.0, 1.0);
    CHECK(solve(body.system, multigrid, b, x, 1e-8) < 40);
}

TEST_CASE("multigrid: a coarse level keeps the tentative prolongation where a smoothed one had long rows") {
    ElasticCube body(14);
    body.add_mass(1e-6);
    const auto row_length = [](const MultigridLevel<6>& level) {
        return static_cast<double>(level.prolongation.value.size()) / static_cast<double>(level.matrix.rows);
    };
    Multigrid smoothed({.coarsest_blocks = 5, .longest_smoothed_row = 1000, .longest_prolongation_row = 1000});
    REQUIRE(smoothed.set_up(body.system, body.positions));
    REQUIRE(smoothed.coarse().size() > 1);
    CHECK(row_length(smoothed.coarse().front()) > 2.0);
    Multigrid tentative({.coarsest_blocks = 5, .longest_smoothed_row = 1000, .longest_prolongation_row = 2});
    REQUIRE(tentative.set_up(body.system, body.positions));
    CHECK(row_length(tentative.coarse().front()) == relative(1.0, 1e-12));
    VecX x;
    const VecX b = VecX::LinSpaced(3 * static_cast<Eigen::Index>(body.system.nodes()), -1.0, 1.0);
    CHECK(solve(body.system, tentative, b, x, 1e-8) < 40);
}

TEST_CASE("multigrid: the same bits for any number of threads") {
    ElasticCube body(12, 1e3);
    body.add_mass(1e-5);
    const VecX b = VecX::LinSpaced(3 * body.system.nodes(), -1.0, 2.0);
    VecX first;
    for (const int threads : {1, 2, 4}) {
        CAPTURE(threads);
        set_thread_count(threads);
        Multigrid multigrid;
        REQUIRE(multigrid.set_up(body.system, body.positions));
        VecX x;
        solve(body.system, multigrid, b, x, 1e-6);
        if (threads == 1) first = x;
        CHECK(same_bits(x, first));
    }
    set_thread_count(0);
}

TEST_CASE("multigrid: a second set-up forgets the first") {
    ElasticCube body(9), small(3);
    body.add_mass(1e-4);
    small.add_mass(1e-4);
    Multigrid used, fresh;
    REQUIRE(used.set_up(body.system, body.positions));
    REQUIRE(used.set_up(small.system, small.positions));
    REQUIRE(fresh.set_up(small.system, small.positions));
    const VecX b = VecX::LinSpaced(3 * small.system.nodes(), -1.0, 2.0);
    VecX x, y;
    used.apply(b, x);
    fresh.apply(b, y);
    CHECK(same_bits(x, y));
}

TEST_CASE("multigrid: what is not positive definite is said") {
    ElasticCube body(4);
    body.system.add_diagonal(5, -1e3 * Mat3::Identity());
    Multigrid multigrid;
    CHECK_FALSE(multigrid.set_up(body.system, body.positions));
    CHECK(multigrid.failure() == "not positive definite at node 5");
}
