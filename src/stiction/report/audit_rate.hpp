// How often a run is audited.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace stiction {

enum class AuditRate { off, frame, step };

/// Names of scenes, in the order of the enumerators.
inline const std::vector<std::string> audit_rate_names{"off", "frame", "step"};

/// `name` has to be one of audit_rate_names.
inline AuditRate audit_rate_from_name(const std::string& name) {
    return static_cast<AuditRate>(std::find(audit_rate_names.begin(), audit_rate_names.end(), name) -
                                  audit_rate_names.begin());
}

}  // namespace stiction
