// Checks of what runs on a device against dense matrices and the solvers of the CPU, for any device.
#pragma once

#include "contact_problem.hpp"

#include "stiction/linalg/supernodal/inverse_products.hpp"
#include "stiction/methods/local_global/contact/contact_sweep.hpp"
#include "stiction/methods/local_global/device/device_contacts.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

namespace stiction::test {

/// A sparse system with its inverse, for the CPU and for the device.
template <class Device>
struct DeviceSystem {
    Device device;
    std::unique_ptr<FactoredOperator> on_cpu;
    DeviceInverse<Device> on_device{device};

    explicit DeviceSystem(const Eigen::MatrixXd& matrix) : on_cpu(factor_for_sparse_inverse(matrix.sparseView())) {
        on_device.upload(dynamic_cast<const supernodal::InverseProducts&>(*on_cpu).inverse());
    }
};

template <class Device>
using Numbers = typename Device::template Array<double>;

template <class Device>
Numbers<Device> uploaded(const std::vector<double>& values) {
    Numbers<Device> result;
    result.upload(values);
    return result;
}

template <class Device>
Numbers<Device> empty(std::size_t count) {
    return uploaded<Device>(std::vector<double>(count));
}

template <class Array>
std::vector<double> downloaded(const Array& array) {
    std::vector<double> result(array.size());
    array.download(result.data());
    return result;
}

inline std::vector<double> random_numbers(Random& random, std::size_t count) {
    std::vector<double> result(count);
    for (double& value : result) value = uniform(random);
    return result;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double result = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] - b[i]));
    return result;
}

inline double largest_size(const std::vector<double>& a) {
    double result = 0.0;
    for (const double value : a) result = std::max(result, std::abs(value));
    return result;
}

inline double norm(const std::vector<double>& a) {
    return Eigen::Map<const VecX>(a.data(), static_cast<Eigen::Index>(a.size())).norm();
}

/// Bodies with names: a CUDA compiler takes no lambda of a test.
struct SquareOf {
    const double* x;
    STICTION_HD double operator()(std::size_t i) const { return x[i] * x[i]; }
};
struct SizeOf {
    const double* x;
    STICTION_HD double operator()(std::size_t i) const { return x[i] < 0.0 ? -x[i] : x[i]; }
};
struct DenseRow {
    const double* matrix;
    std::size_t size;
    const double* in;
    double* out;
    STICTION_HD void operator()(std::size_t i) const {
        out[i] = 0.0;
        for (std::size_t j = 0; j < size; ++j) out[i] += matrix[j * size + i] * in[j];
    }
};
/// A dense matrix by columns on the device, as DeviceResidual takes a product.
template <class Device>
struct DenseProduct {
    Device& device;
    const double* matrix;
    std::size_t size;
    double *scaled, *product;

    struct Parts {
        double *scaled, *product;
        std::size_t size;
        template <class Team>
        STICTION_HD void before(const Team& team, const double* scale, const double* in) const {
            for (std::size_t i = team.rank(); i < size; i += team.size()) scaled[i] = scale[i] * in[i];
        }
        template <class Team>
        STICTION_HD void after(const Team& team, const double* scale, const double*, double* out) const {
            for (std::size_t i = team.rank(); i < size; i += team.size()) out[i] = scale[i] * product[i];
        }
    };
    Parts parts() const { return {scaled, product, size}; }
    void apply() const { device.for_each(size, DenseRow{matrix, size, scaled, product}); }
};

/// Sums and largest numbers of every length, and the same bits twice.
template <class Device>
void check_reductions() {
    Random random(3);
    Device device;
    for (const std::size_t count : {0, 1, 31, 255, 256, 257, 1023, 1025, 5000, 300000}) {
        CAPTURE(count);
        const std::vector<double> values = random_numbers(random, count);
        const Numbers<Device> array = uploaded<Device>(values);
        Numbers<Device> sums = empty<Device>(2);
        const double* x = array.data();
        for (const std::size_t k : {0, 1}) device.sum(count, SquareOf{x}, sums.data() + k);
        long double expected = 0.0;
        for (const double value : values) expected += static_cast<long double>(value) * value;
        const std::vector<double> made = downloaded(sums);
        CHECK(made[0] == made[1]);
        CHECK(std::abs(made[0] - static_cast<double>(expected)) <= 1e-14 * static_cast<double>(expected));
        CHECK(device.largest(count, SizeOf{x}) == largest_size(values));
    }
    std::vector<double> with_nan = random_numbers(random, 3000);
    with_nan[1234] = std::numeric_limits<double>::quiet_NaN();
    const Numbers<Device> array = uploaded<Device>(with_nan);
    CHECK(std::isnan(device.largest(with_nan.size(), SizeOf{array.data()})));
}

