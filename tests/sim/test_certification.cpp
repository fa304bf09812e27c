// The certificate of a run: chains of moves, given-up attempts, tunnelling.
#include "stiction/sim/auditing.hpp"
#include "stiction/sim/certification.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace stiction;

namespace {

/// A tet above an open triangle that may touch.
std::pair<World, State> tet_above_triangle() {
    WorldBuilder builder;
    Mesh tet;
    tet.vertices = {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {0, 1, 1}};
    tet.tets = {{0, 1, 2, 3}};
    Mesh triangle;
    triangle.vertices = {{-5, 0, -5}, {5, 0, -5}, {0, 0, 8}};
    triangle.triangles = {{0, 1, 2}};
    builder.add_deformable("tet", tet, {});
    builder.add_obstacle("triangle", triangle);
    return builder.build();
}

/// Moves the tet by way of the heights that `plan` gives for an attempt of size h; an empty plan is a failed attempt.
class Puppet final : public Method {
public:
    using Plan = std::function<std::vector<double>(double h)>;
    explicit Puppet(Plan plan) : plan_(std::move(plan)) {}
    std::string_view name() const override { return "puppet"; }
    double contact_distance(const World&) const override { return 1e-3; }
    void step(const World&, const State& state, const StepInput& input, StepResult& result) override {
        VecX x = state.x;
        std::vector<double> heights = plan_(input.h);
        const bool fails = heights.empty();
        if (fails) heights = {-3.0, 4.0};
        for (const double height : heights) {
            VecX next = x;
            for (int v = 0; v < 4; ++v) next[3 * v + 1] += height - x[1];
            if (input.moves != nullptr && report) input.moves->accepted_move(x, next);
            x = next;
        }
        result.report.status = fails ? Status::line_search_stalled : Status::converged;
        result.state = state;
        result.state.x = x;
        result.state.t = state.t + input.h;
        result.contact_force = result.friction_force = VecX::Zero(x.size());
    }
    bool report = true;

private:
    Plan plan_;
};

audit::RunCertificate certificate_of(const Puppet::Plan& plan, int steps, bool report = true) {
    auto [world, state] = tet_above_triangle();
    auto puppet = std::make_unique<Puppet>(plan);
    puppet->report = report;
    Simulator simulator(std::move(world), std::move(state), std::move(puppet), {0.1, 3});
    Certifier certifier(simulator.world());
    simulator.add_observer(certifier);
    simulator.set_move_sink(&certifier);
    simulator.run(steps);
    return certifier.certificate();
}

}  // namespace

TEST_CASE("certificate: moves above an obstacle are proved, and all are counted") {
    const audit::RunCertificate certificate = certificate_of(
        [](double) {
            return std::vector<double>{0.5, 0.25, 0.7};
        },
        4);
    CHECK(certificate.ok());
    CHECK(certificate.first_step == 0);
    CHECK(certificate.last_step == 4);
    CHECK(certificate.moves.moves == 12);
    CHECK(certificate.moves.unproved == 0);
    CHECK(certificate.moves.tets == 12);
}

TEST_CASE("certificate: a move through an obstacle and back is found although both ends of the step are free") {
    const audit::RunCertificate certificate = certificate_of([](double) { return std::vector<double>{-3.0, 1.0}; }, 1);
    CHECK_FALSE(certificate.ok());
    CHECK(certificate.broken_chains == 0);
    CHECK(certificate.moves.unproved > 0);
    REQUIRE_FALSE(certificate.examples.empty());
    CHECK(certificate.examples[0].find("step 1: ") == 0);
    CHECK(certificate.examples[0].find("'triangle'") != std::string::npos);
}

TEST_CASE("certificate: a jump from one free side to the other is found") {
    CHECK_FALSE(certificate_of([](double) { return std::vector<double>{-3.0}; }, 1).ok());
}

TEST_CASE("certificate: moves of attempts that were given up do not count") {
    // The whole step fails after passing through the obstacle; its halves do not.
    const auto plan = [](double h) { return h > 0.06 ? std::vector<double>{} : std::vector<double>{0.9, 0.8}; };
    const audit::RunCertificate certificate = certificate_of(plan, 2);
    CHECK(certificate.ok());
    CHECK(certificate.moves.moves == 8);
}

