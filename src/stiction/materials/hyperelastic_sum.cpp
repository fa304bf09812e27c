#include "stiction/materials/hyperelastic_sum.hpp"

#include "stiction/base/error.hpp"
#include "stiction/materials/fixed_corotated.hpp"
#include "stiction/materials/neo_hookean.hpp"
#include "stiction/materials/saint_venant_kirchhoff.hpp"
#include "stiction/math/x_minus_log1p.hpp"

#include <cmath>

namespace stiction {
namespace {

/// exp(x) - 1 - x without cancellation.
double expm1_minus(double x) {
    if (std::abs(x) > 0.1) return std::expm1(x) - x;
    double series = 1.0;  // x^2 / 2 (1 + x/3 (1 + x/4 (...)))
    for (int k = 12; k >= 3; --k) series = 1.0 + x / k * series;
    return 0.5 * x * x * series;
}

/// Logarithms of stretches, with and without the change of volume.
struct LogStretches {
    Vec3 log;          ///< ln s_i
    double volume;     ///< ln J
    Vec3 isochoric;    ///< ln l_i
    double volume_m1;  ///< J - 1

    explicit LogStretches(const Vec3& s) {
        const Vec3 d = s - Vec3::Ones();
        log = d.unaryExpr([](double x) { return std::log1p(x); });
        volume = log.sum();
        isochoric = log.array() - volume / 3.0;
        volume_m1 = volume_change(d);
    }
};

/// sum l_i^m - 3 with its derivatives in ln s_i.
struct PowerSum {
    double m, value;
    Vec3 power;  ///< l_i^m

    PowerSum(const LogStretches& e, double exponent) : m(exponent), value(0.0) {
        for (int i = 0; i < 3; ++i) {
            power[i] = std::exp(m * e.isochoric[i]);
            value += expm1_minus(m * e.isochoric[i]);  // the ln l_i sum to zero
        }
    }
    Vec3 slope() const { return m * (power.array() - power.sum() / 3.0); }
    Mat3 curvature() const {
        Mat3 H;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                H(i, j) = m * m * ((i == j ? power[i] : 0.0) - (power[i] + power[j]) / 3.0 + power.sum() / 9.0);
        return H;
    }
    /// (slope_i - slope_j) / (s_i - s_j), also for s_i = s_j.
    double quotient(const Vec3& s, int i, int j) const {
        const double ratio = (s[i] - s[j]) / s[j];
        const double growth = ratio == 0.0 ? m : std::expm1(m * std::log1p(ratio)) / ratio;
        return m * power[j] * growth / s[j];
    }
};

/// An energy of J alone: its value, and J v', J (J v')' as derivatives in ln J.
struct VolumeEnergy {
    double value = 0.0, slope = 0.0, curvature = 0.0;

