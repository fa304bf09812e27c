#include "stiction/output/audit_json.hpp"

namespace stiction {
namespace {

using Json = nlohmann::ordered_json;

struct Writer {
    Json json = Json::object();
    template <class T>
    void operator()(const char* key, const T& value) {
        json[key] = value;
    }
    template <class T>
    void newer(const char* key, const T& value) {
        (*this)(key, value);
    }
};

struct Reader {
    const Json& json;
    template <class T>
    void operator()(const char* key, T& value) {
        value = json.at(key).get<T>();
    }
    /// A key that reports did not have at first: what it stands for had not happened then.
    template <class T>
    void newer(const char* key, T& value) {
        if (json.contains(key)) value = json.at(key).get<T>();
    }
};

template <class Visit, class Audit>
void visit_audit(Visit& visit, Audit& a) {
    visit("every", a.every);
    visit("last_step", a.last_step);
    visit("states", a.states);
    visit("faulty_states", a.faulty_states);
    visit("not_finite", a.not_finite);
    visit("intersections", a.intersections);
    visit("half_spaces", a.half_spaces);
    visit("inversions", a.inversions);
    visit.newer("overlapping_states", a.overlapping_states);
    visit.newer("penetration", a.penetration);
    visit("steps", a.steps);
    visit("imbalance", a.imbalance);
    visit.newer("imbalance_share", a.imbalance_share);
    visit.newer("imbalance_step", a.imbalance_step);
    visit("velocity_mismatch", a.velocity_mismatch);
    visit("cone_excess", a.cone_excess);
    visit.newer("friction_beyond", a.friction_beyond);
    visit.newer("contact_total", a.contact_total);
    visit("forces_without_contact", a.forces_without_contact);
    visit("pulling", a.pulling);
    visit("friction_power", a.friction_power);
    visit("energy_gain", a.energy_gain);
    visit("examples", a.examples);
    visit("milliseconds", a.milliseconds);
}

template <class Visit, class Certificate>
void visit_certificate(Visit& visit, Certificate& c) {
    visit("first_step", c.first_step);
    visit("last_step", c.last_step);
    visit("uncertified_steps", c.uncertified_steps);
    visit("start_faults", c.start_faults);
    visit("moves", c.moves.moves);
    visit("pairs", c.moves.pairs);
    visit("proved", c.moves.proved);
    visit("unproved", c.moves.unproved);
    visit("tets", c.moves.tets);
    visit("tets_unproved", c.moves.tets_unproved);
    visit("broken_chains", c.broken_chains);
    visit("examples", c.examples);
    visit("milliseconds", c.milliseconds);
}

}  // namespace

Json to_json(const audit::RunAudit& audit) {
    Writer writer;
    visit_audit(writer, audit);
    return writer.json;
}

Json to_json(const audit::RunCertificate& certificate) {
    Writer writer;
    visit_certificate(writer, certificate);
    return writer.json;
}

void from_json(const Json& json, audit::RunAudit& audit) {
    Reader reader{json};
    visit_audit(reader, audit);
}

void from_json(const Json& json, audit::RunCertificate& certificate) {
    Reader reader{json};
    visit_certificate(reader, certificate);
}

}  // namespace stiction
