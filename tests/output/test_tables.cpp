#include "stiction/base/error.hpp"
#include "stiction/output/complementarity_table.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/run_report.hpp"
#include "stiction/output/step_table.hpp"
#include "stiction/output/zone_table.hpp"

#include "output/scratch_folder.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace stiction;
using stiction::test::ScratchFolder;
using stiction::test::write_text;

namespace {

StepReport sample_report(int step) {
    StepReport r;
    r.h = 0.01;
    r.iterations = 3 + step;
    r.linear_solves = 4;
    r.line_search = 5;
    r.ccd_queries = 6000000000L;
    r.contacts = 10 * step;
    r.min_gap = step == 1 ? INFINITY : 1e-3 / 3.0 / step;
    r.residual = 0.1;
    r.kinetic = 1.0 / 3.0;
    r.elastic = 2e-20;
    r.gravity = -12.5;
    r.momentum = Eigen::Vector3d(0.1, -0.2, 0.3);
    r.milliseconds = 12.3456;
    r.phases_ms = {{"solve", 5.0}, {"ccd", 2.5}, {"something_new", 1.25}, {"something_else", 0.25}};
    r.notes = {"factorisation shifted by inertia", "pair 12-345 skipped"};
    return r;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("steps.csv has exactly the documented columns and rows that read back bit by bit") {
    const ScratchFolder scratch;
    StepTable table = StepTable::create(scratch / "steps.csv");
    for (int step = 1; step <= 3; ++step) table.append(step, 0.01 * step, sample_report(step));
    const auto lines = lines_of(read_bytes(scratch / "steps.csv"));
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] ==
          "step,t,h,status,iterations,linear_solves,line_search,ccd_queries,contacts,min_gap,residual,kinetic,elastic,"
          "gravity,momentum_x,momentum_y,"
          "momentum_z,ms,ms_contacts,ms_assembly,ms_solve,ms_ccd,ms_line_search,ms_friction,ms_driven,ms_other");
    CHECK(lines[1] ==
          "1,0.01,0.01,converged,4,4,5,6000000000,10,inf,0.1,0.3333333333333333,2e-20,-12.5,0.1,-0.2,0.3,12.346,0.000,"
          "0.000,5.000,2.500,0.000,0.000,0.000,1.500");
    const auto rows = read_step_table(scratch / "steps.csv");
    REQUIRE(rows.size() == 3);
    const StepReport expected = sample_report(3);
    CHECK(rows[2].step == 3);
    CHECK(rows[2].t == 0.01 * 3);
    CHECK(rows[2].report.min_gap == expected.min_gap);
    CHECK(rows[2].report.kinetic == expected.kinetic);
    CHECK(rows[2].report.elastic == expected.elastic);
    CHECK(rows[2].report.momentum == expected.momentum);
    CHECK(rows[2].report.ccd_queries == 6000000000L);
    CHECK(std::isinf(rows[0].report.min_gap));
}

TEST_CASE("rows are on the disk as soon as they are appended") {
    const ScratchFolder scratch;
    StepTable table = StepTable::create(scratch / "steps.csv");
    table.append(1, 0.01, sample_report(1));
    CHECK(read_step_table(scratch / "steps.csv").size() == 1);
}

TEST_CASE("resuming a table cuts rows after the checkpoint and a half-written one") {
    const ScratchFolder scratch;
    {
        StepTable table = StepTable::create(scratch / "steps.csv");
        for (int step = 1; step <= 5; ++step) table.append(step, 0.01 * step, sample_report(step));
    }
    const std::string whole = read_bytes(scratch / "steps.csv");
    write_text(scratch / "steps.csv", whole + "6,0.06,0.01,conv");
    CHECK(read_step_table(scratch / "steps.csv").size() == 5);
    {
        StepTable table = StepTable::resume(scratch / "steps.csv", 3);
        REQUIRE(table.kept_rows().size() == 3);
        for (int step = 4; step <= 5; ++step) table.append(step, 0.01 * step, sample_report(step));
    }
    CHECK(read_bytes(scratch / "steps.csv") == whole);
    CHECK(StepTable::resume(scratch / "new.csv", 3).kept_rows().empty());
    write_text(scratch / "other.csv", "step,t\n1,2\n");
    CHECK_THROWS_WITH_AS(StepTable::resume(scratch / "other.csv", 3), doctest::Contains("line 1"), InputError);
    write_text(scratch / "bad.csv", StepTable::header() + "\n1,x\n");
    CHECK_THROWS_WITH_AS(StepTable::resume(scratch / "bad.csv", 3), doctest::Contains("line 2"), InputError);
}

