// Edges that cross at a small angle rub: their barrier is mollified, and so is their friction.
#include "stiction/collision/distance.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/methods/implicit/method.hpp"

#include "support/compare.hpp"
#include "support/contact_list.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double dhat = 1e-3, mu = 0.3, length = 0.4, degree = 3.14159265358979 / 180.0;

/// A prism on its lower edge, along x.
Mesh wedge() {
    Mesh mesh;
    for (const double x : {-0.5 * length, 0.5 * length}) {
        mesh.vertices.push_back({x, 0, 0});
        mesh.vertices.push_back({x, 0.1, 0.1});
        mesh.vertices.push_back({x, 0.1, -0.1});
    }
    mesh.tets = {{0, 1, 2, 5}, {0, 1, 5, 4}, {0, 3, 4, 5}};
    for (Tet& tet : mesh.tets) {
        const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(tet[k])]; };
        if ((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0)) < 0.0) std::swap(tet[2], tet[3]);
    }
    return mesh;
}

/// The wedge slides along its edge, at 1 m/s, over the edge of the same wedge upside down, which is turned by an angle.
std::pair<World, State> crossing_edges(double angle) {
    WorldBuilder builder;
    builder.add_deformable("upper", translated(wedge(), {0, 0.5 * dhat, 0}), {MaterialLaw::neo_hookean, 1e7, 0.3, 1000},
                           {1, 0, 0});
    Mesh lower = wedge();
    const Mat3 turn = (Eigen::AngleAxisd(angle, Vec3::UnitY()) * Eigen::AngleAxisd(3.14159265358979, Vec3::UnitX()))
                          .toRotationMatrix();
    lower.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3}, {0, 3, 5}, {0, 5, 2}, {1, 2, 5}, {1, 5, 4}};
    lower.tets.clear();
    builder.add_obstacle("lower", rotated(lower, turn));
    builder.set_default_friction(mu);
    return builder.build();
}

template <class Options>
Options tight() {
    Options options;
    options.dhat = dhat;
    options.velocity_tolerance = 1e-10;
    options.friction_velocity = 1e-4;
    return options;
}

/// Sum over the upper wedge (N).
Vec3 on_upper(const VecX& forces) {
    Vec3 sum = Vec3::Zero();
    for (Index v = 0; v < 6; ++v) sum += forces.segment<3>(3 * v);
    return sum;
}

}  // namespace

TEST_CASE("edges that cross at a small angle rub with mu times their normal force, under ipc and implicit alike") {
    for (const double angle : {0.5 * degree, 1.0 * degree, 1.7 * degree, 5.0 * degree}) {
        CAPTURE(angle);
        const auto [world, state] = crossing_edges(angle);
        auto lagged = tight<ipc::Options>();
        lagged.friction_iterations = 0;
        std::vector<std::unique_ptr<Method>> methods;
        methods.push_back(std::make_unique<ipc::Ipc>(lagged));
        methods.push_back(std::make_unique<implicit::Implicit>(tight<implicit::Options>()));
        Vec3 friction[2];
        for (std::size_t m = 0; m < 2; ++m) {
            CAPTURE(methods[m]->name());
            StepInput input = schedule(world, state, 1e-4);
            input.list_contacts = true;
            StepResult result;
            methods[m]->step(world, state, input, result);
            REQUIRE(is_accepted(result.report.status));
            const Vec3 normal = on_upper(result.contact_force);
            friction[m] = on_upper(result.friction_force);
            CHECK(normal.y() > 1.0);
            CHECK(friction[m].x() == relative(-friction[m].norm(), 5e-3));
            CHECK(friction[m].norm() == relative(mu * normal.norm(), 2e-3));
            const ListedForces listed(world, result.contacts);
            CHECK((listed.friction - result.friction_force).norm() <= 1e-11 * friction[m].norm());
        }
        CHECK((friction[0] - friction[1]).norm() <= 5e-3 * friction[1].norm());
    }
}

TEST_CASE("the mollifier of a contact is that of equation 24, and 1 for other contacts") {
    Contact contact;
    contact.kind = ContactKind::mollified_pair;
    contact.vertices = {0, 1, 2, 3};
    contact.mollifier_threshold = 1e-3;
    VecX x(12);
    const double angle = 1.0 * degree, c = std::pow(std::sin(angle), 2);
    x << 0, 0, 0, 1, 0, 0, 0, 1, 0, std::cos(angle), 1, std::sin(angle);
    CHECK(mollifier(contact, x) == relative(c / 1e-3 * (2.0 - c / 1e-3), 1e-9));
    contact.kind = ContactKind::pair;
    CHECK(mollifier(contact, x) == 1.0);
}
