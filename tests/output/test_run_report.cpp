#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/run_report.hpp"

#include "output/sample_report.hpp"
#include "output/scratch_folder.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace stiction;
using stiction::test::sample_report;
using stiction::test::sample_zones;
using stiction::test::ScratchFolder;
using stiction::test::write_text;

TEST_CASE("report.json holds the last volume and pressure of each region and their ranges") {
    const ScratchFolder scratch;
    RunReport report;
    report.volumes = sample_zones(3);
    for (int step = 0; step < 3; ++step) report.volumes[1].extremes.include(sample_zones(step)[1].extremes);
    write_run_report(scratch / "report.json", report);
    const auto json = nlohmann::json::parse(read_bytes(scratch / "report.json"))["volumes"];
    REQUIRE(json.size() == 2);
    CHECK(json[1]["body"] == "bag");
    CHECK(json[1]["volume"] == sample_zones(3)[1].volume);
    CHECK(json[1]["pressure"] == 97.0);
    CHECK(json[1]["volume_range"] == nlohmann::json{sample_zones(3)[1].volume, 2.0});
    CHECK(json[1]["pressure_range"] == nlohmann::json{97.0, 100.0});
    CHECK(json[0]["pressure_range"] == nlohmann::json{-3.0, -3.0});
}

TEST_CASE("report.json holds every documented key, with null for what is infinite or not audited") {
    const ScratchFolder scratch;
    RunReport report;
    report.scene = "scene.json";
    report.method = "ipc";
    report.version = "1.2.3";
    report.threads = 2;
    report.status = "done";
    report.steps = 3;
    report.simulated_s = 0.03;
    report.wall_s = 1.5;
    report.peak_mb = 100.0;
    report.energy_start = 1.0;
    report.energy_end = 0.5;
    report.resolved_scene = R"({"method": "ipc", "ipc": {"dhat": 0.001}})";
    write_run_report(scratch / "empty.json", report);
    CHECK(nlohmann::json::parse(read_bytes(scratch / "empty.json"))["min_gap"].is_null());

    for (int step = 1; step <= 3; ++step) report.statistics.add(sample_report(step));
    write_run_report(scratch / "report.json", report);
    const auto json = nlohmann::json::parse(read_bytes(scratch / "report.json"));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    CHECK(keys == std::vector<std::string>{"audit",
                                           "cause",
                                           "certificate",
                                           "contact_load",
                                           "contact_residual",
                                           "contacts",
                                           "damped_steps",
                                           "doubts",
                                           "energy",
                                           "first_move",
                                           "intersections",
                                           "inversions",
                                           "iterations",
                                           "method",
                                           "min_gap",
                                           "not_converged_steps",
                                           "notes",
                                           "options",
                                           "overlaps",
                                           "peak_mb",
                                           "penetration",
                                           "phases_ms",
                                           "scene",
                                           "simulated_s",
                                           "status",
                                           "steps",
                                           "substepped_steps",
                                           "threads",
                                           "verdict",
                                           "version",
                                           "wall_s",
                                           "worst_element"});
    CHECK(json["iterations"]["total"] == 4 + 5 + 6);
    CHECK(json["iterations"]["mean"] == 5.0);
    CHECK(json["iterations"]["max"] == 6);
    CHECK(json["contacts"]["mean"] == 20.0);
    CHECK(json["contacts"]["max"] == 30);
    CHECK(json["min_gap"] == 1e-3 / 3.0 / 3.0);
    CHECK(json["intersections"].is_null());
    CHECK(json["inversions"].is_null());
    CHECK(json["audit"].is_null());
    CHECK(json["certificate"].is_null());
    CHECK(json["energy"]["start"] == 1.0);
    CHECK(json["energy"]["end"] == 0.5);
    CHECK(json["energy"]["gain"] == 3 * 0.0625);
    CHECK(json["energy"]["scale"] == 1.0 / 3.0 + 2e-20 + 3 * 0.75);
    CHECK(json["phases_ms"]["solve"] == 15.0);
    CHECK(json["phases_ms"]["something_new"] == 3.75);
    CHECK(json["notes"]["pair #-# skipped"] == 3);
    CHECK(json["notes"]["factorisation shifted by inertia"] == 3);
    CHECK(json["notes"]["energy gained that nobody put in"] == 3);
    CHECK(json["options"]["dhat"] == 0.001);

    // That of the energy comes from the steps again.
    CHECK(read_notes(scratch / "report.json", 3).size() == 2);
    CHECK(read_notes(scratch / "report.json", 2).empty());
    CHECK(read_notes(scratch / "none.json", 3).empty());
    write_text(scratch / "broken.json", "{\"steps\": 3,");
    CHECK(read_notes(scratch / "broken.json", 3).empty());
    report.resolved_scene = "no json";
    CHECK_THROWS_AS(write_run_report(scratch / "report.json", report), InternalError);
}