    VolumeEnergy(const MaterialTerm& term, const LogStretches& e) {
        const double c = term.coefficient, J = 1.0 + e.volume_m1, m = term.exponent;
        switch (term.kind) {
            case TermKind::log_volume:
                value = 0.5 * c * e.volume * e.volume;
                slope = c * e.volume;
                curvature = c;
                return;
            case TermKind::volume_power:
                value = c * std::pow(e.volume_m1, m);
                slope = c * m * std::pow(e.volume_m1, m - 1.0) * J;
                curvature = slope + c * m * (m - 1.0) * std::pow(e.volume_m1, m - 2.0) * J * J;
                return;
            case TermKind::volume_penalty: {
                const double squared_m1 = e.volume_m1 * (2.0 + e.volume_m1);  // J^2 - 1
                value = 0.25 * c * x_minus_log1p(squared_m1);
                slope = 0.5 * c * squared_m1;
                curvature = c * J * J;
                return;
            }
            default: throw InternalError("not an energy of the volume");
        }
    }
};

/// Calls visitor with the law that a term names; false if it names none.
template <class Visitor>
bool visit_law_of_term(const MaterialTerm& term, const Visitor& visitor) {
    switch (term.kind) {
        case TermKind::neo_hookean: visitor(NeoHookean<double>::from_lame(term.lame)); return true;
        case TermKind::saint_venant_kirchhoff: visitor(SaintVenantKirchhoff<double>::from_lame(term.lame)); return true;
        case TermKind::fixed_corotated: visitor(FixedCorotated<double>::from_lame(term.lame)); return true;
        default: return false;
    }
}

/// Derivatives of the terms that are functions of ln s.
struct LogDerivatives {
    Vec3 slope = Vec3::Zero();
    Mat3 curvature = Mat3::Zero();
};

LogDerivatives log_derivatives(const MaterialTerm& term, const LogStretches& e) {
    if (term.kind == TermKind::isochoric_power) {
        const PowerSum sum(e, term.exponent);
        return {term.coefficient * sum.slope(), term.coefficient * sum.curvature()};
    }
    if (term.kind == TermKind::isochoric_product) {
        const PowerSum I1(e, 2.0), I2(e, -2.0);
        const Mat3 mixed = I1.slope() * I2.slope().transpose();
        return {term.coefficient * (I1.slope() * I2.value + I1.value * I2.slope()),
                term.coefficient * (I1.curvature() * I2.value + I1.value * I2.curvature() + mixed + mixed.transpose())};
    }
    const VolumeEnergy volume(term, e);
    return {Vec3::Constant(volume.slope), Mat3::Constant(volume.curvature)};
}

/// (slope_i - slope_j) / (s_i - s_j) of a term that is a function of ln s.
double log_quotient(const MaterialTerm& term, const LogStretches& e, const Vec3& s, int i, int j) {
    if (term.kind == TermKind::isochoric_power) return term.coefficient * PowerSum(e, term.exponent).quotient(s, i, j);
    if (term.kind != TermKind::isochoric_product) return 0.0;
    const PowerSum I1(e, 2.0), I2(e, -2.0);
    return term.coefficient * (I1.quotient(s, i, j) * I2.value + I1.value * I2.quotient(s, i, j));
}

}  // namespace

std::string_view term_name(TermKind kind) {
    switch (kind) {
        case TermKind::isochoric_power: return "isochoric_power";
        case TermKind::isochoric_product: return "isochoric_product";
        case TermKind::log_volume: return "log_volume";
        case TermKind::volume_power: return "volume_power";
        case TermKind::volume_penalty: return "volume_penalty";
        case TermKind::neo_hookean: return "neo_hookean";
        case TermKind::saint_venant_kirchhoff: return "saint_venant_kirchhoff";
        case TermKind::fixed_corotated: return "fixed_corotated";
    }
    throw InternalError("unknown kind of a term");
}

std::vector<std::string> term_names() {
    std::vector<std::string> names;
    for (const TermKind kind : all_term_kinds) names.emplace_back(term_name(kind));
    return names;
}

std::optional<TermKind> term_from_name(std::string_view name) {
    for (const TermKind kind : all_term_kinds) {
        if (term_name(kind) == name) return kind;
    }
    return std::nullopt;
}

bool is_law(TermKind kind) {
    return visit_law_of_term({kind, 0.0, 0.0, {}}, [](const auto&) {});
}

LameParameters lame_of_terms(std::span<const MaterialTerm> terms) {
    double mu = 0.0, bulk = 0.0;
    for (const MaterialTerm& term : terms) {
        const double c = term.coefficient, m = term.exponent;
        if (term.kind == TermKind::isochoric_power) mu += 0.5 * c * m * m;
        if (term.kind == TermKind::log_volume || term.kind == TermKind::volume_penalty) bulk += c;
        if (term.kind == TermKind::volume_power && m == 2.0) bulk += 2.0 * c;
        visit_law_of_term(term, [&](const auto&) {
            mu += term.lame.mu;
            bulk += term.lame.lambda + 2.0 / 3.0 * term.lame.mu;
        });
    }
    return {mu, bulk - 2.0 / 3.0 * mu};
}

bool is_stable(const LameParameters& lame) {
    return lame.mu > 0.0 && 3.0 * lame.lambda + 2.0 * lame.mu > 1e-12 * lame.mu;
}

HyperelasticSum HyperelasticSum::from_lame(const LameParameters&) {
    throw InternalError("a sum of energies has terms of its own");
}

double HyperelasticSum::value(const Vec3& s) const {
    if (!(s.minCoeff() > 0.0)) return std::numeric_limits<double>::infinity();
    const LogStretches e(s);
    double sum = 0.0;
    for (const MaterialTerm& term : terms) {
        if (visit_law_of_term(term, [&](const auto& law) { sum += law.value(s); })) continue;
        if (term.kind == TermKind::isochoric_power)
            sum += term.coefficient * PowerSum(e, term.exponent).value;
        else if (term.kind == TermKind::isochoric_product)
            sum += term.coefficient * PowerSum(e, 2.0).value * PowerSum(e, -2.0).value;
        else
            sum += VolumeEnergy(term, e).value;
    }
    return sum;
}

Vec3 HyperelasticSum::gradient(const Vec3& s) const {
    if (!(s.minCoeff() > 0.0)) return Vec3::Constant(std::nan(""));
    const LogStretches e(s);
    Vec3 sum = Vec3::Zero();
    for (const MaterialTerm& term : terms) {
        if (visit_law_of_term(term, [&](const auto& law) { sum += law.gradient(s); })) continue;
        sum += log_derivatives(term, e).slope.cwiseQuotient(s);
    }
    return sum;
}

Mat3 HyperelasticSum::hessian(const Vec3& s) const {
    if (!(s.minCoeff() > 0.0)) return Mat3::Constant(std::nan(""));
    const LogStretches e(s);
    const Vec3 inverse = s.cwiseInverse();
    Mat3 sum = Mat3::Zero();
    for (const MaterialTerm& term : terms) {
        if (visit_law_of_term(term, [&](const auto& law) { sum += law.hessian(s); })) continue;
        const LogDerivatives derivatives = log_derivatives(term, e);
        Mat3 H = derivatives.curvature;
        H.diagonal() -= derivatives.slope;
        sum += inverse.asDiagonal() * H * inverse.asDiagonal();
    }
    return 0.5 * (sum + sum.transpose());
}

double HyperelasticSum::flip(const Vec3& s, int i, int j) const {
    if (!(s.minCoeff() > 0.0)) return std::nan("");
    const LogStretches e(s);
    double sum = 0.0;
    for (const MaterialTerm& term : terms) {
        if (visit_law_of_term(term, [&](const auto& law) { sum += law.flip(s, i, j); })) continue;
        // g = slope / s: the quotient of a product
        sum += log_quotient(term, e, s, i, j) / s[i] - log_derivatives(term, e).slope[j] / (s[i] * s[j]);
    }
    return sum;
}

double HyperelasticSum::twist(const Vec3& s, int i, int j) const {
    if (!(s.minCoeff() > 0.0)) return std::nan("");
    const LogStretches e(s);
    double sum = 0.0;
    for (const MaterialTerm& term : terms) {
        if (visit_law_of_term(term, [&](const auto& law) { sum += law.twist(s, i, j); })) continue;
        const Vec3 slope = log_derivatives(term, e).slope;
        sum += (slope[i] / s[i] + slope[j] / s[j]) / (s[i] + s[j]);
    }
    return sum;
}

}  // namespace stiction
