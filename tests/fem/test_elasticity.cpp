#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/gather.hpp"
#include "stiction/materials/extrapolated.hpp"
#include "stiction/materials/isotropic.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include "fem/small_mesh.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cstring>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

VecX total_gradient(const TetElements& elements, const VecX& x) {
    std::vector<Vec12> local;
    element_gradients(elements, x, local);
    VecX g = VecX::Zero(x.size());
    VertexGather(elements.vertices, static_cast<Index>(x.size() / 3)).add(local, g);
    return g;
}

Eigen::MatrixXd total_hessian(const TetElements& elements, const VecX& x) {
    std::vector<Mat12> local;
    element_hessians(elements, x, false, local);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(x.size(), x.size());
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < 4; ++b) {
                H.block<3, 3>(3 * elements.vertices[e][a], 3 * elements.vertices[e][b]) +=
                    local[e].block<3, 3>(3 * static_cast<int>(a), 3 * static_cast<int>(b));
            }
        }
    }
    return H;
}

/// vec(F) = B x_e, the obvious way.
Eigen::MatrixXd gradient_operator(const Mat3& rest_inverse) {
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(9, 12);
    for (int j = 0; j < 3; ++j) {
        for (int a = 0; a < 3; ++a) {
            B.block<3, 3>(3 * j, 3 * a + 3) += rest_inverse(a, j) * Mat3::Identity();
            B.block<3, 3>(3 * j, 0) -= rest_inverse(a, j) * Mat3::Identity();
        }
    }
    return B;
}

const Mat3 uniform_deformation = (Mat3() << 1.1, 0.2, -0.1, -0.15, 0.9, 0.05, 0.3, -0.2, 1.05).finished();

}  // namespace

TEST_CASE("patch test: uniform deformation leaves interior nodes without force") {
    constexpr unsigned seed = 21;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(4, 0.3, generator);
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        CAPTURE(law.extrapolate_below);
        const TetElements elements = elements_of(mesh, law);
        const VecX g = total_gradient(elements, mapped(stacked(mesh.rest), uniform_deformation, Vec3(3, -2, 1)));
        double interior = 0.0, boundary = 0.0;
        int count = 0;
        for (std::size_t v = 0; v < mesh.rest.size(); ++v) {
            const double force = g.segment<3>(3 * static_cast<Eigen::Index>(v)).norm();
            (mesh.interior[v] ? interior : boundary) = std::max(mesh.interior[v] ? interior : boundary, force);
            count += mesh.interior[v];
        }
        CHECK(count == 27);
        CHECK(interior < 1e-11 * boundary);
        CHECK(boundary > 1.0);
    }
}

TEST_CASE("patch test: the equilibrium of random interior nodes is the uniform deformation") {
    constexpr unsigned seed = 22;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(3, 0.3, generator);
    std::vector<Eigen::Index> free_entries;
    for (std::size_t v = 0; v < mesh.rest.size(); ++v) {
        for (int i = 0; mesh.interior[v] && i < 3; ++i) free_entries.push_back(3 * static_cast<Eigen::Index>(v) + i);
    }
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        CAPTURE(law.extrapolate_below);
        const TetElements elements = elements_of(mesh, law);
        const VecX exact = mapped(stacked(mesh.rest), uniform_deformation);
        VecX x = exact;
        for (const Eigen::Index i : free_entries)
            x[i] += 0.005 * std::uniform_real_distribution<double>(-1, 1)(generator);
        for (int iteration = 0; iteration < 12; ++iteration) {  // Newton on the interior nodes
            const VecX g = total_gradient(elements, x)(free_entries);
            const Eigen::MatrixXd H = total_hessian(elements, x)(free_entries, free_entries);
            const VecX step = H.partialPivLu().solve(g);
            for (std::size_t k = 0; k < free_entries.size(); ++k)
                x[free_entries[k]] -= step[static_cast<Eigen::Index>(k)];
        }
        CHECK((x - exact).cwiseAbs().maxCoeff() < 1e-12);
    }
}

