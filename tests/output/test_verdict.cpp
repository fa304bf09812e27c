// Each check of a run's verdict, on numbers that are known.
#include "stiction/output/verdict.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace stiction;

namespace {

/// A run of ten sound steps: 1 J of kinetic energy, audited.
RunReport sound_run() {
    RunReport report;
    report.bodies = {"ball", "floor"};
    report.audit = audit::RunAudit{};
    report.audit->states = 11;
    report.audit->imbalance = 1e-3;
    return report;
}

StepReport sound_step() {
    StepReport step;
    step.kinetic = 1.0;
    return step;
}

struct Fault {
    std::string check;
    std::function<void(StepReport&)> in_step_seven;
    std::function<void(RunReport&)> in_run;
    std::string words;
};

const std::vector<Fault> faults{
    {"energy", [](StepReport& s) { s.balance.gain = 0.5; }, {}, "0.5 J came from nowhere"},
    {"momentum",
     [](StepReport& s) {
         s.momentum_loss = {0.5, 0.0, 0, -1};
     },
     {},
     "the momentum of 'ball' changed by 50 %"},
    {"angular_momentum",
     [](StepReport& s) {
         s.momentum_loss = {0.0, 0.5, -1, 0};
     },
     {},
     "the angular momentum of 'ball' changed by 50 %"},
    {"overlaps",
     [](StepReport& s) {
         s.contact.overlaps = 2;
         s.contact.deepest = 0.01;
         s.contact.bodies = {0, 1};
     },
     {},
     "bodies overlap, by 0.01 m at most of 'ball' and 'floor', in step 7"},
    {"tolerance", [](StepReport& s) { s.status = Status::not_converged; }, {}, "missed its own tolerance in step 7"},
    {"friction", [](StepReport& s) { s.status = Status::friction_not_converged; }, {}, "not settled in step 7"},
    {"elements",
     [](StepReport& s) {
         s.quality = {-0.2, 0, 17};
     },
     {},
     "element 17 of 'ball' has quality -0.2 in step 7"},
    {"contact_load",
     [](StepReport& s) {
         s.contact_load = {40.0, 0};
     },
     {},
     "the contact forces on 'ball' are 40 times"},
    {"stopped", {}, [](RunReport& r) { r.status = "iteration_limit"; }, "the run stopped in step 1: iteration_limit"},
    {"audit", {}, [](RunReport& r) { r.audit->faulty_states = 2; }, "faults in 2 of 11 states"},
    {"imbalance",
     {},
     [](RunReport& r) {
         r.audit->imbalance_share = 0.94;
         r.audit->imbalance_step = 3;
     },
     "by 0.94 of all forces in step 3"},
    {"friction_cone",
     {},
     [](RunReport& r) {
         r.audit->friction_beyond = 2.0;
         r.audit->contact_total = 4.0;
     },
     "beyond its cones by 0.5 of all contact forces"},
};

}  // namespace

TEST_CASE("verdict: a sound run is ok; each planted fault is named with number and step, and nothing else is") {
    RunReport sound = sound_run();
    for (int step = 1; step <= 10; ++step) sound.statistics.add(sound_step());
    CHECK(in_words(verdict(sound)) == "ok");
    for (const Fault& fault : faults) {
        CAPTURE(fault.check);
        RunReport report = sound_run();
        for (int step = 1; step <= 10; ++step) {
            StepReport made = sound_step();
            if (step == 7 && fault.in_step_seven) fault.in_step_seven(made);
            report.statistics.add(made);
        }
        if (fault.in_run) fault.in_run(report);
        const std::vector<Doubt> doubts = verdict(report);
        REQUIRE(doubts.size() == 1);
        CHECK(doubts.front().check == fault.check);
        CHECK((doubts.front().worst < doubts.front().limit) == (fault.check == "elements"));
        if (fault.in_step_seven) CHECK(doubts.front().first_step == 7);
        CHECK(in_words(doubts).find(fault.words) != std::string::npos);
        CHECK(in_words(doubts).starts_with("doubtful: "));
    }
}

TEST_CASE("verdict: steps made in pieces are doubtful where most are") {
    for (const int cut : {5, 6}) {
        RunReport report = sound_run();
        for (int step = 1; step <= 10; ++step) {
            StepReport made = sound_step();
            if (step > 10 - cut) made.status = Status::substepped;
            report.statistics.add(made);
        }
        const std::vector<Doubt> doubts = verdict(report);
        REQUIRE(doubts.size() == (cut == 6 ? 1 : 0));
        if (cut == 6) CHECK(doubts.front().check == "steps_cut");
    }
}

TEST_CASE("verdict: a body at rest that the first step moves further than five times what explains it is named") {
    for (const double distance : {4.9e-4, 5.5e-4}) {
        RunReport report = sound_run();
        StepReport first = sound_step();
        first.first_move = {distance, 1e-4, 0};
        report.statistics.add(first);
        for (int step = 2; step <= 10; ++step) report.statistics.add(sound_step());
        const std::vector<Doubt> doubts = verdict(report);
        REQUIRE(doubts.size() == (distance > 5e-4 ? 1 : 0));
        if (doubts.empty()) continue;
        CHECK(doubts.front().check == "first_move");
        CHECK(doubts.front().first_step == 1);
        CHECK(in_words(doubts).find("moves 'ball', which is at rest, by 0.00055 m") != std::string::npos);
    }
}
