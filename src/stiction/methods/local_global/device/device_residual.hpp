// The conjugate residual method on a device.
#pragma once

#include "stiction/base/host_device.hpp"

#include <cstddef>

namespace stiction::local_global {

/// ConjugateResidual for a device: the same recursion, without a number that comes back to the CPU. Where the
/// recursion ends early, a flag on the device makes the rest of the iterations do nothing. All of an iteration but the
/// product with M is the work of one team, since its sums need all threads to wait for each other.
///
/// A product with M has three parts. parts() returns two of them, which a team runs:
///   before(team, scale, in)             what the product needs of scale[i] in[i]
///   after(team, scale, in, out)         out[i] = scale[i] (M (scale in))[i]
/// and apply() is called between them.
template <class Device>
class DeviceResidual {
public:
    template <class T>
    using Array = typename Device::template Array<T>;
    using LargeTeam = typename Device::LargeTeam;

    explicit DeviceResidual(Device& device) : device_(device) {}

    /// Makes room for `count` numbers. Before solve().
    void resize(std::size_t count) {
        for (auto* list : {&direction_, &image_, &residual_image_}) list->resize(count);
        scalars_.resize(sizeof(Scalars) / sizeof(double));
    }
    /// As ConjugateResidual::solve(), on arrays of the device.
    template <class Product>
    void solve(const double* scale, const Product& product, int iterations, double tolerance, double* b, double* y) {
        const Recursion recursion{.count = direction_.size(),
                                  .scale = scale,
                                  .tolerance = tolerance,
                                  .b = b,
                                  .y = y,
                                  .direction = direction_.data(),
                                  .image = image_.data(),
                                  .residual_image = residual_image_.data(),
                                  .scalars = reinterpret_cast<Scalars*>(scalars_.data())};
        const auto parts = product.parts();
        device_.run_team([=] STICTION_BODY(const LargeTeam& team) {
            recursion.start(team);
            parts.before(team, scale, b);
        });
        for (int k = 0; k < iterations; ++k) {
            product.apply();
            const bool first = k == 0, last = k + 1 == iterations;
            device_.run_team([=] STICTION_BODY(const LargeTeam& team) {
                if (recursion.scalars->active > 0.0) {
                    parts.after(team, scale, b, recursion.residual_image);
                    team.sync();
                    recursion.advance(team, first);
                    if (!last) parts.before(team, scale, b);
                }
                if (last) recursion.finish(team);
            });
        }
    }

    // What runs bodies is public: a CUDA compiler asks for it.

    struct Scalars {
        double active, first, curvature;
    };
    /// Limit of r . M r over r . r, as ConjugateResidual::smallest_curvature.
    static constexpr double smallest_curvature = 1e-12;

    /// The recursion as a team runs it. Each thread has elements of its own.
    struct Recursion {
        std::size_t count;
        const double* scale;
        double tolerance;
        double *b, *y, *direction, *image, *residual_image;
        Scalars* scalars;

        STICTION_HD void start(const LargeTeam& team) const {
            double square = 0.0;
            for (std::size_t i = team.rank(); i < count; i += team.size()) {
                y[i] = 0.0;
                b[i] *= scale[i];
                square += b[i] * b[i];
            }
            const double first = team.sum(square);
            if (team.rank() == 0) *scalars = {.active = first > 0.0 ? 1.0 : 0.0, .first = first, .curvature = 0.0};
        }
        /// A step along the direction that residual_image = M b continues.
        STICTION_HD void advance(const LargeTeam& team, bool first) const {
            const double before = scalars->curvature;
            double of_residual = 0.0;
            for (std::size_t i = team.rank(); i < count; i += team.size()) of_residual += b[i] * residual_image[i];
            const double curvature = team.sum(of_residual), beta = first ? 0.0 : curvature / before;
            double of_image = 0.0;
            of_residual = 0.0;
            for (std::size_t i = team.rank(); i < count; i += team.size()) {
                direction[i] = first ? b[i] : b[i] + beta * direction[i];
                image[i] = first ? residual_image[i] : residual_image[i] + beta * image[i];
                of_image += image[i] * image[i];
                of_residual += b[i] * b[i];
            }
            const double square = team.sum(of_image), residual = team.sum(of_residual);
            const bool goes_on = residual > tolerance * tolerance * scalars->first &&
                                 curvature > smallest_curvature * residual && square > 0.0;
            const double step = goes_on ? curvature / square : 0.0;
            for (std::size_t i = team.rank(); goes_on && i < count; i += team.size()) {
                y[i] += step * direction[i];
                b[i] -= step * image[i];
            }
            team.sync();  // all have read the numbers of the last iteration
            if (team.rank() == 0) {
                scalars->active = goes_on ? 1.0 : 0.0;
                scalars->curvature = curvature;
            }
        }
        STICTION_HD void finish(const LargeTeam& team) const {
            for (std::size_t i = team.rank(); i < count; i += team.size()) y[i] *= scale[i];
        }
    };

private:
    Device& device_;
    Array<double> direction_, image_, residual_image_, scalars_;
};

}  // namespace stiction::local_global
