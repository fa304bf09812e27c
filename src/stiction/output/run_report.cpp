#include "stiction/output/run_report.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/audit_json.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace stiction {
namespace {

using Json = nlohmann::ordered_json;

/// Between the linear solvers of a run whose choice changed on the way.
constexpr const char* linear_solver_separator = " and ";

/// Key among the notes of the steps that EnergyLedger::steps_above() counts.
constexpr const char* energy_note = "energy gained that nobody put in";

/// JSON knows no infinity.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// [smallest, largest]
Json range(const Extremes& extremes) {
    return Json::array({number(extremes.min), number(extremes.max)});
}

double mean(long total, long count) {
    return count > 0 ? static_cast<double>(total) / static_cast<double>(count) : 0.0;
}

Json rounded_ms(double ms) {
    return number(std::round(ms * 1e3) / 1e3);
}

std::string without_digits(const std::string& note) {
    std::string kind;
    for (const char c : note) {
        const char shown = std::isdigit(static_cast<unsigned char>(c)) != 0 ? '#' : c;
        if (shown != '#' || kind.empty() || kind.back() != '#') kind += shown;
    }
    return kind;
}

}  // namespace

std::vector<FillingSummary> filling_summaries(const World& world, const State& state) {
    const std::vector<double> overpressure = overpressures(world, state.t);
    std::vector<FillingSummary> result;
    for (std::size_t k = 0; k < world.fillings.size(); ++k) {
        const FilledRegion& filling = world.fillings[k];
        const double volume = filling.energy.zone.volume(state.x);
        const double pressure = filling.law(overpressure[k]).pressure(volume, filling.energy.rest_volume);
        const FillingExtremes extremes{{volume, volume}, {pressure, pressure}};
        result.push_back({world.bodies[static_cast<std::size_t>(filling.body)].name, filling.energy.rest_volume, volume,
                          pressure, extremes});
    }
    return result;
}

std::map<std::string, long> RunStatistics::all_notes() const {
    std::map<std::string, long> all = notes;
    if (energy.steps_above() > 0) all[energy_note] = energy.steps_above();
    return all;
}

void RunStatistics::add(const StepReport& report, long number) {
    ++steps;
    if (report.status == Status::substepped) substepped.add(number);
    if (report.status == Status::not_converged) not_converged.add(number);
    if (report.status == Status::friction_not_converged) friction_not_converged.add(number);
    if (report.contact.overlaps > 0) overlapping.add(number);
    if (report.damped > 0) ++damped_steps;
    worst_contact.residual = std::max(worst_contact.residual, report.contact.residual);
    worst_contact.clamped = std::max(worst_contact.clamped, report.contact.clamped);
    worst_contact.overlaps = std::max(worst_contact.overlaps, report.contact.overlaps);
    if (report.contact.deepest > worst_contact.deepest) {
        worst_contact.deepest = report.contact.deepest;
        worst_contact.bodies = report.contact.bodies;
    }
    iterations_total += report.iterations;
    iterations_max = std::max(iterations_max, report.iterations);
    contacts_total += report.contacts;
    contacts_max = std::max(contacts_max, report.contacts);
    min_gap = std::min(min_gap, report.min_gap);
    momentum_loss.add(report.momentum_loss.linear, number, report.momentum_loss.body);
    angular_momentum_loss.add(report.momentum_loss.angular, number, report.momentum_loss.angular_body);
    if (report.quality.value < worst_quality.value) {
        worst_quality = report.quality;
        worst_quality_step = number;
    }
    contact_load.add(report.contact_load.share, number, report.contact_load.body);
    if (report.first_move.body >= 0) first_move = report.first_move;
    step_ms += report.milliseconds;
    energy_end = report.kinetic + report.elastic + report.gravity;
    const long gaining_before = energy.steps_above();
    energy.add(report);
    if (energy.steps_above() > gaining_before) gaining.add(number);
    for (const auto& [phase, ms] : report.phases_ms) phases_ms[phase] += ms;
    if (!report.linear_solver.empty()) linear_solvers.insert(report.linear_solver);
    for (const std::string& note : report.notes) add_note(note);
}

