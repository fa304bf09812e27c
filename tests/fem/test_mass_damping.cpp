#include "stiction/fem/damping.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/gather.hpp"
#include "stiction/fem/mass.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "fem/small_mesh.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <numeric>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

VecX gradient_of(const QuadraticElements& term, const VecX& u) {
    std::vector<Vec12> local;
    term.gradients(u, local);
    VecX g = VecX::Zero(u.size());
    VertexGather(term.vertices, static_cast<Index>(u.size() / 3)).add(local, g);
    return g;
}

Eigen::MatrixXd matrix_of(const QuadraticElements& term, Eigen::Index size) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t e = 0; e < term.size(); ++e) {
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < 4; ++b) {
                A.block<3, 3>(3 * term.vertices[e][a], 3 * term.vertices[e][b]) +=
                    term.matrices[e].block<3, 3>(3 * static_cast<int>(a), 3 * static_cast<int>(b));
            }
        }
    }
    return A;
}

}  // namespace

TEST_CASE("mass totals and the kinetic energy of linear velocity fields") {
    constexpr unsigned seed = 41;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(3, 2.0, generator);  // 8 m^3
    const TetElements elements = elements_of(mesh, MaterialLaw::arap);
    const std::vector<double> density(elements.size(), 700.0);
    std::vector<double> lumped(mesh.rest.size(), 0.0);
    add_lumped_mass(elements, density, lumped);
    CHECK(std::accumulate(lumped.begin(), lumped.end(), 0.0) == relative(5600.0, 1e-13));

    const VecX rest = stacked(mesh.rest);
    const QuadraticElements consistent = consistent_mass_elements(elements, density);
    const VecX ones = VecX::Ones(rest.size());
    CHECK(consistent.energy(ones) == relative(0.5 * 5600.0 * 3.0, 1e-13));
    const VecX row_sums = gradient_of(consistent, ones);
    for (std::size_t v = 0; v < mesh.rest.size(); ++v) {
        CHECK(row_sums[3 * static_cast<Eigen::Index>(v)] == relative(lumped[v], 1e-12));
    }
    // v = (x, 0, 0) on the cube [0, 2]^3: 1/2 rho * integral of x^2 = 1/2 rho * 32/3, exact for the consistent mass.
    const VecX velocity = mapped(rest, Vec3(1, 0, 0).asDiagonal().toDenseMatrix());
    CHECK(consistent.energy(velocity) == relative(0.5 * 700.0 * 32.0 / 3.0, 1e-12));
    // First moment: the lumped mass has the right centre of mass.
    Vec3 moment = Vec3::Zero();
    for (std::size_t v = 0; v < mesh.rest.size(); ++v) moment += lumped[v] * mesh.rest[v];
    CHECK((moment / 5600.0 - Vec3(1, 1, 1)).norm() < 1e-12);
    CHECK((consistent_mass(20.0, 1.0) - (Eigen::Matrix4d::Ones() + Eigen::Matrix4d::Identity())).norm() < 1e-15);
}

TEST_CASE("quadratic terms: energy, gradient and matrix agree") {
    constexpr unsigned seed = 42;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX rest = stacked(mesh.rest);
    const VecX x_t = rest + random_vector(rest.size(), 0.05, generator);
    QuadraticElements damping;
    freeze_rayleigh_damping(elements, std::vector<double>(elements.size(), 1000.0),
                            std::vector<RayleighCoefficients>(elements.size(), {0.7, 0.02}), x_t, damping);
    for (const QuadraticElements& term :
         {damping, consistent_mass_elements(elements, std::vector<double>(elements.size(), 1000.0))}) {
        const VecX u = random_vector(rest.size(), 1.0, generator);
        const DerivativeCheck check = check_derivatives([&](const VecX& y) { return term.energy(y); },
                                                        [&](const VecX& y) { return gradient_of(term, y); },
                                                        [&](const VecX& y) { return matrix_of(term, y.size()); }, u);
        CHECK(check.gradient_error < 1e-8);
        CHECK(check.hessian_error < 1e-8);
        CHECK(check.hessian_asymmetry == 0.0);
        std::vector<double> energies;
        term.energies(u, energies);
        CHECK(std::accumulate(energies.begin(), energies.end(), 0.0) == relative(term.energy(u), 1e-12));
    }
}