namespace {

/// Two regions at a step, of which every number is another one; the second loses volume.
std::vector<FillingSummary> sample_zones(int step) {
    std::vector<FillingSummary> zones;
    for (const int zone : {0, 1}) {
        const double volume = zone == 0 ? 1.0 + step / 3.0 : 2.0 - step / 7.0, pressure = 100.0 * zone - step;
        zones.push_back({zone == 0 ? "tyre.1" : "bag",
                         1.0 / 3.0 + zone,
                         volume,
                         pressure,
                         {{volume, volume}, {pressure, pressure}}});
    }
    return zones;
}

}  // namespace

TEST_CASE("zones.csv has a row a step and zone, reads back bit by bit, and is cut where a run resumes") {
    const ScratchFolder scratch;
    const auto path = scratch / "zones.csv";
    {
        ZoneTable table = ZoneTable::create(path);
        for (int step = 0; step <= 5; ++step) table.append(step, 0.1 * step, sample_zones(step));
    }
    const std::string whole = read_bytes(path);
    CHECK(lines_of(whole)[0] == "step,t,zone,body,rest_volume,volume,pressure");
    CHECK(lines_of(whole)[1] == "0,0,0,tyre.1,0.3333333333333333,1,0");
    const auto rows = read_zone_table(path);
    REQUIRE(rows.size() == 12);
    CHECK(rows[9].step == 4);
    CHECK(rows[9].t == 0.1 * 4);
    CHECK(rows[9].zone == 1);
    CHECK(rows[9].body == "bag");
    CHECK(rows[9].rest_volume == sample_zones(4)[1].rest_volume);
    CHECK(rows[9].volume == sample_zones(4)[1].volume);
    CHECK(rows[9].pressure == 96.0);

    write_text(path, whole + "6,0.6,0,tyre.1,0.3");  // killed in the middle of the first row of a step
    CHECK(read_zone_table(path).size() == 12);
    ZoneTable table = ZoneTable::resume(path, 3);
    CHECK(read_zone_table(path).back().step == 3);
    // Extremes are those of the rows kept, and of what the summaries hold.
    std::vector<FillingSummary> zones = sample_zones(2);
    table.widen(zones);
    CHECK(zones[0].extremes.volume.min == 1.0);
    CHECK(zones[0].extremes.volume.max == 2.0);
    CHECK(zones[1].extremes.pressure.min == 97.0);
    CHECK(zones[1].extremes.pressure.max == 100.0);
    CHECK(zones[0].volume == sample_zones(2)[0].volume);
    for (int step = 4; step <= 5; ++step) table.append(step, 0.1 * step, sample_zones(step));
    CHECK(read_bytes(path) == whole);
    zones = sample_zones(2);
    table.widen(zones);
    CHECK(zones[1].extremes.volume.min == sample_zones(5)[1].volume);

    zones = sample_zones(2);
    ZoneTable::resume(scratch / "new.csv", 3).widen(zones);
    CHECK(zones[1].extremes.volume.min == zones[1].volume);
    CHECK(read_bytes(scratch / "new.csv") == ZoneTable::header() + "\n");
    write_text(scratch / "other.csv", "step,t\n1,2\n");
    CHECK_THROWS_WITH_AS(ZoneTable::resume(scratch / "other.csv", 3), doctest::Contains("line 1"), InputError);
    for (const char* bad :
         {"1,0.1,0,bag,1,2\n", "1,0.1,0,bag,1,2,x\n", "1,0.1,-1,bag,1,2,3\n", "1,0.1,0,bag,1,2,3,4\n"}) {
        write_text(scratch / "bad.csv", ZoneTable::header() + "\n0,0,0,bag,1,2,3\n" + bad);
        CHECK_THROWS_WITH_AS(ZoneTable::resume(scratch / "bad.csv", 3), doctest::Contains("line 3"), InputError);
    }
}

