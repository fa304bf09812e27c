// Lines of an IPC script as words, taken one by one. Part of import_ipc_script.
#pragma once

#include "stiction/base/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace stiction::scene {

/// A line of the file without its comment.
struct IpcLine {
    int number = 0;  ///< in the file, from 1
    std::vector<std::string> words;
    bool comment = false;    ///< whether one follows
    bool continues = false;  ///< whether `\` ends it: a shape goes on with the next line
};

/// All lines of a script, empty ones too.
std::vector<IpcLine> split_ipc_lines(const std::string& text);

/// A word as a finite number; nothing when it is none.
std::optional<double> ipc_number(const std::string& word);

/// Adds a text to a list that does not have it yet.
void add_once(std::vector<std::string>& list, const std::string& text);

/// The words of a line after the first. Every complaint is an InputError with file, line and keyword.
class IpcWords {
public:
    /// File and notes must outlive the reader of the words; the line has at least one word, which is the keyword.
    IpcWords(const std::string& file, IpcLine line, std::vector<std::string>& notes)
        : file_(file), line_(std::move(line)), notes_(notes), keyword_(line_.words.front()) {}

    int line() const { return line_.number; }
    const std::string& keyword() const { return keyword_; }
    bool empty() const { return next_ >= line_.words.size(); }
    bool commented() const { return line_.comment; }
    /// Whether the next word is a number or `inf`.
    bool at_time() const;
    bool at_number() const { return !empty() && ipc_number(line_.words[next_]).has_value(); }
    /// The word that messages are about from now on.
    void set_keyword(const std::string& keyword) { keyword_ = keyword; }
    /// Notes something about this line.
    void note(const std::string& text);

    [[noreturn]] void refuse(const std::string& value, const std::string& expected) const;
    std::string text(const std::string& expected);
    double number(const std::string& expected);
    double number(const std::string& expected, bool (*allowed)(double));
    /// Reads a number; where none is left on the line the value stays, as in the reference code, and that is noted.
    void number_into(double& value, const std::string& expected, bool (*allowed)(double) = nullptr);
    /// A time, which may be infinite; a missing one stays as in number_into().
    void time_into(double& value, const std::string& expected);
    int integer(const std::string& expected);
    Vec3 vector(const std::string& expected);
    /// Notes words that are left, which the reference code passes over.
    void finish();

private:
    const std::string& file_;
    IpcLine line_;
    std::vector<std::string>& notes_;
    std::string keyword_;
    std::size_t next_ = 1;
};

}  // namespace stiction::scene
