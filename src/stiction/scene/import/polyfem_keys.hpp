// Every key of PolyFEM's scenes, and what becomes of it here: the one list from which docs/import_polyfem.md is made.
// Part of import_polyfem.
#pragma once

#include <string>
#include <vector>

namespace stiction::scene {

/// What becomes of a key.
enum class PolyfemKind {
    honoured,        ///< means here what it means there
    noted,           ///< is mapped: a note in the scene says what is done otherwise
    without_effect,  ///< says nothing about the physics here; accepted and listed
    refused,  ///< has an effect there that there is none of here; accepted only where it says what happens anyway
};

struct PolyfemKey {
    const char* path;  ///< "geometry[].mesh"; `[]` stands for an entry of a list
    PolyfemKind kind;
    const char* meaning;  ///< here
};

/// All keys, in the order of the page.
const std::vector<PolyfemKey>& polyfem_keys();

/// The word for a kind in the table.
const char* polyfem_kind_name(PolyfemKind kind);

/// A part of docs/import_polyfem.md: the rows of the keys that begin alike.
struct PolyfemReferenceTable {
    std::string name;      ///< "geometry"
    std::string markdown;  ///< header, and one row a key
};
/// The tables of docs/import_polyfem.md.
std::vector<PolyfemReferenceTable> polyfem_reference();

}  // namespace stiction::scene