TEST_CASE("certificate: a step whose moves are not reported is not certified") {
    const audit::RunCertificate certificate = certificate_of([](double) { return std::vector<double>{0.5}; }, 1, false);
    CHECK_FALSE(certificate.ok());
    CHECK(certificate.broken_chains == 1);
}

TEST_CASE("certificate: goes on after an earlier one, counts nothing twice, and says what lies between") {
    struct Case {
        int earlier_end;  ///< where the earlier certificate ends; this run makes the steps 1 to 3
        long moves;
        int last_step, uncertified;
    };
    for (const Case& c : {Case{0, 5 + 3, 3, 0}, Case{2, 5 + 1, 3, 0}, Case{7, 5, 7, 0}, Case{-4, 5 + 3, 3, 4}}) {
        auto [world, state] = tet_above_triangle();
        audit::RunCertificate earlier;
        earlier.first_step = -9;
        earlier.last_step = c.earlier_end;
        earlier.moves.moves = 5;
        earlier.moves.unproved = 1;
        Simulator simulator(std::move(world), std::move(state),
                            std::make_unique<Puppet>([](double) { return std::vector<double>{0.5}; }), {0.1, 3});
        Certifier certifier(simulator.world(), earlier);
        simulator.add_observer(certifier);
        simulator.set_move_sink(&certifier);
        simulator.run(3);
        CAPTURE(c.earlier_end);
        CHECK(certifier.certificate().first_step == -9);
        CHECK(certifier.certificate().moves.moves == c.moves);
        CHECK(certifier.certificate().last_step == c.last_step);
        CHECK(certifier.certificate().uncertified_steps == c.uncertified);
        CHECK_FALSE(certifier.certificate().ok());  // what was not proved then has not been since
    }
}

TEST_CASE("certificate: a start with a fault proves nothing") {
    auto [world, state] = tet_above_triangle();
    for (int v = 0; v < 4; ++v) state.x[3 * v + 1] -= 1.5;
    Simulator simulator(std::move(world), std::move(state),
                        std::make_unique<Puppet>([](double) { return std::vector<double>{-0.5}; }), {0.1, 3});
    Certifier certifier(simulator.world());
    simulator.add_observer(certifier);
    simulator.set_move_sink(&certifier);
    simulator.run(1);
    CHECK(certifier.certificate().start_faults > 0);
    CHECK_FALSE(certifier.certificate().ok());
}

TEST_CASE("audit of a run: looks at states as often as asked, and finds a tet that stops inside an obstacle") {
    for (const auto& [rate, states] :
         {std::pair{AuditRate::off, 0L}, std::pair{AuditRate::frame, 4L}, std::pair{AuditRate::step, 6L}}) {
        auto [world, state] = tet_above_triangle();
        Simulator simulator(std::move(world), std::move(state),
                            std::make_unique<Puppet>([](double) { return std::vector<double>{-0.5}; }), {0.1, 3});
        Auditor auditor(rate, 2, 1e-3, Integrator::backward_euler);
        simulator.add_observer(auditor);
        simulator.run(5);
        CAPTURE(states);
        CHECK(auditor.audit().states == states);
        CHECK(auditor.audit().faulty_states == std::max(0L, states - 1));
        CHECK(auditor.audit().ok() == (rate == AuditRate::off));
        CHECK((auditor.audit().intersections > 0) == (rate != AuditRate::off));
        CHECK(auditor.audit().examples.empty() == (rate == AuditRate::off));
    }
}

TEST_CASE("audit of a run: steps that an earlier audit covers are not counted again") {
    auto [world, state] = tet_above_triangle();
    audit::RunAudit earlier;
    earlier.every = "step";
    earlier.last_step = 2;
    earlier.states = 3;
    Simulator simulator(std::move(world), std::move(state),
                        std::make_unique<Puppet>([](double) { return std::vector<double>{0.5}; }), {0.1, 3});
    Auditor auditor(AuditRate::step, 1, 1e-3, Integrator::backward_euler, earlier);
    simulator.add_observer(auditor);
    simulator.run(5);
    CHECK(auditor.audit().states == 6);
    CHECK(auditor.audit().last_step == 5);
}