TEST_CASE("whole-mesh energy, gradient and Hessian are consistent") {
    constexpr unsigned seed = 23;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const double size : {1e-3, 1.0, 1e3}) {
        const SmallMesh mesh = irregular_block(2, size, generator);
        const VecX rest = stacked(mesh.rest);
        for (const ElasticLaw& law : all_elastic_laws()) {
            CAPTURE(law_name(law.law));
            CAPTURE(law.extrapolate_below);
            CAPTURE(size);
            const TetElements elements = elements_of(mesh, law);
            const VecX x = mapped(rest, uniform_deformation) + random_vector(rest.size(), 0.03 * size, generator);
            const DerivativeCheck check =
                check_derivatives([&](const VecX& y) { return elastic_energy(elements, y); },
                                  [&](const VecX& y) { return total_gradient(elements, y); },
                                  [&](const VecX& y) { return total_hessian(elements, y); }, x, 0.1 * size);
            CHECK(check.gradient_error < 1e-8);
            CHECK(check.hessian_error < 1e-8);
            CHECK(check.hessian_asymmetry == 0.0);
        }
    }
}

TEST_CASE("element kernels equal the dense product B^T (dP/dF) B") {
    constexpr unsigned seed = 24;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const VecX rest = stacked(mesh.rest);
    int indefinite = 0;
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        CAPTURE(law.extrapolate_below);
        const TetElements elements = elements_of(mesh, law);
        const double amplitude = elements.invertible() ? 0.3 : 0.05;  // the large one inverts some elements
        const VecX x = mapped(rest, Vec3(0.6, 0.7, 0.9).asDiagonal().toDenseMatrix()) +
                       random_vector(rest.size(), amplitude, generator);
        std::vector<double> energies;
        std::vector<Vec12> gradients;
        std::vector<Mat12> plain, projected;
        element_energies(elements, x, energies);
        element_gradients(elements, x, gradients);
        element_hessians(elements, x, false, plain);
        element_hessians(elements, x, true, projected);
        visit_law(law.law, law.extrapolate_below, [&](const auto& make) {
            for (std::size_t e = 0; e < elements.size(); ++e) {
                const auto material = make({elements.mu[e], elements.lambda[e]});
                const Mat3 F = deformation_gradient(elements, e, x);
                const Eigen::MatrixXd B = gradient_operator(elements.rest_inverse[e]);
                const Mat3 P = first_piola(material, F);
                const VecX g = elements.volume[e] * (B.transpose() * VecX(Eigen::Map<const Vec9>(P.data())));
                const auto element_matrix = [&](const Eigen::MatrixXd& dense) -> Eigen::MatrixXd {
                    return elements.volume[e] * (B.transpose() * (dense * B));
                };
                CHECK(energies[e] == relative(elements.volume[e] * energy_density(material, F), 1e-13));
                CHECK((VecX(gradients[e]) - g).norm() < 1e-12 * g.norm());
                Mat9 dense = expand(principal_hessian(material, F));
                const Eigen::MatrixXd H = element_matrix(dense);
                const double size = H.norm();
                CHECK((Eigen::MatrixXd(plain[e]) - H).norm() < 1e-12 * size);
                if (smallest_eigenvalue<9>(dense) < -1e-8 * dense.norm()) ++indefinite;
                project_psd<9>(dense);
                CHECK((Eigen::MatrixXd(projected[e]) - element_matrix(dense)).norm() < 1e-12 * size);
                CHECK(projected[e] == Mat12(projected[e].transpose()));
            }
        });
    }
    CHECK(indefinite > 20);
}