TEST_CASE("report.json names the linear solvers that steps report, and they come back") {
    const ScratchFolder scratch;
    const auto file = scratch / "report.json";
    RunReport report;
    StepReport step;
    report.statistics.add(step);
    write_run_report(file, report);
    CHECK_FALSE(nlohmann::json::parse(read_bytes(file)).contains("linear_solver"));
    CHECK(read_linear_solvers(file).empty());
    step.linear_solver = "iterative";
    report.statistics.add(step);
    report.statistics.add(step);
    write_run_report(file, report);
    CHECK(nlohmann::json::parse(read_bytes(file))["linear_solver"] == "iterative");
    CHECK(read_linear_solvers(file) == std::set<std::string>{"iterative"});
    step.linear_solver = "direct";
    report.statistics.add(step);
    write_run_report(file, report);
    CHECK(nlohmann::json::parse(read_bytes(file))["linear_solver"] == "direct and iterative");
    CHECK(read_linear_solvers(file) == std::set<std::string>{"direct", "iterative"});
    CHECK(read_linear_solvers(scratch / "none.json").empty());
}

TEST_CASE("audit and certificate come back from the report of the step that they were written after") {
    ScratchFolder scratch;
    RunReport report;
    report.steps = 7;
    report.audit.emplace();
    report.audit->every = "step";
    report.audit->states = 8;
    report.audit->intersections = 2;
    report.audit->half_spaces = 1;
    report.audit->inversions = 5;
    report.audit->imbalance = 0.1;
    report.audit->examples = {"step 3: this", "step 4: that"};
    report.certificate.emplace();
    report.certificate->first_step = 2;
    report.certificate->last_step = 7;
    report.certificate->moves.moves = 40;
    report.certificate->moves.pairs = 1000;
    report.certificate->moves.proved = 999;
    report.certificate->moves.unproved = 1;
    report.certificate->broken_chains = 3;
    report.certificate->examples = {"step 5: a pair"};
    const auto file = scratch / "report.json";
    write_run_report(file, report);
    const auto json = nlohmann::json::parse(read_bytes(file));
    CHECK(json["intersections"] == 3);
    CHECK(json["inversions"] == 5);
    const auto audit = read_audit(file, 7);
    const auto certificate = read_certificate(file, 7);
    REQUIRE(audit);
    REQUIRE(certificate);
    CHECK(audit->every == "step");
    CHECK(audit->states == 8);
    CHECK(audit->imbalance == 0.1);
    CHECK(audit->examples == report.audit->examples);
    CHECK(certificate->first_step == 2);
    CHECK(certificate->last_step == 7);
    CHECK(certificate->moves.proved == 999);
    CHECK(certificate->moves.unproved == 1);
    CHECK(certificate->broken_chains == 3);
    CHECK(certificate->examples == report.certificate->examples);
    CHECK_FALSE(certificate->ok());
    CHECK(read_audit(file, 6));
    CHECK_FALSE(read_audit(file, 8));
    auto earlier = json;  // as reports were before overlaps were counted
    earlier["audit"].erase("overlapping_states");
    earlier["audit"].erase("penetration");
    std::ofstream(scratch / "earlier.json") << earlier;
    REQUIRE(read_audit(scratch / "earlier.json", 7));
    CHECK(read_audit(scratch / "earlier.json", 7)->penetration == 0.0);
    CHECK(read_outline(file)->steps == 7);
    std::ofstream(file) << R"({"steps": 7, "status": "done", "audit": {"every": 3}, "certificate": {}})";
    CHECK_THROWS_AS(read_audit(file, 7), InputError);
    CHECK_THROWS_AS(read_certificate(file, 7), InputError);
    std::ofstream(file) << "{";
    CHECK_THROWS_AS(read_outline(file), InputError);
    CHECK_FALSE(read_certificate(scratch / "missing.json", 7));
}
