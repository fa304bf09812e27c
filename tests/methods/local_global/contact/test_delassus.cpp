// Rows and the Delassus operator against dense matrices.
#include "dense_operator.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact/delassus.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

TEST_CASE("rows and their transpose are H and H^T") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 2 + random_index(random, 30);
        const ContactRows rows = random_rows(random, n, random_index(random, 20), random_index(random, 6));
        const Eigen::MatrixXd jacobian = dense_jacobian(rows, n);
        const VecX q = random_values(random, 3 * n), z = random_values(random, rows.row_count());
        std::vector<double> columns(static_cast<std::size_t>(3 * rows.column_count()));
        VecX out = VecX::Zero(rows.row_count()), b = VecX::Zero(3 * n);
        rows.column_values(q.data(), columns.data());
        rows.row_values(columns.data(), true, out.data());
        CHECK((out - jacobian * q - Eigen::Map<const VecX>(rows.constants.data(), rows.row_count())).norm() <=
              1e-13 * (1.0 + q.norm()));
        rows.column_forces(z.data(), columns.data());
        rows.add_to_unknowns(columns.data(), b.data());
        CHECK((b - jacobian.transpose() * z).norm() <= 1e-13 * (1.0 + z.norm()));
    }
}

TEST_CASE("W, its diagonal and the positions against the dense inverse, formed and applied") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 2 + random_index(random, 120);
        const DenseOperator system(random_scalar_system(random, n, std::pow(10.0, uniform(random, -1.0, 4.0))));
        const ContactRows rows = random_rows(random, n, random_index(random, 90), random_index(random, 6));
        const Eigen::MatrixXd jacobian = dense_jacobian(rows, n), inverse = dense_inverse(system),
                              delassus = jacobian * inverse * jacobian.transpose();
        const VecX z = random_values(random, rows.row_count()), free = random_values(random, 3 * n);
        DelassusOperator product;
        for (const DelassusKind kind : {DelassusKind::formed, DelassusKind::applied, DelassusKind::formed}) {
            product.prepare(rows, system, kind, 10);
            CHECK(product.formed() == (kind == DelassusKind::formed));
            VecX out(rows.row_count()), q(3 * n);
            product.multiply(z.data(), out.data());
            CHECK((out - delassus * z).norm() <= 1e-11 * delassus.norm() * z.norm());
            const Eigen::Map<const VecX> diagonal(product.diagonal().data(), rows.row_count());
            CHECK((diagonal - delassus.diagonal()).norm() <= 1e-12 * delassus.diagonal().norm());
            product.positions(free.data(), z.data(), q.data());
            CHECK((q - free - inverse * (jacobian.transpose() * z)).norm() <=
                  1e-13 * free.norm() + 1e-11 * inverse.norm() * 3.0 * z.norm());
        }
    }
}

TEST_CASE("values and positions from the first half of a solve against the dense inverse") {
    int halves = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        // The last have more columns than products() takes at once, over both bases.
        const bool large = seed >= 28;
        const Index n = large ? 400 : 2 + random_index(random, 120);
        const DenseOperator system(random_scalar_system(random, n, std::pow(10.0, uniform(random, -1.0, 4.0))));
        const Index contacts = large ? (seed == 28 ? 150 : 500) : random_index(random, 60);
        const ContactRows rows = random_rows(random, n, contacts, random_index(random, 6));
        const Eigen::MatrixXd jacobian = dense_jacobian(rows, n), inverse = dense_inverse(system);
        const VecX b = random_values(random, 3 * n), z = random_values(random, rows.row_count()),
                   present = random_values(random, 3 * n);
        DelassusOperator product;
        product.prepare(rows, system, DelassusKind::applied, 10);
        CHECK(!product.keeps_half());
        product.prepare(rows, system, DelassusKind::formed, 10);
        if (!product.keeps_half()) continue;
        ++halves;
        VecX y(3 * n), out(rows.row_count()), q(3 * n);
        system.solve_first_half(b.data(), y.data());
        product.values_of_half(y.data(), out.data());
        const VecX moved = inverse * b, responded = inverse * (jacobian.transpose() * z);
        CHECK((out - jacobian * moved).norm() <= 1e-11 * jacobian.norm() * inverse.norm() * b.norm());
        product.positions_of_half(present.data(), y.data(), z.data(), q.data());
        CHECK((q - present - moved - responded).norm() <=
              1e-13 * present.norm() + 1e-11 * inverse.norm() * (b.norm() + 3.0 * z.norm()));
    }
    CHECK(halves > 10);
}

