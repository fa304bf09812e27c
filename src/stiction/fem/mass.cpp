#include "stiction/fem/mass.hpp"

namespace stiction {

void add_lumped_mass(const TetElements& elements, const std::vector<double>& density, std::vector<double>& nodal_mass) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const double share = 0.25 * density[e] * elements.volume[e];
        for (const Index vertex : elements.vertices[e]) nodal_mass[static_cast<std::size_t>(vertex)] += share;
    }
}

Eigen::Matrix4d consistent_mass(double density, double volume) {
    return density * volume / 20.0 * (Eigen::Matrix4d::Ones() + Eigen::Matrix4d::Identity());
}

QuadraticElements consistent_mass_elements(const TetElements& elements, const std::vector<double>& density) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    QuadraticElements result{elements.vertices, std::vector<Mat12>(elements.size(), Mat12::Zero())};
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const Eigen::Matrix4d weights = consistent_mass(density[e], elements.volume[e]);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b)
                result.matrices[e].block<3, 3>(3 * a, 3 * b).diagonal().setConstant(weights(a, b));
        }
    }
    return result;
}

Eigen::Matrix<double, 10, 10> consistent_mass(const Tet10Elements& elements, std::size_t e, double density) {
    Eigen::Matrix<double, 10, 10> result = Eigen::Matrix<double, 10, 10>::Zero();
    for (const auto& [point, weight] : mass_points()) {
        const std::array<double, 10> shapes = quadratic_shapes(point);
        const Eigen::Map<const Eigen::Matrix<double, 10, 1>> values(shapes.data());
        const double volume = bernstein_value(elements.rest_determinant[e], point) / 6.0;
        result += density * weight * volume * values * values.transpose();
    }
    return result;
}

std::array<double, 10> lumped_mass(const Tet10Elements& elements, std::size_t e, double density) {
    const Eigen::Matrix<double, 10, 1> diagonal = consistent_mass(elements, e, density).diagonal();
    const double scale = density * elements.volume[e] / diagonal.sum();
    std::array<double, 10> result;
    for (int a = 0; a < 10; ++a) result[static_cast<std::size_t>(a)] = scale * diagonal[a];
    return result;
}

void add_lumped_mass(const Tet10Elements& elements, const std::vector<double>& density,
                     std::vector<double>& nodal_mass) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const std::array<double, 10> share = lumped_mass(elements, e, density[e]);
        for (std::size_t a = 0; a < share.size(); ++a) nodal_mass[at(elements.vertices[e][a])] += share[a];
    }
}

QuadraticForms<10> consistent_mass_elements(const Tet10Elements& elements, const std::vector<double>& density) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    QuadraticForms<10> result{elements.vertices, std::vector<Mat30>(elements.size(), Mat30::Zero())};
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const Eigen::Matrix<double, 10, 10> weights = consistent_mass(elements, e, density[e]);
        for (int a = 0; a < 10; ++a) {
            for (int b = 0; b < 10; ++b)
                result.matrices[e].block<3, 3>(3 * a, 3 * b).diagonal().setConstant(weights(a, b));
        }
    }
    return result;
}

}  // namespace stiction
