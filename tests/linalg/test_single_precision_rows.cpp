#include "stiction/base/error.hpp"
#include "stiction/linalg/single_precision_rows.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("products with entries in single precision are those of the rounded dense matrix") {
    Random random(7);
    for (const Index nodes : {1, 5, 40, 300}) {
        CAPTURE(nodes);
        const std::vector<Edge> pairs = random_pairs(random, nodes, 4 * nodes);
        BlockSystem system;
        system.set_pattern(nodes, pairs);
        const Eigen::MatrixXd dense = fill_positive_definite(random, pairs, system);
        SinglePrecisionRows rows;
        rows.fill(system);
        const VecX x = random_vector(random, 3 * nodes);
        VecX product, exact;
        rows.multiply(x, product);
        const Eigen::MatrixXd rounded = dense.cast<float>().cast<double>();
        const Eigen::VectorXd most = dense.cwiseAbs() * x.cwiseAbs();
        // Entries of the two dense matrices may round to neighbours: they are sums in another order.
        CHECK(((product - rounded * x).cwiseAbs().array() <= 1e-7 * most.array()).all());
        system.multiply(x, exact);
        CHECK(((product - exact).cwiseAbs().array() <= 6e-8 * most.array()).all());
        CHECK((product - exact).norm() > 1e-10 * exact.norm());
    }
}

TEST_CASE("products with entries that single precision holds are exact to double precision") {
    Random random(8);
    const Index nodes = 200;
    const std::vector<Edge> pairs = random_pairs(random, nodes, 900);
    BlockSystem system;
    system.set_pattern(nodes, pairs);
    system.set_zero();
    for (Index i = 0; i < nodes; ++i) {
        const Mat3 block = random_block(random);
        system.add_diagonal(i, (block + block.transpose()).cast<float>().cast<double>());
    }
    for (const auto& [i, j] : pairs) {
        if (i != j) system.add(i, j, (8.0 * random_block(random)).array().round().matrix());
    }
    SinglePrecisionRows rows;
    rows.fill(system);
    const VecX x = random_vector(random, 3 * nodes);
    VecX product, exact;
    rows.multiply(x, product);
    system.multiply(x, exact);
    CHECK((product - exact).norm() <= 1e-15 * std::sqrt(3.0 * nodes) * exact.norm());
    CHECK_THROWS_AS(rows.multiply(VecX::Zero(3), product), InternalError);
}
