#include "stiction/output/complementarity_table.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t complementarity_column_count = 19;

double phase(const StepReport& report, const char* name) {
    const auto found = report.phases_ms.find(name);
    return found == report.phases_ms.end() ? 0.0 : found->second;
}

/// False when the line is not a row of this table.
bool parse_row(const std::string& line, ComplementarityRow& row) {
    const std::vector<std::string> cells = table_cells(line);
    if (cells.size() != complementarity_column_count) return false;
    bool ok = true;
    std::size_t next = 0;
    const auto number = [&] { return cell_number(cells[next++], ok); };
    const auto count = [&] { return static_cast<int>(number()); };
    ComplementarityReport& contact = row.contact;
    row.step = count();
    row.t = number();
    contact.rows = count();
    contact.constraints = count();
    contact.sticking = count();
    contact.sliding = count();
    row.iterations = count();
    contact.solves = count();
    contact.elastic_linearisations = count();
    contact.mode_switches = count();
    contact.fallbacks = count();
    contact.momentum_error = number();
    contact.normal_error = number();
    contact.sticking_error = number();
    contact.sliding_error = number();
    contact.momentum_tolerance = number();
    contact.distance_tolerance = number();
    row.ms_solve = number();
    row.ms_collision = number();
    return ok;
}

}  // namespace

std::string ComplementarityTable::header() {
    return "step,t,contacts,constraints,sticking,sliding,iterations,solves,linearisations,switches,fallbacks,"
           "momentum_error,normal_error,sticking_error,sliding_error,eps_1,eps_2,ms_solve,ms_collision";
}

ComplementarityTable ComplementarityTable::create(const fs::path& path) {
    return ComplementarityTable(TableFile::replace(path, header()));
}

ComplementarityTable ComplementarityTable::resume(const fs::path& path, int last_step) {
    if (!fs::exists(path)) return create(path);
    const std::vector<ComplementarityRow> rows = read_complementarity_table(path);
    const std::vector<std::string> lines = table_rows(path, header());
    std::string text;
    for (std::size_t i = 0; i < rows.size() && rows[i].step <= last_step; ++i) text += lines[i] + "\n";
    return ComplementarityTable(TableFile::replace(path, header(), text));
}

void ComplementarityTable::append(int step, double t, const StepReport& report) {
    STICTION_CHECK(report.complementarity.has_value(), "a row of complementarity.csv without its numbers");
    const ComplementarityReport& c = *report.complementarity;
    // "{}" prints the shortest text that reads back as the same double.
    file_.append(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f}\n", step, t, c.rows,
                             c.constraints, c.sticking, c.sliding, report.iterations, c.solves,
                             c.elastic_linearisations, c.mode_switches, c.fallbacks, c.momentum_error, c.normal_error,
                             c.sticking_error, c.sliding_error, c.momentum_tolerance, c.distance_tolerance,
                             phase(report, "solve"), phase(report, "collision")));
}

std::vector<ComplementarityRow> read_complementarity_table(const fs::path& path) {
    std::vector<ComplementarityRow> rows;
    for (const std::string& line : table_rows(path, ComplementarityTable::header())) {
        ComplementarityRow row;
        if (!parse_row(line, row))
            throw InputError(path.string(), fmt::format("line {}", rows.size() + 2), line,
                             "a row of complementarity.csv");
        rows.push_back(row);
    }
    return rows;
}

}  // namespace stiction