TEST_CASE("Rayleigh damping: stiffness part, mass part, dissipation") {
    constexpr unsigned seed = 43;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX rest = stacked(mesh.rest);
    const VecX x_t =
        mapped(rest, Vec3(0.5, 0.6, 0.9).asDiagonal().toDenseMatrix()) + random_vector(rest.size(), 0.03, generator);
    const std::vector<double> density(elements.size(), 1000.0);
    const auto frozen = [&](double alpha, double beta) {
        QuadraticElements out;
        freeze_rayleigh_damping(elements, density, std::vector<RayleighCoefficients>(elements.size(), {alpha, beta}),
                                x_t, out);
        return out;
    };
    std::vector<Mat12> projected, plain;
    element_hessians(elements, x_t, true, projected);
    element_hessians(elements, x_t, false, plain);
    const QuadraticElements stiffness = frozen(0.0, 0.02), mass = frozen(0.7, 0.0), both = frozen(0.7, 0.02);
    int projections = 0;
    for (std::size_t e = 0; e < elements.size(); ++e) {
        Eigen::Matrix<double, 12, 3> turns;
        Vec3 middle = Vec3::Zero();
        for (const Index v : elements.vertices[e]) middle += 0.25 * x_t.segment<3>(3 * v);
        for (int k = 0; k < 4; ++k) {
            const Vec3 arm = x_t.segment<3>(3 * elements.vertices[e][static_cast<std::size_t>(k)]) - middle;
            for (int axis = 0; axis < 3; ++axis) turns.block<3, 1>(3 * k, axis) = Vec3::Unit(axis).cross(arm);
        }
        const Mat12 P = Mat12::Identity() - turns * (turns.transpose() * turns).inverse() * turns.transpose();
        CHECK((stiffness.matrices[e] - 0.02 * P * projected[e] * P).norm() < 1e-13 * projected[e].norm());
        CHECK((projected[e] * turns).norm() > 1e-3 * projected[e].norm() * turns.norm());
        CHECK((stiffness.matrices[e] * turns).norm() < 1e-14 * projected[e].norm() * turns.norm());
        CHECK((both.matrices[e] - stiffness.matrices[e] - mass.matrices[e]).norm() < 1e-13 * both.matrices[e].norm());
        CHECK(smallest_eigenvalue<12>(both.matrices[e]) > -1e-12 * both.matrices[e].norm());
        if ((projected[e] - plain[e]).norm() > 1e-6 * plain[e].norm()) ++projections;
    }
    CHECK(projections > 0);
    // Mass part: momentum decays at the rate alpha.
    const VecX g = gradient_of(mass, VecX::Ones(rest.size()));
    CHECK(g.sum() == relative(0.7 * 1000.0 * 3.0, 1e-12));
    // Stiffness part: translations are not damped, and momentum is conserved whatever the velocity.
    CHECK(gradient_of(stiffness, VecX::Ones(rest.size())).norm() < 1e-9 * stiffness.matrices[0].norm());
    const VecX v = random_vector(rest.size(), 1.0, generator);
    const VecX force = gradient_of(stiffness, v);
    Vec3 resultant = Vec3::Zero();
    for (Eigen::Index i = 0; i < v.size() / 3; ++i) resultant += force.segment<3>(3 * i);
    CHECK(resultant.norm() < 1e-11 * force.norm());
    CHECK(force.dot(v) > 0.0);
}

TEST_CASE("corners that an element does not have count as zero in quadratic energies") {
    std::mt19937_64 generator(5);
    const VecX u = random_vector(9, 1.0, generator);
    Mat12 matrix = Mat12::Random();
    matrix = (matrix + matrix.transpose()).eval();
    const QuadraticElements term{{{2, 0, 1, -1}}, {matrix}};
    Vec12 values = Vec12::Zero();
    values.head<9>() << u.segment<3>(6), u.segment<3>(0), u.segment<3>(3);
    std::vector<Vec12> gradients;
    term.gradients(u, gradients);
    CHECK(gradients[0] == Vec12(matrix * values));
    CHECK(term.energy(u) == 0.5 * values.dot(matrix * values));
}
