#include "stiction/output/step_table.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr const char* fixed_columns =
    "step,t,h,status,iterations,linear_solves,line_search,ccd_queries,contacts,min_gap,residual,"
    "contact_residual,clamped,overlaps,deepest_overlap,overlap_a,overlap_b,kinetic,elastic,"
    "gravity,work_loads,work_driven,work_friction,work_damping,energy_gain,contact_energy,damped,"
    "momentum_x,momentum_y,momentum_z,momentum_loss,momentum_body,angular_momentum_loss,angular_momentum_body,"
    "element_quality,quality_body,quality_element,contact_load,contact_load_body,"
    "first_move,first_move_explained,first_move_body,ms";
constexpr std::size_t fixed_column_count = 43;

/// What a report says about the state at the end of the step: nothing for a step that was refused.
StepReport without_state(StepReport r) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    r.min_gap = r.kinetic = r.elastic = r.gravity = r.contact_energy = unknown;
    r.balance = {unknown, unknown, unknown, unknown, unknown};
    r.momentum.setConstant(unknown);
    r.momentum_loss.linear = r.momentum_loss.angular = r.quality.value = r.contact_load.share = unknown;
    r.first_move.distance = r.first_move.explained = unknown;
    return r;
}

std::string format_row(int step, double t, const StepReport& report) {
    const StepReport r = is_accepted(report.status) ? report : without_state(report);
    // "{}" prints the shortest text that reads back as the same double.
    std::string row = fmt::format("{},{},{},{},{},{},{},{},{},{},{}", step, t, r.h, to_string(r.status), r.iterations,
                                  r.linear_solves, r.line_search, r.ccd_queries, r.contacts, r.min_gap, r.residual);
    row += fmt::format(",{},{},{},{},{},{}", r.contact.residual, r.contact.clamped, r.contact.overlaps,
                       r.contact.deepest, r.contact.bodies[0], r.contact.bodies[1]);
    row += fmt::format(",{},{},{},{},{},{},{},{},{},{}", r.kinetic, r.elastic, r.gravity, r.balance.loads,
                       r.balance.driven, r.balance.friction, r.balance.damping, r.balance.gain, r.contact_energy,
                       r.damped);
    row += fmt::format(",{},{},{}", r.momentum.x(), r.momentum.y(), r.momentum.z());
    row += fmt::format(",{},{},{},{}", r.momentum_loss.linear, r.momentum_loss.body, r.momentum_loss.angular,
                       r.momentum_loss.angular_body);
    row += fmt::format(",{},{},{},{},{}", r.quality.value, r.quality.body, r.quality.element, r.contact_load.share,
                       r.contact_load.body);
    row += fmt::format(",{},{},{},{:.3f}", r.first_move.distance, r.first_move.explained, r.first_move.body,
                       r.milliseconds);
    const auto& known = StepTable::phases();
    for (const std::string& phase : known) {
        const auto found = r.phases_ms.find(phase);
        row += fmt::format(",{:.3f}", found == r.phases_ms.end() ? 0.0 : found->second);
    }
    double other = 0.0;
    for (const auto& [phase, ms] : r.phases_ms) {
        if (std::find(known.begin(), known.end(), phase) == known.end()) other += ms;
    }
    return row + fmt::format(",{:.3f}\n", other);
}

Status parse_status(const std::string& name, bool& ok) {
    for (int i = 0; i <= static_cast<int>(Status::not_supported); ++i) {
        if (name == to_string(static_cast<Status>(i))) return static_cast<Status>(i);
    }
    ok = false;
    return Status::converged;
}

/// False when the line is not a row of this table.
bool parse_row(const std::string& line, StepRow& row) {
    const std::vector<std::string> cells = table_cells(line);
    const auto& known = StepTable::phases();
    if (cells.size() != fixed_column_count + known.size() + 1) return false;
    bool ok = true;
    std::vector<double> value(cells.size(), 0.0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i != 3) value[i] = cell_number(cells[i], ok);
    }
    StepReport& r = row.report;
    row.step = static_cast<int>(value[0]);
    row.t = value[1];
    r.h = value[2];
    row.status = r.status = parse_status(cells[3], ok);
    r.iterations = static_cast<int>(value[4]);
    r.linear_solves = static_cast<int>(value[5]);
    r.line_search = static_cast<int>(value[6]);
    r.ccd_queries = static_cast<long>(value[7]);
    r.contacts = static_cast<int>(value[8]);
    r.min_gap = value[9];
    r.residual = value[10];
    r.contact = {value[11],
                 value[12],
                 static_cast<int>(value[13]),
                 value[14],
                 {static_cast<int>(value[15]), static_cast<int>(value[16])}};
    r.kinetic = value[17];
    r.elastic = value[18];
    r.gravity = value[19];
    r.balance = {value[20], value[21], value[22], value[23], value[24]};
    r.contact_energy = value[25];
    r.damped = static_cast<int>(value[26]);
    r.momentum = Eigen::Vector3d(value[27], value[28], value[29]);
    r.momentum_loss = {value[30], value[32], static_cast<int>(value[31]), static_cast<int>(value[33])};
    r.quality = {value[34], static_cast<int>(value[35]), static_cast<int>(value[36])};
    r.contact_load = {value[37], static_cast<int>(value[38])};
    r.first_move = {value[39], value[40], static_cast<int>(value[41])};
    r.milliseconds = value[42];
    for (std::size_t i = 0; i < known.size(); ++i) r.phases_ms[known[i]] = value[fixed_column_count + i];
    r.phases_ms["other"] = value.back();
    return ok;
}

}  // namespace

const std::vector<std::string>& StepTable::phases() {
    static const std::vector<std::string> names{"contacts",    "assembly", "solve", "ccd",
                                                "line_search", "friction", "driven"};
    return names;
}

std::string StepTable::header() {
    std::string line = fixed_columns;
    for (const std::string& phase : phases()) line += ",ms_" + phase;
    return line + ",ms_other";
}

StepTable StepTable::create(const fs::path& path) {
    return StepTable(TableFile::replace(path, header()));
}

StepTable StepTable::resume(const fs::path& path, int last_step) {
    if (!fs::exists(path)) return create(path);
    std::vector<StepRow> kept = read_step_table(path);
    const std::vector<std::string> lines = table_rows(path, header());
    std::string text;
    std::size_t count = 0;
    for (; count < kept.size() && kept[count].step <= last_step; ++count) text += lines[count] + "\n";
    kept.resize(count);
    StepTable table(TableFile::replace(path, header(), text));
    table.kept_ = std::move(kept);
    return table;
}

void StepTable::append(int step, double t, const StepReport& report) {
    file_.append(format_row(step, t, report));
}

std::vector<StepRow> read_step_table(const fs::path& path) {
    std::vector<StepRow> rows;
    for (const std::string& line : table_rows(path, StepTable::header())) {
        StepRow row;
        if (!parse_row(line, row))
            throw InputError(path.string(), fmt::format("line {}", rows.size() + 2), line, "a row of steps.csv");
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace stiction