TEST_CASE(
    "complementarity.csv has exactly the documented columns, reads back bit by bit, and is cut where a run resumes") {
    const ScratchFolder scratch;
    const auto path = scratch / "complementarity.csv";
    const auto sample = [](int step) {
        StepReport report = sample_report(step);
        report.phases_ms["collision"] = 1.5;
        ComplementarityReport& contact = report.complementarity.emplace();
        contact.rows = 40;
        contact.constraints = 30 + step;
        contact.sticking = 7 + step;
        contact.sliding = 3;
        contact.solves = 5;
        contact.elastic_linearisations = 2;
        contact.mode_switches = 100 * step;
        contact.fallbacks = step % 2;
        contact.momentum_error = 2.5e-6 / step;
        contact.normal_error = 2e-7 / 3.0;
        contact.sticking_error = 4e-300;
        contact.sliding_error = 0.1;
        contact.momentum_tolerance = 5e-5;
        contact.distance_tolerance = 1e-6;
        contact.setup_seconds = 3.0;
        return report;
    };
    {
        ComplementarityTable table = ComplementarityTable::create(path);
        for (int step = 1; step <= 5; ++step) table.append(step, 0.01 * step, sample(step));
    }
    const std::string whole = read_bytes(path);
    const auto lines = lines_of(whole);
    REQUIRE(lines.size() == 6);
    CHECK(lines[0] ==
          "step,t,constraints,sticking,sliding,iterations,solves,linearisations,switches,fallbacks,momentum_error,"
          "normal_error,sticking_error,sliding_error,"
          "eps_1,eps_2,ms_solve,ms_collision");
    CHECK(lines[1] == "1,0.01,31,8,3,4,5,2,100,1,2.5e-06,6.666666666666667e-08,4e-300,0.1,5e-05,1e-06,5.000,1.500");
    const auto rows = read_complementarity_table(path);
    REQUIRE(rows.size() == 5);
    const ComplementarityReport expected = *sample(4).complementarity;
    CHECK(rows[3].step == 4);
    CHECK(rows[3].t == 0.01 * 4);
    CHECK(rows[3].iterations == sample(4).iterations);
    CHECK(rows[3].contact.constraints == 34);
    CHECK(rows[3].contact.sticking == 11);
    CHECK(rows[3].contact.sliding == 3);
    CHECK(rows[3].contact.solves == 5);
    CHECK(rows[3].contact.elastic_linearisations == 2);
    CHECK(rows[3].contact.mode_switches == 400);
    CHECK(rows[3].contact.fallbacks == 0);
    CHECK(rows[3].contact.momentum_error == expected.momentum_error);
    CHECK(rows[3].contact.normal_error == expected.normal_error);
    CHECK(rows[3].contact.sticking_error == expected.sticking_error);
    CHECK(rows[3].contact.sliding_error == expected.sliding_error);
    CHECK(rows[3].contact.momentum_tolerance == expected.momentum_tolerance);
    CHECK(rows[3].contact.distance_tolerance == expected.distance_tolerance);
    CHECK(rows[3].ms_solve == 5.0);
    CHECK(rows[3].ms_collision == 1.5);

    write_text(path, whole + "6,0.06,0,0,1,");
    {
        ComplementarityTable table = ComplementarityTable::resume(path, 3);
        CHECK(read_complementarity_table(path).size() == 3);
        for (int step = 4; step <= 5; ++step) table.append(step, 0.01 * step, sample(step));
    }
    CHECK(read_bytes(path) == whole);
    ComplementarityTable::resume(scratch / "new.csv", 3);
    CHECK(read_bytes(scratch / "new.csv") == ComplementarityTable::header() + "\n");
    write_text(scratch / "other.csv", "step,t\n1,2\n");
    CHECK_THROWS_WITH_AS(ComplementarityTable::resume(scratch / "other.csv", 3), doctest::Contains("line 1"),
                         InputError);
    for (const char* bad :
         {"2,0.1\n", "2,0.1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,x\n", "2,0.1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n"}) {
        write_text(scratch / "bad.csv", lines[0] + "\n" + lines[1] + "\n" + bad);
        CHECK_THROWS_WITH_AS(ComplementarityTable::resume(scratch / "bad.csv", 3), doctest::Contains("line 3"),
                             InputError);
    }
}

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

TEST_CASE("every status survives the table") {
    const ScratchFolder scratch;
    StepTable table = StepTable::create(scratch / "steps.csv");
    const Status all[] = {Status::converged,           Status::friction_not_converged, Status::substepped,
                          Status::iteration_limit,     Status::line_search_stalled,    Status::targets_not_reached,
                          Status::linear_solve_failed, Status::infeasible_start,       Status::not_supported};
    int step = 0;
    for (const Status status : all) {
        StepReport report;
        report.status = status;
        table.append(++step, 0.0, report);
    }
    const auto rows = read_step_table(scratch / "steps.csv");
    REQUIRE(rows.size() == std::size(all));
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].status == all[i]);
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
    CHECK(keys == std::vector<std::string>{
                      "audit",      "cause",  "certificate", "contacts", "energy",  "intersections",    "inversions",
                      "iterations", "method", "min_gap",     "notes",    "options", "peak_mb",          "penetration",
                      "phases_ms",  "scene",  "simulated_s", "status",   "steps",   "substepped_steps", "threads",
                      "version",    "wall_s"});
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
    CHECK(json["phases_ms"]["solve"] == 15.0);
    CHECK(json["phases_ms"]["something_new"] == 3.75);
    CHECK(json["notes"]["pair #-# skipped"] == 3);
    CHECK(json["notes"]["factorisation shifted by inertia"] == 3);
    CHECK(json["options"]["dhat"] == 0.001);

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
