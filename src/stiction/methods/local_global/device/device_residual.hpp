// The conjugate residual method on a device.
#pragma once

#include "stiction/base/host_device.hpp"

#include <cstddef>

namespace stiction::local_global {

/// ConjugateResidual for a device: the same recursion, without a number that comes back to the CPU. Where the
/// recursion ends early, a flag on the device makes the rest of the iterations do nothing.
template <class Device>
class DeviceResidual {
public:
    template <class T>
    using Array = typename Device::template Array<T>;

    explicit DeviceResidual(Device& device) : device_(device) {}

    /// As ConjugateResidual::solve(), on arrays of the device of `count` numbers.
    template <class Product>
    void solve(std::size_t count, const double* scale, const Product& product, int iterations, double tolerance,
               double* b, double* y) {
        for (auto* list : {&direction_, &image_, &residual_image_, &scaled_}) list->resize(count);
        scalars_.resize(sizeof(Scalars) / sizeof(double));
        auto* s = reinterpret_cast<Scalars*>(scalars_.data());
        double *direction = direction_.data(), *image = image_.data(), *residual_image = residual_image_.data();
        device_.for_each(count, [=] STICTION_HD(std::size_t i) {
            y[i] = 0.0;
            b[i] *= scale[i];
        });
        dot(count, b, b, &s->first);
        multiply(count, scale, product, b, residual_image);
        device_.for_each(count, [=] STICTION_HD(std::size_t i) {
            direction[i] = b[i];
            image[i] = residual_image[i];
        });
        dot(count, b, residual_image, &s->curvature);
        device_.for_each(1, [=] STICTION_HD(std::size_t) { s->active = s->first > 0.0 ? 1.0 : 0.0; });
        for (int k = 0; k < iterations; ++k) {
            advance(count, s, tolerance, b, y);
            if (k + 1 == iterations) break;
            multiply(count, scale, product, b, residual_image);
            turn_direction(count, s, b);
        }
        device_.for_each(count, [=] STICTION_HD(std::size_t i) { y[i] *= scale[i]; });
    }

    // What runs bodies is public: a CUDA compiler asks for it.

    struct Scalars {
        double active, first, residual, square, curvature, next, step, beta;
    };
    /// Limit of r . M r over r . r, as ConjugateResidual::smallest_curvature.
    static constexpr double smallest_curvature = 1e-12;

    void dot(std::size_t count, const double* a, const double* b, double* out) {
        device_.sum(
            count, [=] STICTION_HD(std::size_t i) { return a[i] * b[i]; }, out);
    }
    template <class Product>
    void multiply(std::size_t count, const double* scale, const Product& product, const double* in, double* out) {
        double* scaled = scaled_.data();
        device_.for_each(count, [=] STICTION_HD(std::size_t i) { scaled[i] = scale[i] * in[i]; });
        product(scaled, out);
        device_.for_each(count, [=] STICTION_HD(std::size_t i) { out[i] *= scale[i]; });
    }
    void advance(std::size_t count, Scalars* s, double tolerance, double* b, double* y) {
        const double *direction = direction_.data(), *image = image_.data();
        dot(count, image, image, &s->square);
        dot(count, b, b, &s->residual);
        device_.for_each(1, [=] STICTION_HD(std::size_t) {
            if (!(s->residual > tolerance * tolerance * s->first)) s->active = 0.0;
            if (!(s->curvature > smallest_curvature * s->residual) || !(s->square > 0.0)) s->active = 0.0;
            s->step = s->active > 0.0 ? s->curvature / s->square : 0.0;
        });
        device_.for_each(count, [=] STICTION_HD(std::size_t i) {
            if (!(s->active > 0.0)) return;
            y[i] += s->step * direction[i];
            b[i] -= s->step * image[i];
        });
    }
    void turn_direction(std::size_t count, Scalars* s, const double* b) {
        double *direction = direction_.data(), *image = image_.data();
        const double* residual_image = residual_image_.data();
        dot(count, b, residual_image, &s->next);
        device_.for_each(1, [=] STICTION_HD(std::size_t) {
            s->beta = s->active > 0.0 ? s->next / s->curvature : 0.0;
            s->curvature = s->active > 0.0 ? s->next : s->curvature;
        });
        device_.for_each(count, [=] STICTION_HD(std::size_t i) {
            if (!(s->active > 0.0)) return;
            direction[i] = b[i] + s->beta * direction[i];
            image[i] = residual_image[i] + s->beta * image[i];
        });
    }

private:
    Device& device_;
    Array<double> direction_, image_, residual_image_, scaled_, scalars_;
};

}  // namespace stiction::local_global
