// Names of the bodies and obstacles of imported scenes.
#pragma once

#include <map>
#include <set>
#include <string>

namespace stiction::scene {

/// Gives out names, each only once.
class ImportNames {
public:
    /// The stem of a file name, with '_' for what a name may not hold, and a number from the second on.
    /// @param file  a path, or any word; an empty or hidden one gets "body" in front
    std::string next(const std::string& file);

private:
    std::map<std::string, int> copies_;
    std::set<std::string> names_;
};

}  // namespace stiction::scene
