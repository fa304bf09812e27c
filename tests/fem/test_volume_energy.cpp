// Energies of a filled volume: derivatives, pressure, and what they are at no volume.
#include "stiction/base/parallel.hpp"
#include "stiction/math/derivative_check.hpp"

#include "fem/volume_zones.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

constexpr VolumeLawKind kinds[] = {VolumeLawKind::quadratic, VolumeLawKind::ideal_gas,
                                   VolumeLawKind::nearly_incompressible, VolumeLawKind::regulator};

VecX energy_gradient(const VolumeEnergy& energy, const VecX& x) {
    VecX g = VecX::Zero(x.size());
    energy.add_gradient(energy.expand(x), 1.0, g);
    return g;
}

/// Rank-one part plus sparse part, from the pieces that the library offers.
Eigen::MatrixXd energy_hessian(const VolumeEnergy& energy, const VecX& x) {
    const VolumeExpansion at = energy.expand(x);
    VecX g = VecX::Zero(x.size());
    energy.zone.add(at.gradient, 1.0, g);
    return at.curvature * g * g.transpose() + sparse_hessian(energy.zone, x, at.slope);
}

}  // namespace

TEST_CASE("volume energies: gradient, rank-one plus sparse Hessian, and products, for every law") {
    constexpr unsigned seed = 63;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedZone& named : zones(generator)) {
        const VecX x = named.rest + random_vector(named.rest.size(), 0.02, generator);
        const VecX p = random_vector(x.size(), 1.0, generator);
        for (const VolumeLawKind kind : kinds) {
            for (const double overpressure : {0.0, 6e4}) {
                CAPTURE(named.name);
                CAPTURE(volume_law_name(kind));
                CAPTURE(overpressure);
                const VolumeEnergy energy{named.zone,
                                          {kind, compressibility_from_per_atmosphere(0.5), 1e5, overpressure},
                                          1.1 * named.zone.rest_volume()};
                const DerivativeCheck check =
                    check_derivatives([&](const VecX& y) { return energy.value(y); },
                                      [&](const VecX& y) { return energy_gradient(energy, y); },
                                      [&](const VecX& y) { return energy_hessian(energy, y); }, x, 0.1);
                CHECK(check.gradient_error < 1e-8);
                CHECK(check.hessian_error < 1e-8);
                CHECK(check.hessian_asymmetry < 1e-15);

                const VolumeExpansion at = energy.expand(x);
                CHECK(at.volume == named.zone.volume(x));
                CHECK(at.value == energy.value(x));
                CHECK(at.slope == -energy.pressure(x));
                const Eigen::MatrixXd full = energy_hessian(energy, x);
                const Eigen::MatrixXd sparse = sparse_hessian(energy.zone, x, at.slope);
                const auto product = [&](VolumeHessian parts) {
                    VecX out = VecX::Ones(x.size());
                    energy.add_hessian_product(at, x, p, parts, 2.0, out);
                    return VecX(0.5 * (out - VecX::Ones(x.size())));
                };
                const double size = (full * p).norm() + (sparse * p).norm() + 1e-16;  // the added ones round too
                CHECK((product(VolumeHessian::full) - full * p).norm() < 1e-12 * size);
                CHECK((product(VolumeHessian::sparse) - sparse * p).norm() < 1e-12 * size);
                CHECK((product(VolumeHessian::rank_one) - (full - sparse) * p).norm() < 1e-12 * size);
                CHECK(energy.zone.directional_derivative(x, p) ==
                      relative(zone_gradient(energy.zone, x).dot(p), 1e-12));
            }
        }
    }
}

TEST_CASE("the surface carries the gauge pressure: net force on half a sphere, and no force at rest") {
    const Mesh sphere = generate_icosphere(0.5, 4);
    const VolumeZone zone = VolumeZone::from_surface(sphere.vertices, sphere.triangles);
    VolumeEnergy energy{zone, {VolumeLawKind::ideal_gas, 1.0, standard_atmosphere, 0.0}, zone.rest_volume()};
    const VecX x = stacked(sphere.vertices);
    CHECK(energy_gradient(energy, x).cwiseAbs().maxCoeff() == 0.0);
    for (const double overpressure : {2e4, 5e4}) {  // set between steps
        energy.law.overpressure = overpressure;
        CHECK(energy.pressure(x) == overpressure);
        const VecX force = -energy_gradient(energy, x);
        double upper = 0.0;
        for (Eigen::Index v = 0; v < x.size() / 3; ++v) upper += std::max(0.0, force[3 * v + 1]);
        CHECK(upper == relative(overpressure * pi * 0.25, 0.005));
    }
    // compressed to half the volume, the gas doubles its absolute pressure
    energy.law.overpressure = 0.0;
    const VecX half = std::cbrt(0.5) * x;
    CHECK(energy.pressure(half) == relative(standard_atmosphere, 1e-12));
    CHECK(energy.value(half) == relative(standard_atmosphere * zone.rest_volume() * (std::log(2.0) - 0.5), 1e-12));
}

TEST_CASE("a zone turned inside out: infinite for laws with a logarithm, finite for the others") {
    const Mesh sphere = generate_icosphere(0.5, 1);
    const VolumeZone zone = VolumeZone::from_surface(sphere.vertices, sphere.triangles);
    const VecX x = -0.5 * stacked(sphere.vertices);
    CHECK(zone.volume(x) == relative(-zone.rest_volume() / 8, 1e-14));
    for (const VolumeLawKind kind : kinds) {
        const VolumeEnergy energy{zone, {kind, 1e-5, 1e5, 0.0}, zone.rest_volume()};
        const bool finite = kind == VolumeLawKind::quadratic || kind == VolumeLawKind::regulator;
        CHECK((energy.value(x) == std::numeric_limits<double>::infinity()) == !finite);
        CHECK(energy_gradient(energy, x).allFinite() == finite);
    }
}

TEST_CASE("same bits for 1 and 2 threads") {
    constexpr unsigned seed = 67;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Mesh hollow = generate_hollow_ball(0.3, 0.1, 16);
    const VecX x = stacked(hollow.vertices) +
                   random_vector(3 * static_cast<Eigen::Index>(hollow.vertices.size()), 1e-3, generator);
    const VecX p = random_vector(x.size(), 1.0, generator);
    const auto bits = [&] {
        const VolumeEnergy energy{VolumeZone::cavity(hollow.vertices, cavity_walls(hollow)[0]),
                                  {VolumeLawKind::ideal_gas, 1, 1e5, 3e4},
                                  0.04};
        const VolumeExpansion at = energy.expand(x);
        VecX out = VecX::Zero(x.size() + 4);
        VecX stacked_out = VecX::Zero(x.size());
        energy.add_gradient(at, 1.0, stacked_out);
        energy.add_hessian_product(at, x, p, VolumeHessian::full, 0.7, stacked_out);
        out << stacked_out, at.volume, at.value, at.slope, energy.zone.directional_derivative(x, p);
        return out;
    };
    set_thread_count(1);
    const VecX one = bits();
    set_thread_count(2);
    const VecX two = bits();
    set_thread_count(0);
    CHECK(one.allFinite());
    CHECK(std::memcmp(one.data(), two.data(), static_cast<std::size_t>(one.size()) * sizeof(double)) == 0);
}
