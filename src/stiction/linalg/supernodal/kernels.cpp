#include "stiction/linalg/supernodal/kernels.hpp"

#include <cstddef>

namespace stiction::supernodal {

void substitute_forward(const double* block, Index width, Index front, double* values) {
    double* const x = values;
    double* const y = x + front;
    double* const z = y + front;
    for (Index j = 0; j < width; ++j, block += front) {
        const double a = x[j] /= block[j], b = y[j] /= block[j], c = z[j] /= block[j];
        for (Index i = j + 1; i < front; ++i) {
            x[i] -= block[i] * a;
            y[i] -= block[i] * b;
            z[i] -= block[i] * c;
        }
    }
}

void substitute_backward(const double* block, Index width, Index front, double* values) {
    double* const x = values;
    double* const y = x + front;
    double* const z = y + front;
    block += static_cast<std::size_t>(width) * static_cast<std::size_t>(front);
    for (Index j = width; j-- > 0;) {
        block -= front;
        double a = x[j], b = y[j], c = z[j];
        for (Index i = j + 1; i < front; ++i) {
            a -= block[i] * x[i];
            b -= block[i] * y[i];
            c -= block[i] * z[i];
        }
        x[j] = a / block[j];
        y[j] = b / block[j];
        z[j] = c / block[j];
    }
}

}  // namespace stiction::supernodal
