// complementarity.csv: one row a step.
#pragma once

#include "stiction/output/table_file.hpp"
#include "stiction/report/step_report.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// One row of complementarity.csv.
struct ComplementarityRow {
    int step = 0;
    double t = 0.0;                 ///< s
    int iterations = 0;             ///< of the contact solver
    ComplementarityReport contact;  ///< but for `setup_seconds`, which is not in the table
    double ms_solve = 0.0;          ///< solving contact problems
    double ms_collision = 0.0;      ///< looking for what solutions run into
};

/// The file complementarity.csv, open for appending: how well each step solved its contact problem, and what that took.
class ComplementarityTable {
public:
    /// The header line, without its end.
    static std::string header();

    /// Starts a new file. Throws InputError when it cannot be written.
    static ComplementarityTable create(const std::filesystem::path& path);
    /// Goes on with a file: rows of steps after `last_step`, and a last row cut off by a kill, are removed first. A
    /// missing file is started anew. Throws InputError when the header is not that of this version or a row cannot be
    /// read.
    static ComplementarityTable resume(const std::filesystem::path& path, int last_step);

    /// Appends the row of a step, with one call.
    /// @param report  must have `complementarity`
    void append(int step, double t, const StepReport& report);

private:
    explicit ComplementarityTable(TableFile file) : file_(std::move(file)) {}
    TableFile file_;
};

/// All complete rows of a table. Throws InputError naming file and line.
std::vector<ComplementarityRow> read_complementarity_table(const std::filesystem::path& path);

}  // namespace stiction
