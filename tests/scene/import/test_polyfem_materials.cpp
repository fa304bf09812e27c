// Laws of PolyFEM: the energy of a deformed body is that of the formula in its documentation.
#include "stiction/fem/elasticity.hpp"

#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>

#include <cmath>
#include <functional>

using namespace polyfem_testing;
using namespace stiction::test;

namespace {

struct Invariants {
    double i1, i2;  ///< I1~ - 3, I2~ - 3
    double J;
    Mat3 F;

    explicit Invariants(const Mat3& f) : J(f.determinant()), F(f) {
        const Mat3 C = std::pow(J, -2.0 / 3.0) * (F.transpose() * F);
        i1 = C.trace() - 3.0;
        i2 = 0.5 * (C.trace() * C.trace() - (C * C).trace()) - 3.0;
    }
    /// sum l~^a - 3
    double power(double a) const {
        const Eigen::SelfAdjointEigenSolver<Mat3> eigen(std::pow(J, -2.0 / 3.0) * (F.transpose() * F));
        return eigen.eigenvalues().array().pow(0.5 * a).sum() - 3.0;
    }
};

}  // namespace

TEST_CASE("PolyFEM materials: energies of a deformed cube") {
    const PolyfemFolder folder;
    const double E = 1e5, nu = 0.4, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    struct Law {
        std::string json;
        std::function<double(const Invariants&)> energy;  ///< J/m^3
    };
    const std::string moduli = R"("E": 1e5, "nu": 0.4)";
    const std::vector<Law> laws{
        {R"("type": "MooneyRivlin", "c1": 2e4, "c2": {"value": 7, "unit": "kPa"}, "k": "4 * 1e5")",
         [](const Invariants& I) { return 2e4 * I.i1 + 7e3 * I.i2 + 2e5 * std::pow(std::log(I.J), 2); }},
        {R"("type": "MooneyRivlin3Param", "c1": 2e4, "c2": 7e3, "c3": 3e3, "d1": 5e5)",
         [](const Invariants& I) { return 2e4 * I.i1 + (7e3 + 3e3 * I.i1) * I.i2 + 5e5 * (I.J - 1) * (I.J - 1); }},
        {R"("type": "UnconstrainedOgden", "alphas": [1.3, 5], "mus": [3e4, 2e2], "Ds": [1e-6, 2e-5])",
         [](const Invariants& I) {
             return 2 * 3e4 / 1.69 * I.power(1.3) + 2 * 2e2 / 25 * I.power(5) + std::pow(I.J - 1, 2) / 1e-6 +
                    std::pow(I.J - 1, 4) / 2e-5;
         }},
        {R"("type": "IncompressibleOgden", "c": [3e4, 1e3], "m": [1.7, -3], "k": 6e5)",
         [](const Invariants& I) {
             return 3e4 / 2.89 * I.power(1.7) + 1e3 / 9 * I.power(-3) + 3e5 * std::pow(std::log(I.J), 2);
         }},
        {R"("type": "MaterialSum", "models": [{"type": "IsochoricNeoHookean", )" + moduli +
             R"(}, {"type": "VolumePenalty", "k": 3e5}, {"type": "SaintVenant", )" + moduli + "}]",
         [&](const Invariants& I) {
             const Mat3 strain = 0.5 * (I.F.transpose() * I.F - Mat3::Identity());
             return 0.5 * mu * I.i1 + 1.5e5 * (0.5 * (I.J * I.J - 1) - std::log(I.J)) + mu * strain.squaredNorm() +
                    0.5 * lambda * strain.trace() * strain.trace();
         }},
        {R"("type": "LinearElasticity", )" + moduli,
         [&](const Invariants& I) {
             const Mat3 strain = 0.5 * (I.F + I.F.transpose()) - Mat3::Identity();
             return mu * strain.squaredNorm() + 0.5 * lambda * strain.trace() * strain.trace();
         }},
        {R"("type": "HookeLinearElasticity", )" + moduli,
         [&](const Invariants& I) {
             const Mat3 strain = 0.5 * (I.F + I.F.transpose()) - Mat3::Identity();
             return mu * strain.squaredNorm() + 0.5 * lambda * strain.trace() * strain.trace();
         }},
    };
    Mat3 F;
    F << 1.2, 0.1, -0.2, 0.05, 0.9, 0.3, 0.1, -0.15, 1.1;
    for (const Law& law : laws) {
        const std::string json = law.json;
        CAPTURE(json);
        const std::string text = R"({"materials": {"rho": 1000, )" + json +
                                 R"(}, "time": {"dt": 0.1, "tend": 1}, "geometry": {"mesh": "cube.msh"}})";
        const auto [world, state] = compile_world(folder.import(text));
        VecX x = state.x;
        for (Index v = 0; v < world.vertex_count(); ++v) x.segment<3>(3 * v) = F * state.x.segment<3>(3 * v);
        REQUIRE(world.elastic.size() == 1);
        CHECK(elastic_energy(world.elastic[0].elements, x) == relative(law.energy(Invariants(F)), 1e-12));  // of 1 m^3
    }
}

TEST_CASE("PolyFEM materials: one that stands alone is for everything, its id is listed") {
    const PolyfemFolder folder;
    const auto scene = [](const std::string& materials) {
        return R"({"geometry": {"mesh": "cube.msh", "volume_selection": 2}, "time": {"dt": 1, "tend": 1}, "materials": )" +
               materials + "}";
    };
    const std::string law = R"("type": "NeoHookean", "E": 1e5, "nu": 0.4)";
    const SceneSpec spec = folder.import(scene("{\"id\": 5, " + law + "}"));
    CHECK(spec.bodies[0].material.youngs_modulus == 1e5);
    CHECK(spec.imported->without_effect == std::vector<std::string>{"materials.id"});
    CHECK(folder.import(scene("[{" + law + "}]")).bodies[0].material.youngs_modulus == 1e5);
    CHECK(folder.error(scene("[{\"id\": 5, " + law + "}]"))
              .find("geometry.volume_selection: 2: expected an id that one of `materials` has") != std::string::npos);
}
