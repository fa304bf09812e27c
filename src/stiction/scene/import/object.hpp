// Objects of a scene that was written for another program: each of their keys is read, noted as without effect here, or
// refused.
#pragma once

#include "stiction/scene/json_document.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace stiction::scene {

/// What an importer knows about the whole file.
struct ImportNotes {
    std::string file;                         ///< for messages
    std::vector<std::string> without_effect;  ///< paths of keys that say nothing about the physics here
    std::vector<std::string> notes{};         ///< what is done otherwise here than there
    double known_until = 0.0;                 ///< s: motions are not known beyond; 0: they are for ever
};

/// Reads one JSON object and remembers which keys were asked for. A key whose value is null counts as absent. All
/// errors are InputErrors that name the file, the path of the key, the value and what was expected.
class ImportObject {
public:
    /// @param json  the object at `path` ("" for the whole document); it and `notes` must outlive this
    /// @throws InputError when it is not an object
    ImportObject(const Json& json, std::string path, ImportNotes& notes);

    /// The value of a key, or nullptr; the key is known from now on.
    const Json* find(const std::string& key);
    /// An object inside; an absent one is empty.
    ImportObject object(const std::string& key);
    /// A list inside, where a single entry that is no list stands for itself; empty when absent.
    std::vector<const Json*> list(const std::string& key);
    /// Path of entry i of `list(key)`: without an index when the entry stands alone.
    std::string entry_path(const std::string& key, std::size_t i);

    double number(const std::string& key, double absent);
    int integer(const std::string& key, int absent);
    bool boolean(const std::string& key, bool absent);
    std::string text(const std::string& key, const std::string& absent);

    /// Keys that are accepted but say nothing here: the paths of all that stands below them are noted.
    void without_effect(std::initializer_list<const char*> keys);
    /// A key that may only say what happens here anyway. `expected` follows "expected" in the message.
    void only(const char* key, const Json& value, const char* expected);
    /// A key that may only hold an empty list, object or text.
    void only_empty(const char* key, const char* expected);
    /// Refuses the value of a key that is there.
    [[noreturn]] void refuse(const std::string& key, const std::string& expected);
    /// Refuses the object when the key is absent.
    const Json& require(const std::string& key, const std::string& expected);

    /// Refuses every key that nobody asked for, naming the nearest known one. Call it when all is read.
    void finish() const;

    const std::string& path() const { return path_; }
    std::string path_of(const std::string& key) const;
    ImportNotes& notes() const { return *notes_; }

private:
    const Json* object_;
    std::string path_;
    ImportNotes* notes_;
    std::vector<std::string> known_;
};

/// Three numbers. @throws InputError
std::array<double, 3> import_vector(const Json& json, const std::string& path, const std::string& file);

/// An integer. @throws InputError
int import_integer(const Json& json, const std::string& path, const std::string& file);

/// A finite number. @throws InputError
double import_number(const Json& json, const std::string& path, const std::string& file);

}  // namespace stiction::scene
