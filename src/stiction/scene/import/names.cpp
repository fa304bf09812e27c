#include "stiction/scene/import/names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

namespace stiction::scene {

std::string ImportNames::next(const std::string& file) {
    std::string stem = std::filesystem::path(file).stem().string();
    for (char& c : stem) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
    }
    if (stem.empty() || stem.front() == '.') stem.insert(0, "body");
    std::string name = stem;
    for (int& copy = copies_[stem]; !names_.insert(name).second;) name = fmt::format("{}_{}", stem, ++copy + 1);
    return name;
}

}  // namespace stiction::scene