TEST_CASE("what is computed of a tet does not depend on the tets that are computed with it") {
    constexpr unsigned seed = 28;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const VecX rest = stacked(mesh.rest);
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        const TetElements elements = elements_of(mesh, law);
        const VecX x = rest + random_vector(rest.size(), 0.04, generator);
        std::vector<Mat12> all;
        element_hessians(elements, x, true, all);
        for (const std::size_t count : {std::size_t{1}, std::size_t{5}, std::size_t{19}}) {
            for (std::size_t begin = 0; begin + count <= elements.size(); begin += 7) {
                std::vector<Mat12> part(count);
                std::vector<Index> chosen(count);  // every other element, round and round
                for (std::size_t k = 0; k < count; ++k)
                    chosen[k] = static_cast<Index>((begin + 2 * k) % elements.size());
                element_hessians(elements, x, true, chosen, part.data());
                for (std::size_t k = 0; k < count; ++k)
                    CHECK(std::memcmp(&part[k], &all[at(chosen[k])], sizeof(Mat12)) == 0);
            }
        }

        std::vector<char> marked(mesh.rest.size(), 0);
        for (std::size_t v = 0; v < marked.size(); v += 5) marked[v] = 1;
        std::vector<double> energies, energies_there;
        std::vector<Vec12> gradients, gradients_there;
        element_energies(elements, x, energies);
        element_energies(elements, x, energies_there, marked);
        element_gradients(elements, x, gradients);
        element_gradients(elements, x, gradients_there, marked);
        std::size_t without = 0;
        for (std::size_t e = 0; e < elements.size(); ++e) {
            const bool there = any_marked(elements.vertices[e], marked);
            if (!there) ++without;
            CHECK(energies_there[e] == (there ? energies[e] : 0.0));
            CHECK(gradients_there[e] == (there ? gradients[e] : Vec12(Vec12::Zero())));
        }
        CHECK(without > 5);
        CHECK(without + 5 < elements.size());
    }
}

TEST_CASE("rigid motion costs nothing; energy ignores the frame and forces turn with it") {
    constexpr unsigned seed = 25;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    const VecX rest = stacked(mesh.rest);
    const Mat3 Q = Eigen::AngleAxisd(2.4, Vec3(1, -2, 0.7).normalized()).toRotationMatrix();
    const Vec3 shift(10, -4, 7);
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        CAPTURE(law.extrapolate_below);
        const TetElements elements = elements_of(mesh, law);
        const double modulus = elements.lambda[0] + elements.mu[0];  // J per m^3 of unit strain
        CHECK(elastic_energy(elements, rest) < 1e-25 * modulus);
        CHECK(elastic_energy(elements, mapped(rest, Q, shift)) < 1e-25 * modulus);
        CHECK(total_gradient(elements, mapped(rest, Q, shift)).norm() < 1e-12 * modulus);

        const VecX x = rest + random_vector(rest.size(), 0.06, generator);
        const VecX g = total_gradient(elements, x);
        CHECK(elastic_energy(elements, mapped(x, Q, shift)) == relative(elastic_energy(elements, x), 1e-11));
        CHECK((total_gradient(elements, mapped(x, Q, shift)) - mapped(g, Q)).norm() < 1e-11 * g.norm());
    }
}

TEST_CASE("elastic forces have no resultant and no torque") {
    constexpr unsigned seed = 26;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(3, 1.0, generator);
    const VecX rest = stacked(mesh.rest);
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        CAPTURE(law.extrapolate_below);
        const TetElements elements = elements_of(mesh, law);
        const VecX x = rest + random_vector(rest.size(), 0.04, generator);
        const VecX g = total_gradient(elements, x);
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        for (Eigen::Index v = 0; v < g.size() / 3; ++v) {
            const Vec3 g_v = g.segment<3>(3 * v), x_v = x.segment<3>(3 * v);
            force += g_v;
            torque += x_v.cross(g_v);
        }
        CHECK(force.norm() < 1e-12 * g.norm());
        CHECK(torque.norm() < 1e-12 * g.norm());
    }
}

TEST_CASE("uniform stress: Cauchy stress and energy of the whole block") {
    constexpr unsigned seed = 27;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(3, 2.0, generator);
    const LameParameters lame = lame_parameters(1e5, 0.35);
    for (const ElasticLaw& law : all_elastic_laws()) {
        CAPTURE(law_name(law.law));
        CAPTURE(law.extrapolate_below);
        const TetElements elements = elements_of(mesh, law);
        const VecX x = mapped(stacked(mesh.rest), uniform_deformation);
        visit_law(law.law, law.extrapolate_below, [&](const auto& make) {
            const auto material = make(lame);
            CHECK(elastic_energy(elements, x) == relative(8.0 * energy_density(material, uniform_deformation), 1e-12));
        });
        // Simple tension along a small strain: sigma = 2 mu eps + lambda tr eps, ARAP without lambda.
        const Mat3 strain = 1e-6 * (Mat3() << 3, 1, 0, 1, -2, 0.5, 0, 0.5, 1).finished();
        const double lambda = law.law == MaterialLaw::arap ? 0.0 : lame.lambda;
        const Mat3 expected = 2 * lame.mu * strain + lambda * strain.trace() * Mat3::Identity();
        const VecX strained = mapped(stacked(mesh.rest), Mat3::Identity() + strain);
        for (std::size_t e = 0; e < elements.size(); ++e) {
            CHECK((cauchy_stress(elements, e, strained) - expected).norm() < 1e-4 * expected.norm());
        }
    }
    // Large extension of a stable law with a hand formula: neo-Hookean under F = diag(a, b, b),
    // J sigma_11 = mu (a^2 - 1) + lambda ln J.
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const double a = 1.8, b = 0.85, J = a * b * b;
    const VecX x = mapped(stacked(mesh.rest), Vec3(a, b, b).asDiagonal().toDenseMatrix());
    const Mat3 sigma = cauchy_stress(elements, 5, x);
    CHECK(sigma(0, 0) == relative((lame.mu * (a * a - 1) + lame.lambda * std::log(J)) / J, 1e-13));
    CHECK(sigma(1, 1) == relative((lame.mu * (b * b - 1) + lame.lambda * std::log(J)) / J, 1e-13));
}

