// Pivots and scaling of the LU factorisation: what is singular is refused, what is badly scaled is not.
#include "stiction/linalg/lu_scaling.hpp"

#include "linalg/random_mesh_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("general block system: zero and negative pivots are no obstacle") {
    // Saddle point, rotation by a right angle, and a mesh whose diagonal is zero.
    GeneralBlockSystem system;
    system.set_pattern(2, {{0, 1}});
    system.add(0, 1, Mat3::Identity());
    system.add(1, 0, -2.0 * Mat3::Identity());
    REQUIRE_MESSAGE(system.factorize(), system.failure());
    VecX b(6), x;
    b << 1, 2, 3, 4, 5, 6;
    system.solve(b, x);
    VecX expected(6);
    expected << -2, -2.5, -3, 1, 2, 3;
    CHECK((x - expected).norm() <= 1e-14);

    MeshSystem mesh(6, 19);
    const Index n = mesh.system.nodes();
    Random random(20);
    for (Index i = 0; i < n; ++i) mesh.system.value(mesh.system.entry(i, i)).diagonal().setZero();
    REQUIRE_MESSAGE(mesh.system.factorize(), mesh.system.failure());
    const VecX rhs = random_vector(random, 3 * n);
    VecX y;
    mesh.system.solve(rhs, x);
    mesh.system.multiply(x, y);
    CHECK((y - rhs).norm() <= 1e-11 * rhs.norm());
}

TEST_CASE("general block system: singular matrices and numbers that are none are refused, and named") {
    MeshSystem mesh(6, 3);
    const Index n = mesh.system.nodes();
    REQUIRE_MESSAGE(mesh.system.factorize(), mesh.system.failure());
    SUBCASE("row of zeros") {
        for (Index j = 0; j < n; ++j) {
            if (mesh.system.contains(100, j)) mesh.system.value(mesh.system.entry(100, j)).row(1).setZero();
        }
        CHECK_FALSE(mesh.system.factorize());
        CHECK_FALSE(mesh.system.has_factor());
        CHECK(mesh.system.failure().find("row of node 100, component y") != std::string::npos);
    }
    SUBCASE("column of zeros") {
        for (Index i = 0; i < n; ++i) {
            if (mesh.system.contains(i, 7)) mesh.system.value(mesh.system.entry(i, 7)).col(2).setZero();
        }
        CHECK_FALSE(mesh.system.factorize());
        CHECK(mesh.system.failure().find("column of node 7, component z") != std::string::npos);
    }
    SUBCASE("two equal rows") {
        for (Index j = 0; j < n; ++j) {
            if (!mesh.system.contains(50, j)) continue;
            Mat3& block = mesh.system.value(mesh.system.entry(50, j));
            block.row(2) = block.row(0);
        }
        CHECK_FALSE(mesh.system.factorize());
        CHECK(mesh.system.failure().find("singular") != std::string::npos);
    }
    SUBCASE("two proportional columns, of very different size") {
        for (Index i = 0; i < n; ++i) {
            if (!mesh.system.contains(i, 50)) continue;
            Mat3& block = mesh.system.value(mesh.system.entry(i, 50));
            block.col(2) = -0x1p-40 * block.col(0);
        }
        CHECK_FALSE(mesh.system.factorize());
        INFO(mesh.system.failure());
        CHECK(mesh.system.failure().find("node 50") != std::string::npos);
    }
    SUBCASE("not a number, infinity") {
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            mesh.assemble(3, 2.0);
            mesh.system.value(mesh.system.entry(0, 1))(2, 1) = bad;
            CHECK_FALSE(mesh.system.factorize());
            CHECK_FALSE(mesh.system.has_factor());
            CHECK(mesh.system.failure().find("block (0, 1)") != std::string::npos);
        }
    }
    mesh.assemble(3, 2.0);
    CHECK(mesh.system.factorize());  // and it recovers
    CHECK(mesh.system.failure().empty());
}