/// Solves with the sparse inverse against the matrix itself and the factor's own halves. The last system has rows that
/// are cut into several pieces.
template <class Device>
void check_solves() {
    for (std::uint64_t seed = 0; seed < 21; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = seed < 20 ? 5 + random_index(random, 120) : 1800;
        const Eigen::MatrixXd matrix = random_scalar_system(random, n, 10.0);
        DeviceSystem<Device> system(matrix);
        const std::vector<double> b = random_numbers(random, static_cast<std::size_t>(3 * n));
        const Numbers<Device> right = uploaded<Device>(b);
        Numbers<Device> solution = empty<Device>(b.size()), half = empty<Device>(b.size());
        system.on_device.solve(right.data(), solution.data());
        system.on_device.first_half(right.data(), half.data());
        const std::vector<double> x = downloaded(solution);
        double error = 0.0;
        for (Index axis = 0; axis < 3; ++axis) {
            VecX values(n), expected(n);
            for (Index i = 0; i < n; ++i) {
                values[i] = x[static_cast<std::size_t>(3 * i + axis)];
                expected[i] = b[static_cast<std::size_t>(3 * i + axis)];
            }
            error = std::max(error, (matrix * values - expected).cwiseAbs().maxCoeff());
        }
        CHECK(error < 1e-11);
        if (n == 1800) CHECK(system.on_device.pieces() > system.on_device.groups());
        std::vector<double> expected_half(b.size());
        system.on_cpu->solve_first_half(b.data(), expected_half.data());
        CHECK(largest_difference(downloaded(half), expected_half) < 1e-12 * largest_size(expected_half));
    }
}

/// Products with the Delassus operator against dense matrices.
template <class Device>
void check_delassus() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 8 + random_index(random, 60);
        const Eigen::MatrixXd matrix = random_scalar_system(random, n, 10.0);
        DeviceSystem<Device> system(matrix);
        const DenseOperator dense(matrix);
        const ContactRows rows = random_rows(random, n, 9, 4);
        DeviceContacts<Device> contacts(system.device, system.on_device, {});
        contacts.prepare(rows, std::vector<double>(static_cast<std::size_t>(rows.row_count()), 0.0), time_step);
        const Eigen::MatrixXd jacobian = dense_jacobian(rows, n);
        const Eigen::MatrixXd expected = jacobian * dense_inverse(dense) * jacobian.transpose();
        const std::vector<double> z = random_numbers(random, static_cast<std::size_t>(rows.row_count()));
        const Numbers<Device> in = uploaded<Device>(z);
        Numbers<Device> out = empty<Device>(z.size());
        contacts.multiply(in.data(), out.data());
        const std::vector<double> product = downloaded(out);
        const VecX exact = expected * Eigen::Map<const VecX>(z.data(), rows.row_count());
        REQUIRE(exact.norm() > 0.0);
        CHECK((Eigen::Map<const VecX>(product.data(), rows.row_count()) - exact).norm() < 1e-12 * exact.norm());
    }
}

/// Conjugate residuals against those of the CPU, on full and on singular matrices, and for b = 0. The matrices are well
/// conditioned on their range: else rounding decides how much of it the iterations reach. Every third is not, and only
/// its residual is compared.
template <class Device>
void check_conjugate_residual() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 4 + random_index(random, 20);
        const bool ill_conditioned = seed % 3 == 2;
        const Index rank = ill_conditioned ? n - static_cast<Index>(seed % 2) : (seed % 2 == 0 ? 3 * n : n / 2);
        const auto size = static_cast<std::size_t>(n);
        const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, rank, [&] { return uniform(random); });
        const Eigen::MatrixXd matrix = root * root.transpose();
        std::vector<double> scale(size);
        for (Index i = 0; i < n; ++i) scale[static_cast<std::size_t>(i)] = 1.0 / std::sqrt(matrix(i, i));
        scale.front() = 0.0;  // a row that is left out
        const std::vector<double> b = seed % 5 == 4 ? std::vector<double>(size, 0.0) : random_numbers(random, size);
        Device device;
        const Numbers<Device> entries =
            uploaded<Device>(std::vector<double>(matrix.data(), matrix.data() + matrix.size()));
        const Numbers<Device> scales = uploaded<Device>(scale);
        for (const int iterations : {1, 4, 60}) {
            std::vector<double> right = b, expected(size);
            ConjugateResidual().solve(
                scale,
                [&](const double* in, double* out) {
                    Eigen::Map<VecX>(out, n) = matrix * Eigen::Map<const VecX>(in, n);
                },
                iterations, 1e-8, right, expected);
            Numbers<Device> ours_right = uploaded<Device>(b), ours = empty<Device>(size), scaled = empty<Device>(size),
                            product = empty<Device>(size);
            DeviceResidual<Device> residual(device);
            residual.resize(size);
            residual.solve(scales.data(),
                           DenseProduct<Device>{device, entries.data(), size, scaled.data(), product.data()},
                           iterations, 1e-8, ours_right.data(), ours.data());
            const std::vector<double> solution = downloaded(ours);
            if (ill_conditioned && iterations > 4) {
                CHECK(std::abs(norm(downloaded(ours_right)) - norm(right)) <= 1e-6 * norm(b));
                CHECK(std::isfinite(norm(solution)));
            } else {
                CHECK(largest_difference(solution, expected) <= 1e-9 * largest_size(expected));
            }
        }
    }
}

