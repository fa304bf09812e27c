// Internal to the writers of XML.
#pragma once

#include <string>
#include <string_view>

namespace stiction::detail {

/// Text as it may stand between the quotes of an attribute.
inline std::string xml_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

}  // namespace stiction::detail