TEST_CASE("an inverted element of a barrier law costs infinitely much") {
    std::mt19937_64 generator(28);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    VecX x = stacked(mesh.rest);
    x.segment<3>(0) += Vec3(3, 3, 3);
    std::vector<double> energies;
    element_energies(elements_of(mesh, MaterialLaw::neo_hookean), x, energies);
    CHECK(*std::max_element(energies.begin(), energies.end()) == std::numeric_limits<double>::infinity());
    CHECK(*std::min_element(energies.begin(), energies.end()) < 1.0);
    CHECK(elastic_energy(elements_of(mesh, MaterialLaw::neo_hookean), x) == std::numeric_limits<double>::infinity());
    CHECK(std::isfinite(elastic_energy(elements_of(mesh, MaterialLaw::fixed_corotated), x)));
}

TEST_CASE("same bits for any number of threads") {
    constexpr unsigned seed = 29;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(6, 1.0, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::neo_hookean);
    const VecX x = stacked(mesh.rest) + random_vector(3 * static_cast<Eigen::Index>(mesh.rest.size()), 0.02, generator);
    std::vector<VecX> gradients;
    std::vector<double> energies;
    for (const int threads : {1, 2, 5}) {
        set_thread_count(threads);
        gradients.push_back(total_gradient(elements, x));
        energies.push_back(elastic_energy(elements, x));
    }
    set_thread_count(0);
    for (std::size_t k = 1; k < gradients.size(); ++k) {
        CHECK(std::memcmp(gradients[0].data(), gradients[k].data(),
                          sizeof(double) * static_cast<std::size_t>(x.size())) == 0);
        CHECK(energies[0] == energies[k]);
    }
    // The gather itself against the plain loop.
    std::vector<Vec12> local;
    element_gradients(elements, x, local);
    VecX serial = VecX::Zero(x.size());
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t a = 0; a < 4; ++a) {
            serial.segment<3>(3 * elements.vertices[e][a]) += local[e].segment<3>(3 * static_cast<Eigen::Index>(a));
        }
    }
    CHECK(serial == gradients[0]);
    VecX twice = gradients[0];
    VertexGather(elements.vertices, static_cast<Index>(mesh.rest.size())).add(local, twice);
    CHECK((twice - 2.0 * gradients[0]).norm() < 1e-12 * gradients[0].norm());
}

TEST_CASE("two bodies in one group, and vertices without elements") {
    std::mt19937_64 generator(30);
    const SmallMesh mesh = irregular_block(2, 1.0, generator);
    TetElements both;
    both.law = MaterialLaw::stable_neo_hookean;
    const Index count = static_cast<Index>(mesh.rest.size());
    append_tets(both, mesh.rest, mesh.tets, lame_parameters(1e5, 0.3));
    append_tets(both, mesh.rest, mesh.tets, lame_parameters(3e5, 0.3), count + 4);  // four unused vertices between
    VecX x = VecX::Constant(3 * (2 * count + 4), 1e3);
    const VecX body = mapped(stacked(mesh.rest), uniform_deformation);
    x.head(body.size()) = body;
    x.tail(body.size()) = body;
    const VecX g = total_gradient(both, x);
    CHECK(g.segment(body.size(), 12).norm() == 0.0);
    CHECK((3.0 * g.head(body.size()) - g.tail(body.size())).norm() < 1e-12 * g.norm());
}

