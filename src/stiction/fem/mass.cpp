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

}  // namespace stiction