template <class Device>
void compare_contact_solves(DeviceSystem<Device>& system, const ContactRows& rows, const std::vector<double>& free,
                            const ContactSolverOptions& options) {
    ContactSolver solver(options);
    solver.prepare(rows, *system.on_cpu, time_step, nullptr);
    DeviceContacts<Device> contacts(system.device, system.on_device, options);
    std::vector<double> lambda(static_cast<std::size_t>(rows.row_count()), 0.0), ours, acting, q(free.size()),
        expected_acting(lambda.size());
    contacts.prepare(rows, lambda, time_step);
    const Numbers<Device> on_device = uploaded<Device>(free);
    Numbers<Device> ours_q = empty<Device>(free.size());
    ContactResidual residual;
    for (int k = 0; k < 3; ++k) {
        residual = solver.solve({.free = free.data(), .last = nullptr, .lambda = lambda.data(), .q = q.data()});
        contacts.solve(on_device.data(), ours_q.data());
    }
    solver.row_forces(expected_acting.data());
    contacts.download(ours, acting);
    const double scale = largest_size(lambda);
    REQUIRE(scale > 0.0);
    CHECK(largest_difference(ours, lambda) < 1e-7 * scale);
    CHECK(largest_difference(acting, expected_acting) < 1e-7 * scale);
    CHECK(largest_difference(downloaded(ours_q), q) < 1e-7 * largest_size(q));
    const ContactResidual device_residual = contacts.residual(ours_q.data());
    CHECK(std::abs(device_residual.normal - residual.normal) < 1e-7);
    CHECK(std::abs(device_residual.friction - residual.friction) < 1e-7);
    CHECK(std::abs(device_residual.bilateral - residual.bilateral) < 1e-7);
    CHECK(std::abs(device_residual.penetration - residual.penetration) < 1e-7);
}

/// Contact solves against those of the CPU.
template <class Device>
void check_contact_solves(std::uint64_t seeds = 24) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 10 + random_index(random, 40);
        DeviceSystem<Device> system(random_scalar_system(random, n, 10.0));
        ContactRows rows = random_rows(random, n, 8, 3);
        rows.one_sided[0] = 1;
        const auto size = static_cast<std::size_t>(3 * n);
        const std::vector<double> free = random_numbers(random, size);
        for (const NcpFunction function : functions) {
            for (const FrictionLinearisation friction : linearisations) {
                ContactSolverOptions options = with(function, IndicatorUse::newton, 10, friction);
                options.delassus = DelassusKind::formed;
                compare_contact_solves(system, rows, free, options);
            }
        }
    }
}

/// Rows whose second contact is one that no force moves, and whose second bilateral row is one-sided.
inline ContactRows rows_to_sweep(Random& random, Index n, Index contacts, Index bilaterals) {
    ContactRows rows = random_rows(random, n, contacts, bilaterals);
    if (contacts > 1) {
        for (Index k = rows.column_start[1]; k < rows.column_start[2]; ++k) rows.weights[at(k)] = 0.0;
    }
    if (bilaterals > 1) rows.one_sided[1] = 1;
    return rows;
}

/// Sweeps against those of the CPU, also over more contacts than take turns in one group.
template <class Device>
void check_sweeps() {
    const std::pair<Index, Index> shapes[] = {{0, 3}, {1, 3}, {63, 0}, {64, 3}, {65, 0}, {65, 3}, {200, 3}};
    for (const auto& [contacts, bilaterals] : shapes) {
        CAPTURE(contacts);
        CAPTURE(bilaterals);
        Random random(static_cast<std::uint64_t>(contacts + 1000 * bilaterals));
        const Index n = 100 + contacts;
        DeviceSystem<Device> system(random_scalar_system(random, n, 10.0));
        const ContactRows rows = rows_to_sweep(random, n, contacts, bilaterals);
        DelassusOperator delassus;
        delassus.prepare(rows, *system.on_cpu, DelassusKind::formed, 1);
        ContactSweep sweep;
        sweep.prepare(rows, delassus, time_step * time_step);
        const auto size = static_cast<std::size_t>(rows.row_count());
        const std::vector<double> free = random_numbers(random, size), start = random_numbers(random, size);
        for (const int times : {1, 2, 3}) {
            CAPTURE(times);
            std::vector<double> expected = start;
            for (std::size_t k = 0; k < at(contacts); ++k) project_onto_cone(rows.friction[k], expected.data() + 3 * k);
            sweep.run(free, expected, times);
            DeviceConstraintRows<Device> on_device(system.device);
            on_device.upload(rows, at(n));
            DeviceDelassus<Device> ours(system.device, system.on_device, on_device);
            ours.prepare(rows);
            Numbers<Device> z = uploaded<Device>(start);
            const Numbers<Device> values = uploaded<Device>(free);
            DeviceSweep<Device> our_sweep(system.device, ours, on_device);
            our_sweep.resize();
            our_sweep.run(values.data(), time_step * time_step, times, z);
            CHECK(largest_difference(downloaded(z), expected) <= 1e-11 * largest_size(expected));
        }
    }
}

}  // namespace stiction::test