TEST_CASE("no rows and no unknowns of a row") {
    Random random(3);
    const DenseOperator system(random_scalar_system(random, 5, 1.0));
    ContactRows rows;
    DelassusOperator product;
    for (const DelassusKind kind : {DelassusKind::formed, DelassusKind::applied, DelassusKind::automatic}) {
        product.prepare(rows, system, kind, 10);
        const VecX free = random_values(random, 15);
        VecX q(15);
        product.positions(free.data(), nullptr, q.data());
        CHECK(q == free);
    }
    rows.add_contact({}, {}, Mat3::Identity(), 0.1, Vec2::Zero(), 0.5);  // two driven sides
    product.prepare(rows, system, DelassusKind::formed, 10);
    CHECK(product.diagonal() == std::vector<double>(3, 0.0));
}

TEST_CASE("same bits for any number of threads") {
    Random random(5);
    const Index n = 300;
    const DenseOperator system(random_scalar_system(random, n, 100.0));
    const ContactRows rows = random_rows(random, n, 200, 7);
    const VecX z = random_values(random, rows.row_count());
    for (const DelassusKind kind : {DelassusKind::formed, DelassusKind::applied}) {
        std::vector<VecX> results;
        for (const int threads : {1, 2, 3}) {
            set_thread_count(threads);
            DelassusOperator product;
            product.prepare(rows, system, kind, 10);
            VecX out(rows.row_count());
            product.multiply(z.data(), out.data());
            results.push_back(out);
        }
        set_thread_count(0);
        CHECK(results[0] == results[1]);
        CHECK(results[0] == results[2]);
    }
}

TEST_CASE("products with selected rows, and the moves of columns, over both bases") {
    // Many contacts on few unknowns make unknowns the basis; few contacts on many make columns the basis.
    for (const auto& [n, contacts] : {std::array<Index, 2>{12, 80}, std::array<Index, 2>{120, 15}}) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            CAPTURE(n);
            CAPTURE(seed);
            Random random(seed);
            const DenseOperator system(random_scalar_system(random, n, 100.0));
            const ContactRows rows = random_rows(random, n, contacts, 4);
            const Eigen::MatrixXd jacobian = dense_jacobian(rows, n),
                                  delassus = jacobian * dense_inverse(system) * jacobian.transpose();
            DelassusOperator product;
            product.prepare(rows, system, DelassusKind::formed, 10);
            // Every third contact is selected; the others have no force.
            std::vector<double> indicator(static_cast<std::size_t>(rows.row_count()), 0.0);
            VecX z = VecX::Zero(rows.row_count());
            for (Index j = 0; j < rows.row_count(); ++j) {
                if (j < 3 * contacts && (j / 3) % 3 != 0) continue;
                indicator[static_cast<std::size_t>(j)] = 1.0;
                z[j] = uniform(random);
            }
            product.select(indicator);
            VecX out(rows.row_count());
            product.multiply_selected(z.data(), out.data());
            for (Index j = 0; j < rows.row_count(); ++j) {
                if (indicator[static_cast<std::size_t>(j)] == 0.0) continue;
                const double expected = delassus.row(j) * z;
                CHECK(out[j] == within(expected, 1e-11 * delassus.norm() * z.norm()));
            }
            std::vector<double> forces(static_cast<std::size_t>(3 * rows.column_count()));
            rows.column_forces(z.data(), forces.data());
            PlanarColumns moves;
            product.formed_values(forces.data(), moves);
            product.add_formed(1, Vec3(0.3, -0.2, 0.1), moves);
            for (std::size_t k = 0; k < 3; ++k) forces[3 + k] += Vec3(0.3, -0.2, 0.1)[static_cast<Index>(k)];
            VecX pushed = VecX::Zero(3 * n), columns(3 * rows.column_count());
            rows.add_to_unknowns(forces.data(), pushed.data());
            const VecX moved = dense_inverse(system) * pushed;
            rows.column_values(moved.data(), columns.data());
            for (Index c = 0; c < rows.column_count(); ++c)
                CHECK((product.formed_value(moves, static_cast<std::size_t>(c)) - columns.segment<3>(3 * c)).norm() <=
                      1e-11 * delassus.norm() * (1.0 + z.norm()));
        }
    }
}