void RunStatistics::add_note(const std::string& note, long times) {
    notes[without_digits(note)] += times;
}

std::optional<double> largest_penetration(const RunReport& report) {
    if (report.separation_promised || !report.audit || report.audit->states == 0) return std::nullopt;
    return report.audit->penetration;
}

std::string name_of(const RunReport& report, int body) {
    const bool known = body >= 0 && body < static_cast<int>(report.bodies.size());
    return known ? report.bodies[static_cast<std::size_t>(body)] : "";
}

void write_run_report(const std::filesystem::path& path, const RunReport& report) {
    const RunStatistics& s = report.statistics;
    Json json;
    json["scene"] = report.scene;
    json["method"] = report.method;
    json["version"] = report.version;
    json["threads"] = report.threads;
    json["status"] = report.status;
    json["cause"] = report.cause;
    const std::vector<Doubt> doubts = verdict(report);
    json["verdict"] = in_words(doubts);
    json["doubts"] = Json::array();
    for (const Doubt& doubt : doubts) {
        json["doubts"].push_back({{"check", doubt.check},
                                  {"worst", number(doubt.worst)},
                                  {"limit", number(doubt.limit)},
                                  {"steps", doubt.steps},
                                  {"first_step", doubt.first_step},
                                  {"text", doubt.text}});
    }
    json["steps"] = report.steps;
    json["substepped_steps"] = s.substepped.count;
    json["not_converged_steps"] = s.not_converged.count;
    json["damped_steps"] = s.damped_steps;
    json["simulated_s"] = number(report.simulated_s);
    json["wall_s"] = number(report.wall_s);
    json["peak_mb"] = number(report.peak_mb);
    json["iterations"] = {
        {"total", s.iterations_total}, {"mean", mean(s.iterations_total, s.steps)}, {"max", s.iterations_max}};
    if (!s.linear_solvers.empty())
        json["linear_solver"] = fmt::format("{}", fmt::join(s.linear_solvers, linear_solver_separator));
    json["contacts"] = {{"mean", mean(s.contacts_total, s.steps)}, {"max", s.contacts_max}};
    json["min_gap"] = number(s.min_gap);
    json["contact_residual"] = number(s.worst_contact.residual);
    json["overlaps"] = {{"steps", s.overlapping.count},
                        {"max", s.worst_contact.overlaps},
                        {"deepest", number(s.worst_contact.deepest)},
                        {"bodies", Json::array()}};
    for (const int body : s.worst_contact.bodies) {
        if (body >= 0 && static_cast<std::size_t>(body) < report.bodies.size())
            json["overlaps"]["bodies"].push_back(report.bodies[static_cast<std::size_t>(body)]);
    }
    json["worst_element"] = {{"quality", number(s.worst_quality.value)},
                             {"body", name_of(report, s.worst_quality.body)},
                             {"element", s.worst_quality.element},
                             {"step", s.worst_quality_step}};
    json["contact_load"] = {{"share", number(s.contact_load.value)},
                            {"body", name_of(report, s.contact_load.body)},
                            {"step", s.contact_load.step}};
    json["first_move"] = {{"distance", number(s.first_move.distance)},
                          {"explained", number(s.first_move.explained)},
                          {"body", name_of(report, s.first_move.body)}};
    const auto penetration = largest_penetration(report);
    json["penetration"] = penetration ? number(*penetration) : Json(nullptr);
    json["intersections"] =
        report.audit ? Json(report.audit->intersections + report.audit->half_spaces) : Json(nullptr);
    json["inversions"] = report.audit ? Json(report.audit->inversions) : Json(nullptr);
    json["audit"] = report.audit ? to_json(*report.audit) : Json(nullptr);
    json["certificate"] = report.certificate ? to_json(*report.certificate) : Json(nullptr);
    json["energy"] = {{"start", number(report.energy_start)},
                      {"end", number(report.energy_end)},
                      {"gain", number(s.energy.gain())},
                      {"gross_gain", number(s.energy.gross_gain())},
                      {"scale", number(s.energy.scale())}};
    if (!report.volumes.empty()) json["volumes"] = Json::array();
    for (const FillingSummary& filling : report.volumes) {
        json["volumes"].push_back({{"body", filling.body},
                                   {"rest_volume", number(filling.rest_volume)},
                                   {"volume", number(filling.volume)},
                                   {"pressure", number(filling.pressure)},
                                   {"volume_range", range(filling.extremes.volume)},
                                   {"pressure_range", range(filling.extremes.pressure)}});
    }
    json["phases_ms"] = Json::object();
    for (const auto& [phase, ms] : s.phases_ms) json["phases_ms"][phase] = rounded_ms(ms);
    json["notes"] = Json::object();
    for (const auto& [note, count] : s.all_notes()) json["notes"][note] = count;
    const Json scene = Json::parse(report.resolved_scene, nullptr, false);
    STICTION_CHECK(scene.is_object(), "the resolved scene of a report must be a JSON object");
    if (scene.contains("imported")) json["imported"] = scene["imported"];
    json["options"] = scene.contains(report.method) ? scene[report.method] : Json::object();
    // A path may hold bytes that are not UTF-8; they are replaced rather than refused.
    write_durably(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

namespace {

/// Null for what is not there or no JSON object.
Json read_report(const std::filesystem::path& path) {
    if (!std::filesystem::is_regular_file(path)) return nullptr;
    Json json = Json::parse(read_bytes(path), nullptr, false);
    const bool fits = json.is_object() && json.contains("steps") && json["steps"].is_number_integer();
    return fits ? json : Json(nullptr);
}

template <class Summary>
std::optional<Summary> read_summary(const std::filesystem::path& path, int steps, const char* key) {
    const Json report = read_report(path);
    if (!report.is_object() || report["steps"].get<int>() < steps || !report.contains(key) || report[key].is_null())
        return std::nullopt;
    Summary summary;
    try {
        from_json(report[key], summary);
    } catch (const nlohmann::json::exception& error) {
        throw InputError(path.string(), key, error.what(), "what a run writes there");
    }
    return summary;
}

}  // namespace

std::map<std::string, long> read_notes(const std::filesystem::path& path, int steps) {
    std::map<std::string, long> notes;
    const Json json = read_report(path);
    if (!json.is_object() || json["steps"].get<int>() != steps || !json.contains("notes") || !json["notes"].is_object())
        return notes;
    for (const auto& [note, count] : json["notes"].items()) {
        // The rows of steps.csv tell it again.
        if (note != energy_note && count.is_number_integer()) notes[note] = count.get<long>();
    }
    return notes;
}

std::set<std::string> read_linear_solvers(const std::filesystem::path& path) {
    std::set<std::string> solvers;
    const Json json = read_report(path);
    if (!json.is_object() || !json.contains("linear_solver") || !json["linear_solver"].is_string()) return solvers;
    std::string rest = json["linear_solver"].get<std::string>();
    const std::string separator = linear_solver_separator;
    for (std::size_t end = rest.find(separator); end != std::string::npos; end = rest.find(separator)) {
        solvers.insert(rest.substr(0, end));
        rest.erase(0, end + separator.size());
    }
    solvers.insert(rest);
    return solvers;
}

std::optional<RunOutline> read_outline(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return std::nullopt;
    const Json json = read_report(path);
    if (!json.is_object() || !json.contains("status") || !json["status"].is_string())
        throw InputError(path.string(), "", "", "the report of a run");
    return RunOutline{json["steps"].get<int>(), json["status"].get<std::string>()};
}

std::optional<audit::RunAudit> read_audit(const std::filesystem::path& path, int steps) {
    return read_summary<audit::RunAudit>(path, steps, "audit");
}

std::optional<audit::RunCertificate> read_certificate(const std::filesystem::path& path, int steps) {
    return read_summary<audit::RunCertificate>(path, steps, "certificate");
}

}  // namespace stiction
