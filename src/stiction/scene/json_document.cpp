#include "stiction/scene/json_document.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

namespace stiction::scene {
namespace {

/// No scene nests deeper than about ten levels; writing a value out again recurses.
constexpr std::size_t most_levels = 100;

/// Keys whose list may be given as its only entry (one_or_many in spec_fields.hpp).
constexpr std::string_view lists_of_one[] = {"bodies", "obstacles", "boundary", "forces", "motion"};

/// Follows the parser's events to know the path of each key; refuses a key that an object already has, and nesting
/// without end.
class DuplicateKeys {
public:
    explicit DuplicateKeys(const std::string& file) : file_(file) {}

    bool operator()(int, Json::parse_event_t event, Json& value) {
        using Event = Json::parse_event_t;
        switch (event) {
            case Event::object_start:
            case Event::array_start:
                enter_value();
                if (levels_.size() >= most_levels) {
                    throw InputError(file_, path(), "",
                                     fmt::format("values nested at most {} levels deep", most_levels));
                }
                levels_.push_back({event == Event::array_start, {}, {}, -1});
                break;
            case Event::object_end:
            case Event::array_end: levels_.pop_back(); break;
            case Event::key: {
                auto& level = levels_.back();
                level.key = value.get<std::string>();
                if (!level.keys.insert(level.key).second) {
                    throw InputError(file_, path(), "", "each key once, this one is given twice");
                }
                break;
            }
            case Event::value: enter_value(); break;
        }
        return true;
    }

private:
    struct Level {
        bool is_array;
        std::set<std::string> keys;
        std::string key;
        int index;
    };

    void enter_value() {
        if (!levels_.empty() && levels_.back().is_array) ++levels_.back().index;
    }

    std::string path() const {
        std::string result;
        for (const auto& level : levels_) {
            if (level.is_array)
                result += fmt::format("[{}]", level.index);
            else
                result += (result.empty() ? "" : ".") + level.key;
        }
        return result;
    }

    const std::string& file_;
    std::vector<Level> levels_;
};

std::string place(const std::string& text, std::size_t byte) {
    const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const std::size_t line_start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t column = end - (line_start == std::string::npos ? 0 : line_start + 1) + 1;
    return fmt::format("line {}, column {}", line, column);
}

/// The part of the parser's message that says what is wrong, without its own prefix and place.
std::string reason(const std::string& what) {
    for (const std::string_view mark : {"syntax error ", "out_of_range."}) {
        const std::size_t at = what.find(mark);
        if (at != std::string::npos) return what.substr(at);
    }
    return what;
}

struct PathStep {
    std::string key;
    int index = -1;  ///< >= 0: an entry of a list
};

[[noreturn]] void bad_override(const std::string& text, const std::string& expected) {
    throw InputError("--set", text, "", expected);
}

std::vector<PathStep> parse_path(const std::string& path, const std::string& whole) {
    std::vector<PathStep> steps;
    std::size_t at = 0;
    while (at < path.size()) {
        if (path[at] == '[') {
            const std::size_t close = path.find(']', at);
            PathStep step;
            const char* last = close == std::string::npos ? nullptr : path.data() + close;
            if (!last || std::from_chars(path.data() + at + 1, last, step.index).ptr != last || step.index < 0 ||
                close == at + 1) {
                bad_override(whole, "an index such as [0]");
            }
            steps.push_back(step);
            at = close + 1;
            if (at == path.size() || path[at] == '[') continue;
            if (path[at] != '.') bad_override(whole, fmt::format("a '.' after {}", path.substr(0, at)));
            if (++at == path.size()) bad_override(whole, "a key after the last '.'");
            continue;
        }
        const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
        if (end == at) bad_override(whole, "a path such as bodies[0].material.density=900");
        steps.push_back({path.substr(at, end - at), -1});
        at = end;
        if (at < path.size() && path[at] == '.' && ++at == path.size()) bad_override(whole, "a key after the last '.'");
    }
    if (steps.empty()) bad_override(whole, "a path such as bodies[0].material.density=900");
    return steps;
}

}  // namespace

Json parse_json(const std::string& text, const std::string& file) {
    DuplicateKeys duplicates(file);
    try {
        return Json::parse(
            text, [&](int depth, Json::parse_event_t event, Json& value) { return duplicates(depth, event, value); });
    } catch (const Json::parse_error& error) {
        throw InputError(file, place(text, error.byte), reason(error.what()), "valid JSON");
    } catch (const Json::out_of_range& error) {
        throw InputError(file, "", reason(error.what()), "numbers that a double can hold");
    }
}

void apply_override(Json& document, const std::string& override_text) {
    const std::size_t equals = override_text.find('=');
    if (equals == std::string::npos) bad_override(override_text, "PATH=VALUE");
    const std::string value_text = override_text.substr(equals + 1);
    Json value = Json::parse(value_text, nullptr, false);
    if (value.is_discarded()) value = value_text;

    const std::vector<PathStep> steps = parse_path(override_text.substr(0, equals), override_text);
    if (steps.size() > 1 && steps[0].key == "method")
        bad_override(override_text,
                     "a path that begins with the method's own name, such as ipc.velocity_tolerance=1e-3");
    Json* at = &document;
    Json* parent = nullptr;
    std::string key;
    for (const auto& step : steps) {
        parent = at;
        if (step.index >= 0) {
            const bool list_of_one = at->is_object() && std::find(std::begin(lists_of_one), std::end(lists_of_one),
                                                                  key) != std::end(lists_of_one);
            key.clear();
            if (list_of_one) {
                if (step.index > 0) bad_override(override_text, "an index below 1: there is one entry, not in a list");
                continue;
            }
            if (!at->is_array()) bad_override(override_text, "a list before [" + std::to_string(step.index) + "]");
            if (static_cast<std::size_t>(step.index) >= at->size()) {
                bad_override(override_text, fmt::format("an index below {}, the length of the list", at->size()));
            }
            at = &(*at)[static_cast<std::size_t>(step.index)];
        } else {
            if (at->is_null()) *at = Json::object();
            if (!at->is_object())
                bad_override(override_text,
                             fmt::format("an object that can hold '{}', but there is {}", step.key, quoted(*at)));
            at = &(*at)[step.key];
            key = step.key;
        }
    }
    *at = std::move(value);
    if (steps.size() == 2 && steps[0].key == "time") {
        if (steps[1].key == "steps") parent->erase("end");
        if (steps[1].key == "end") parent->erase("steps");
    }
}

std::string quoted(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

}  // namespace stiction::scene
