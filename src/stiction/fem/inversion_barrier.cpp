#include "stiction/fem/inversion_barrier.hpp"

#include "stiction/math/psd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

/// b(r) and its derivatives.
struct Barrier {
    double value = 0.0, slope = 0.0, curvature = 0.0;

    explicit Barrier(double r) {
        if (r >= barrier_ratio) return;
        if (!(r > 0.0)) {
            value = std::numeric_limits<double>::infinity();
            slope = curvature = std::numeric_limits<double>::quiet_NaN();
            return;
        }
        const double d = r - barrier_ratio, logarithm = std::log(r / barrier_ratio), share = d / r;
        value = -d * d * logarithm;
        slope = -d * (2.0 * logarithm + share);
        curvature = -2.0 * logarithm - 4.0 * share + share * share;
    }
};

/// The coefficients of an element near inversion.
struct Coefficients {
    std::array<Mat3, 4> jacobians;
    BernsteinCoefficients ratio;
    double scale;  ///< J

    Coefficients(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes)
        : jacobians(corner_jacobians(nodes)),
          ratio(determinant_coefficients(jacobians)),
          scale(elements.mu[e] * elements.volume[e] / 20.0) {
        for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] /= elements.rest_determinant[e][i];
    }
    bool active() const {
        return std::ranges::any_of(ratio, [](double r) { return !(r >= barrier_ratio); });
    }
};

}  // namespace

double inversion_barrier(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes) {
    const Coefficients at(elements, e, nodes);
    double sum = 0.0;
    for (const double r : at.ratio) sum += Barrier(r).value;
    return at.scale * sum;
}

void add_inversion_barrier_gradient(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes,
                                    Vec30& out) {
    const Coefficients at(elements, e, nodes);
    for (std::size_t i = 0; i < at.ratio.size(); ++i) {
        if (at.ratio[i] >= barrier_ratio) continue;
        const NodePositions slope = coefficient_gradient(at.jacobians, i);
        out += at.scale * Barrier(at.ratio[i]).slope / elements.rest_determinant[e][i] * slope.reshaped();
    }
}

void add_inversion_barrier_hessian(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes,
                                   bool project, Mat30& out) {
    const Coefficients at(elements, e, nodes);
    if (!at.active()) return;
    Mat30 sum = Mat30::Zero();
    for (std::size_t i = 0; i < at.ratio.size(); ++i) {
        if (at.ratio[i] >= barrier_ratio) continue;
        const Barrier barrier(at.ratio[i]);
        const double rest = elements.rest_determinant[e][i];
        const NodePositions gradient = coefficient_gradient(at.jacobians, i);
        const Vec30 slope = gradient.reshaped();
        sum += at.scale * barrier.curvature / (rest * rest) * slope * slope.transpose();
        add_coefficient_hessian(at.jacobians, i, at.scale * barrier.slope / rest, sum);
    }
    if (project) project_psd(sum);
    out += sum;
}

}  // namespace stiction
