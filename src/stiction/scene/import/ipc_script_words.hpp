// Lines of an IPC script as words, taken one by one. Part of import_ipc_script.
#pragma once

#include "stiction/base/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace stiction::scene {

/// A line without its comment, with the lines that a `\` at its end continues.
struct IpcLine {
    int number = 0;  ///< of its first line in the file, from 1
    std::vector<std::string> words;
};

/// All lines of a script, empty ones too.
std::vector<IpcLine> split_ipc_lines(const std::string& text);

/// A word as a finite number; nothing when it is none.
std::optional<double> ipc_number(const std::string& word);

/// The words of a line after the first. Every complaint is an InputError with file, line and keyword.
class IpcWords {
public:
    /// Both must outlive the reader of the words; the line has at least one word, which is the keyword.
    IpcWords(const std::string& file, const IpcLine& line) : file_(file), line_(line), keyword_(line.words.front()) {}

    int line() const { return line_.number; }
    bool empty() const { return next_ >= line_.words.size(); }
    bool at_number() const { return !empty() && ipc_number(line_.words[next_]).has_value(); }
    /// The word that messages are about from now on.
    void set_keyword(const std::string& keyword) { keyword_ = keyword; }

    [[noreturn]] void refuse(const std::string& value, const std::string& expected) const;
    std::string text(const std::string& expected);
    double number(const std::string& expected);
    double number(const std::string& expected, bool (*allowed)(double));
    int integer(const std::string& expected);
    Vec3 vector(const std::string& expected);
    /// Throws when words are left.
    void finish() const;

private:
    const std::string& file_;
    const IpcLine& line_;
    std::string keyword_;
    std::size_t next_ = 1;
};

}  // namespace stiction::scene