TEST_CASE("general block system: singular to rounding is refused, badly conditioned is not") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Index n = 60;
        std::vector<Edge> pairs = random_pairs(random, n, 200);
        for (Index i = 0; i + 1 < n; ++i) pairs.push_back({i, i + 1});
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        fill_general(random, pairs, system);
        // Row sums of zero: the same translation of all nodes costs nothing. As non-symmetric as before.
        for (Index i = 0; i < n; ++i) {
            Mat3 sum = Mat3::Zero();
            for (Index j = 0; j < n; ++j) sum += system.block(i, j);
            system.add_diagonal(i, -sum);
        }
        const bool is_refused = !system.factorize();
        INFO("seed ", seed, ": ", system.failure());
        CHECK(is_refused);
        system.add_diagonal(0, 1e-9 * Mat3::Identity());
        CHECK(system.factorize());
    }
}

TEST_CASE("general block system: badly scaled is not singular") {
    // Soft nodes beside stiff ones, over forty decades, rows and columns differing by a few.
    std::vector<Edge> pairs;
    for (Index i = 0; i + 1 < 40; ++i) pairs.push_back({i, i + 1});
    Random random(31);
    GeneralBlockSystem system;
    system.set_pattern(40, pairs);
    fill_general(random, pairs, system, 4.0);
    const auto node_scale = [](Index i) { return std::pow(10.0, (7 * i) % 40 - 20); };
    const auto extra = [](Index i) { return std::pow(10.0, (3 * i) % 5 - 2); };
    VecX exact(120), b, x;
    for (Index i = 0; i < 40; ++i) {
        for (Index j = std::max(0, i - 1); j < std::min(40, i + 2); ++j)
            system.value(system.entry(i, j)) *= extra(i) * node_scale(i) * (node_scale(j) / extra(j));
        exact.segment<3>(3 * i) = Vec3(1, 2, 3) * extra(i) / node_scale(i);
    }
    system.multiply(exact, b);
    REQUIRE_MESSAGE(system.factorize(), system.failure());
    system.solve(b, x);
    CHECK((x.cwiseQuotient(exact) - VecX::Ones(120)).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("scaling: powers of two, unit rows and columns, symmetric for what is symmetric") {
    Random random(37);
    const auto pairs = random_pairs(random, 30, 100);
    const BlockPattern pattern = BlockPattern::from_pairs(30, pairs);
    const auto transposed = transposed_entries(pattern);
    std::vector<Mat3> values(pattern.row_entries.size());
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(90, 90);
    for (Index i = 0; i < 30; ++i) {
        for (Index e = pattern.row_begin[i]; e < pattern.row_begin[i + 1]; ++e) {
            const Index j = pattern.row_entries[e].column, back = transposed[e];
            CHECK(pattern.row_entries[back].column == i);
            CHECK((back >= pattern.row_begin[j] && back < pattern.row_begin[j + 1]));
            for (auto& value : values[e].reshaped()) value = std::pow(10.0, uniform(random, -15.0, 15.0));
            dense.block<3, 3>(3 * i, 3 * j) = values[e];
        }
    }
    LuScaling scaling;
    scaling.set(pattern, values, transposed);
    const Eigen::MatrixXd scaled = scaling.rows.asDiagonal() * dense * scaling.columns.asDiagonal();
    for (Index k = 0; k < 90; ++k) {
        for (const double scale : {scaling.rows[k], scaling.columns[k]})
            CHECK(std::ldexp(1.0, std::ilogb(scale)) == scale);
        for (const double size : {scaled.row(k).maxCoeff(), scaled.col(k).maxCoeff()}) {
            CHECK(size >= 0.125);
            CHECK(size <= 2.0);
        }
    }
    for (std::size_t e = 0; e < values.size(); ++e) {
        const auto back = static_cast<std::size_t>(transposed[e]);
        if (back < e) values[e] = -values[back].transpose();
        if (back == e) values[e] = (values[e] + values[e].transpose()).eval();
    }
    scaling.set(pattern, values, transposed);
    CHECK(same_bits(scaling.rows, scaling.columns));
}