TEST_CASE("few unknowns are formed, many are applied") {
    Random random(9);
    const Index n = 200;
    const DenseOperator system(random_scalar_system(random, n, 1.0));
    DelassusOperator product;
    product.prepare(random_rows(random, n, 5, 0), system, DelassusKind::automatic, 6);
    CHECK(product.formed());
    // 2000 contacts meet all of the 200 unknowns. Their part of the inverse costs more than six products by solves.
    product.prepare(random_rows(random, n, 2000, 0), system, DelassusKind::automatic, 6);
    CHECK(!product.formed());
}

namespace {

/// An operator whose solves between some unknowns are whole solves.
class WholeSolves final : public FactoredOperator {
public:
    explicit WholeSolves(const FactoredOperator& other) : other_(other) {}
    Index size() const override { return other_.size(); }
    void solve(const double* b, double* x) const override { other_.solve(b, x); }
    void solve_first_half(const double* b, double* half) const override { other_.solve_first_half(b, half); }
    void solve_second_half(const double* half, double* x) const override { other_.solve_second_half(half, x); }
    Index position(Index unknown) const override { return other_.position(unknown); }
    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override {
        other_.append_half_column(unknown, rows, values);
    }
    std::size_t bytes() const override { return other_.bytes(); }
    double entries() const override { return other_.entries(); }

private:
    const FactoredOperator& other_;
};

}  // namespace

TEST_CASE("an applied W by solves of parts has the numbers of whole solves, all rows and selected ones") {
    DelassusOperator of_parts, of_whole;  // reused: nothing of an earlier system may remain
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 40 + random_index(random, 300), contacts = random_index(random, 20);
        const Eigen::MatrixXd matrix = random_scalar_system(random, n, 100.0);
        const auto parts = factor_operator(matrix.sparseView(), OperatorKind::automatic);
        const WholeSolves whole(*parts);
        const ContactRows rows = random_rows(random, n, contacts, random_index(random, 5));
        of_parts.prepare(rows, *parts, DelassusKind::applied, 10);
        of_whole.prepare(rows, whole, DelassusKind::applied, 10);
        const VecX z = random_values(random, rows.row_count());
        VecX some = z, out(rows.row_count()), expected(rows.row_count());
        of_whole.multiply(z.data(), expected.data());
        of_parts.multiply(z.data(), out.data());
        CHECK(out == expected);
        std::vector<double> selected(static_cast<std::size_t>(rows.row_count()), 1.0);
        for (Index j = 0; j < 3 * contacts; ++j) {
            if ((j / 3) % 4 == 0) continue;
            selected[static_cast<std::size_t>(j)] = some[j] = 0.0;
        }
        of_whole.multiply(some.data(), expected.data());
        of_parts.select(selected);
        of_parts.multiply_selected(some.data(), out.data());
        for (Index j = 0; j < rows.row_count(); ++j) {
            if (selected[static_cast<std::size_t>(j)] != 0.0) CHECK(out[j] == expected[j]);
        }
    }
}