TEST_CASE("bad rest shapes are refused by index") {
    const std::vector<Vec3> rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
    const auto message = [&](const std::vector<Vec3>& positions, const Tet& bad) {
        TetElements elements;
        try {
            append_tets(elements, positions, {{0, 1, 2, 3}, bad}, lame_parameters(1.0, 0.3), 0, "part.msh");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(message(rest, {0, 1, 2, 3}).empty());
    CHECK(message(rest, {0, 2, 1, 3}).find("part.msh: tet 1: inverted") == 0);
    CHECK(message(rest, {0, 1, 2, 4}).find("part.msh: tet 1: degenerate") == 0);
    CHECK(message(rest, {0, 1, 1, 3}).find("degenerate") != std::string::npos);
    CHECK(message(rest, {0, 1, 2, 5}).find("vertex 5") != std::string::npos);
    CHECK(message(rest, {0, -1, 2, 3}).find("vertex -1") != std::string::npos);
    std::vector<Vec3> tiny = rest, thin = rest;
    for (Vec3& position : tiny) position *= 1e-7;  // small is not degenerate
    for (Vec3& position : thin) position.z() *= 1e-8;
    CHECK(message(tiny, {0, 1, 2, 3}).empty());
    CHECK(message(thin, {0, 1, 2, 3}).empty());
    std::vector<Vec3> broken = rest;
    broken[4].x() = std::numeric_limits<double>::quiet_NaN();
    CHECK(message(broken, {0, 1, 4, 3}).find("tet 1") != std::string::npos);
}

TEST_CASE("elements of the law `sum` with one term are those of the term's law") {
    constexpr unsigned seed = 29;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 0.3, generator);
    const VecX x = mapped(stacked(mesh.rest), uniform_deformation) +
                   random_vector(3 * static_cast<Eigen::Index>(mesh.rest.size()), 1e-3, generator);
    const std::pair<MaterialLaw, TermKind> laws[] = {
        {MaterialLaw::neo_hookean, TermKind::neo_hookean},
        {MaterialLaw::saint_venant_kirchhoff, TermKind::saint_venant_kirchhoff},
        {MaterialLaw::fixed_corotated, TermKind::fixed_corotated}};
    for (const auto& [law, kind] : laws) {
        CAPTURE(law_name(law));
        const LameParameters lame = lame_parameters(1e5, 0.35);
        const TetElements expected = elements_of(mesh, law);
        TetElements sum = elements_of(mesh, MaterialLaw::sum);
        sum.terms = {{kind, 0.0, 2.0, lame}};
        for (const double scale : {1.0, 0.99}) {
            const VecX y = scale * x;
            CHECK(elastic_energy(sum, y) == relative(elastic_energy(expected, y), 1e-12));
            const VecX g = total_gradient(expected, y);
            CHECK((total_gradient(sum, y) - g).norm() <= 1e-11 * g.norm());
            const Eigen::MatrixXd H = total_hessian(expected, y);
            CHECK((total_hessian(sum, y) - H).norm() <= 1e-10 * H.norm());
        }
        sum.terms.push_back({TermKind::log_volume, 1e4});
        CHECK(elastic_energy(sum, x) > 1.001 * elastic_energy(expected, x));
    }
}

TEST_CASE("elements of the law `linear` have one Hessian wherever they are, and its quadratic energy") {
    constexpr unsigned seed = 30;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallMesh mesh = irregular_block(2, 0.3, generator);
    const TetElements elements = elements_of(mesh, MaterialLaw::linear);
    const VecX rest = stacked(mesh.rest);
    const Eigen::MatrixXd H = total_hessian(elements, rest);
    for (const double amplitude : {1e-6, 1e-2, 1.0}) {
        CAPTURE(amplitude);
        const VecX u = random_vector(rest.size(), amplitude, generator);
        CHECK((total_hessian(elements, rest + u) - H).norm() <= 1e-12 * H.norm());
        CHECK((total_gradient(elements, rest + u) - H * u).norm() <= 1e-8 * (H * u).norm());
        CHECK(elastic_energy(elements, rest + u) == relative(0.5 * u.dot(H * u), 1e-8));
    }
}
