// Audit and certificate of a run as JSON: each key is listed once, for writing and for reading.
#pragma once

#include "stiction/audit/run_summary.hpp"

#include <nlohmann/json.hpp>

namespace stiction {

nlohmann::ordered_json to_json(const audit::RunAudit& audit);
nlohmann::ordered_json to_json(const audit::RunCertificate& certificate);
/// Throws nlohmann::json::exception for keys that are missing or of another type.
void from_json(const nlohmann::ordered_json& json, audit::RunAudit& audit);
void from_json(const nlohmann::ordered_json& json, audit::RunCertificate& certificate);

}  // namespace stiction
