#include "stiction/base/error.hpp"
#include "stiction/output/complementarity_table.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/step_table.hpp"
#include "stiction/output/zone_table.hpp"

#include "output/sample_report.hpp"
#include "output/scratch_folder.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

using namespace stiction;
using stiction::test::sample_report;
using stiction::test::sample_zones;
using stiction::test::ScratchFolder;
using stiction::test::write_text;

namespace {

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
    CHECK(
        lines[0] ==
        "step,t,h,status,iterations,linear_solves,line_search,ccd_queries,contacts,min_gap,residual,"
        "contact_residual,clamped,overlaps,deepest_overlap,overlap_a,overlap_b,kinetic,elastic,"
        "gravity,work_loads,work_driven,work_friction,work_damping,energy_gain,contact_energy,damped,momentum_x,"
        "momentum_y,momentum_z,momentum_loss,momentum_body,angular_momentum_loss,angular_momentum_body,element_quality,"
        "quality_body,quality_element,contact_load,contact_load_body,first_move,first_move_explained,first_move_body,"
        "ms,ms_contacts,ms_assembly,ms_solve,ms_ccd,ms_line_search,ms_friction,ms_driven,ms_other");
    CHECK(lines[1] ==
          "1,0.01,0.01,converged,4,4,5,6000000000,10,inf,0.1,0.0001,0.25,3,0.002,1,4,0.3333333333333333,2e-20,-12.5,0."
          "5,-0.25,-1e-30,-0.125,0."
          "0625,0.015625,2,0.1,-0.2,0.3,0.015625,1,0.03125,2,-0.5,2,17,1.5,3,0.01,0.001,4,12.346,0.000,"
          "0.000,5.000,2.500,0.000,0.000,0.000,1.500");
    const auto rows = read_step_table(scratch / "steps.csv");
    REQUIRE(rows.size() == 3);
    const StepReport expected = sample_report(3);
    CHECK(rows[2].step == 3);
    CHECK(rows[2].t == 0.01 * 3);
    CHECK(rows[2].report.min_gap == expected.min_gap);
    CHECK(rows[2].report.contact.residual == expected.contact.residual);
    CHECK(rows[2].report.contact.clamped == expected.contact.clamped);
    CHECK(rows[2].report.contact.overlaps == expected.contact.overlaps);
    CHECK(rows[2].report.contact.deepest == expected.contact.deepest);
    CHECK(rows[2].report.contact.bodies == expected.contact.bodies);
    CHECK(rows[2].report.momentum_loss.linear == expected.momentum_loss.linear);
    CHECK(rows[2].report.momentum_loss.angular == expected.momentum_loss.angular);
    CHECK(rows[2].report.momentum_loss.body == 1);
    CHECK(rows[2].report.momentum_loss.angular_body == 2);
    CHECK(rows[2].report.quality.value == -0.5);
    CHECK(rows[2].report.quality.body == 2);
    CHECK(rows[2].report.quality.element == 17);
    CHECK(rows[2].report.contact_load.share == 1.5);
    CHECK(rows[2].report.contact_load.body == 3);
    CHECK(rows[2].report.first_move.distance == expected.first_move.distance);
    CHECK(rows[2].report.first_move.explained == expected.first_move.explained);
    CHECK(rows[2].report.first_move.body == 4);
    CHECK(rows[2].report.kinetic == expected.kinetic);
    CHECK(rows[2].report.elastic == expected.elastic);
    CHECK(rows[2].report.balance.loads == expected.balance.loads);
    CHECK(rows[2].report.balance.driven == expected.balance.driven);
    CHECK(rows[2].report.balance.friction == expected.balance.friction);
    CHECK(rows[2].report.balance.damping == expected.balance.damping);
    CHECK(rows[2].report.balance.gain == expected.balance.gain);
    CHECK(rows[2].report.contact_energy == expected.contact_energy);
    CHECK(rows[2].report.damped == expected.damped);
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

TEST_CASE("a refused step has no energies, works, momentum and gap") {
    const ScratchFolder scratch;
    StepTable table = StepTable::create(scratch / "steps.csv");
    StepReport refused = sample_report(1);
    refused.status = Status::iteration_limit;
    table.append(1, 0.01, refused);
    const StepReport row = read_step_table(scratch / "steps.csv").front().report;
    CHECK(row.status == Status::iteration_limit);
    CHECK(row.iterations == refused.iterations);
    CHECK(row.residual == refused.residual);
    for (const double value : {row.min_gap, row.kinetic, row.elastic, row.gravity, row.balance.loads, row.balance.gain,
                               row.contact_energy, row.momentum.x(), row.momentum.z()})
        CHECK(std::isnan(value));
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
          "step,t,contacts,constraints,sticking,sliding,iterations,solves,linearisations,switches,fallbacks,momentum_"
          "error,"
          "normal_error,sticking_error,sliding_error,"
          "eps_1,eps_2,ms_solve,ms_collision");
    CHECK(lines[1] == "1,0.01,40,31,8,3,4,5,2,100,1,2.5e-06,6.666666666666667e-08,4e-300,0.1,5e-05,1e-06,5.000,1.500");
    const auto rows = read_complementarity_table(path);
    REQUIRE(rows.size() == 5);
    const ComplementarityReport expected = *sample(4).complementarity;
    CHECK(rows[3].step == 4);
    CHECK(rows[3].t == 0.01 * 4);
    CHECK(rows[3].iterations == sample(4).iterations);
    CHECK(rows[3].contact.rows == 40);
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
         {"2,0.1\n", "2,0.1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,x\n", "2,0.1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n"}) {
        write_text(scratch / "bad.csv", lines[0] + "\n" + lines[1] + "\n" + bad);
        CHECK_THROWS_WITH_AS(ComplementarityTable::resume(scratch / "bad.csv", 3), doctest::Contains("line 3"),
                             InputError);
    }
}

TEST_CASE("every status survives the table") {
    const ScratchFolder scratch;
    StepTable table = StepTable::create(scratch / "steps.csv");
    const Status all[] = {Status::converged,           Status::friction_not_converged,
                          Status::not_converged,       Status::substepped,
                          Status::iteration_limit,     Status::line_search_stalled,
                          Status::targets_not_reached, Status::linear_solve_failed,
                          Status::infeasible_start,    Status::diverged,
                          Status::not_supported};
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
