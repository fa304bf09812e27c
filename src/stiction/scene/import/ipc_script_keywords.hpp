// Every keyword of the IPC script format, and what becomes of it here: the one list from which
// docs/import_ipc_script.md is made. Part of import_ipc_script.
#pragma once

#include <string>
#include <vector>

namespace stiction::scene {

/// What becomes of a keyword.
enum class IpcKind {
    honoured,        ///< means here what it means there
    noted,           ///< is mapped: a note in the scene says what is done otherwise
    without_effect,  ///< says how the reference code computes or shows something; accepted and listed
};

struct IpcKeyword {
    const char* name;
    const char* arguments;  ///< as the page shows them
    IpcKind kind;
    const char* meaning;  ///< here
};

/// Keywords that begin a line.
const std::vector<IpcKeyword>& ipc_keywords();
/// What may follow a shape on its line.
const std::vector<IpcKeyword>& ipc_shape_extras();
/// The entry of a name in a list, or nullptr.
const IpcKeyword* find_ipc_keyword(const std::vector<IpcKeyword>& list, const std::string& name);

/// A part of docs/import_ipc_script.md.
struct IpcReferenceTable {
    std::string name;      ///< "keywords", "extras" or "animations"
    std::string markdown;  ///< header, and one row a name
};
/// The tables of docs/import_ipc_script.md.
std::vector<IpcReferenceTable> ipc_script_reference();

/// The word for a kind in the tables.
const char* ipc_kind_name(IpcKind kind);

}  // namespace stiction::scene
