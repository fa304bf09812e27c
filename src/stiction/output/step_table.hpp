// steps.csv: one row a step.
#pragma once

#include "stiction/output/table_file.hpp"
#include "stiction/report/step_report.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// One row of steps.csv as it is read back.
struct StepRow {
    int step = 0;
    double t = 0.0;
    Status status = Status::converged;
    StepReport report;  ///< what the row tells; notes, trace and substeps are not in the table
};

/// The file steps.csv, open for appending. Every row is written with one call and flushed.
class StepTable {
public:
    /// The phases that have a column of their own, in order; times of all others add up in ms_other.
    static const std::vector<std::string>& phases();
    /// The header line, without its end.
    static std::string header();

    /// Starts a new file. Throws InputError when it cannot be written.
    static StepTable create(const std::filesystem::path& path);
    /// Goes on with a file: rows of steps after `last_step`, and a last row cut off by a kill, are removed first. The
    /// rows kept are in kept_rows(). A missing file is started anew. Throws InputError when the header is not that of
    /// this version or a row cannot be read.
    static StepTable resume(const std::filesystem::path& path, int last_step);

    /// Appends the row of the step that ended (or, for a failed one, should have ended) as step number `step` at time t
    /// (s).
    void append(int step, double t, const StepReport& report);

    const std::vector<StepRow>& kept_rows() const { return kept_; }

private:
    explicit StepTable(TableFile file) : file_(std::move(file)) {}
    TableFile file_;
    std::vector<StepRow> kept_;
};

/// All complete rows of a table. Throws InputError naming file and line.
std::vector<StepRow> read_step_table(const std::filesystem::path& path);

}  // namespace stiction
