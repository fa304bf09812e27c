#include "stiction/methods/local_global/element_arrays.hpp"

namespace stiction::local_global {
namespace {

TetArrays tet_arrays(const TetElements& elements, double extrapolate_below) {
    TetArrays result;
    const std::size_t n = elements.size();
    result.law = elements.law;
    result.extrapolate_below = elements.extrapolate_below;
    if (!is_invertible(elements.law) && elements.extrapolate_below == 0.0) result.extrapolate_below = extrapolate_below;
    result.count = n;
    result.corner.resize(4 * n);
    result.rest_inverse.resize(9 * n);
    result.volume = elements.volume;
    result.mu = elements.mu;
    result.lambda = elements.lambda;
    result.weight.resize(n);
    for (std::size_t e = 0; e < n; ++e) {
        for (std::size_t c = 0; c < 4; ++c) result.corner[c * n + e] = elements.vertices[e][c];
        for (std::size_t k = 0; k < 9; ++k) result.rest_inverse[k * n + e] = elements.rest_inverse[e].data()[k];
        result.weight[e] = elements.volume[e] * weight_density(elements.law, {elements.mu[e], elements.lambda[e]});
    }
    return result;
}

TriangleArrays triangle_arrays(const TriangleElements& elements) {
    TriangleArrays result;
    const std::size_t n = elements.size();
    result.law = elements.law;
    result.count = n;
    result.corner.resize(3 * n);
    result.rest_inverse.resize(4 * n);
    result.volume.resize(n);
    result.mu = elements.mu;
    result.lambda = elements.lambda;
    result.weight.resize(n);
    for (std::size_t e = 0; e < n; ++e) {
        for (std::size_t c = 0; c < 3; ++c) result.corner[c * n + e] = elements.vertices[e][c];
        for (std::size_t k = 0; k < 4; ++k) result.rest_inverse[k * n + e] = elements.rest_inverse[e].data()[k];
        result.volume[e] = elements.thickness[e] * elements.area[e];
        result.weight[e] = result.volume[e] * weight_density(elements.law, {elements.mu[e], elements.lambda[e]});
    }
    return result;
}

/// @param hessian  of the energy density in the principal stretches, at rest. Dilation and shear are its extremes
/// @param bounded  whether the law is nowhere stiffer than at rest
template <class Hessian>
double weight_of_stiffness(const Hessian& hessian, bool bounded) {
    const double along = hessian(0, 0), across = hessian(0, 1);
    const double dilation = along + static_cast<double>(hessian.rows() - 1) * across;
    const double largest = std::max({along, dilation, along - across}) / largest_stiffness_by_weight;
    return bounded ? largest : std::max(along, largest);
}

/// Calls visit(vertex, corner) for every corner, ascending.
template <class Visit>
void for_each_corner(const ElementArrays& arrays, const Visit& visit) {
    std::size_t corner = 0;
    for (const TetArrays& block : arrays.tets) {
        for (const Index vertex : block.corner) visit(static_cast<std::size_t>(vertex), corner++);
    }
    for (const TriangleArrays& block : arrays.triangles) {
        for (const Index vertex : block.corner) visit(static_cast<std::size_t>(vertex), corner++);
    }
}

}  // namespace

double weight_density(MaterialLaw law, const LameParameters& lame) {
    return visit_law(law, [&](auto type) {
        return weight_of_stiffness(
            Mat3(decltype(type)::type::from_lame(lame).hessian(Stretches<double>(1.0, 1.0, 1.0))),
            law == MaterialLaw::arap);
    });
}

double weight_density(MembraneLaw law, const LameParameters& lame) {
    return visit_membrane_law(law, [&](auto type) {
        return weight_of_stiffness(
            Mat2(decltype(type)::type::from_lame(lame).hessian(SheetStretches<double>(1.0, 1.0))),
            law == MembraneLaw::arap);
    });
}

ElementArrays::ElementArrays(const World& world, double extrapolate_below) {
    for (const ElasticGroup& group : world.elastic) {
        if (group.frames || group.elements.size() == 0) continue;
        tets.push_back(tet_arrays(group.elements, extrapolate_below));
        tets.back().first_element = element_count;
        first_tet_corner.push_back(corner_count);
        element_count += tets.back().count;
        corner_count += 4 * tets.back().count;
    }
    for (const SheetGroup& group : world.sheets) {
        const auto* membrane = std::get_if<TriangleElements>(&group.elements);
        if (membrane == nullptr || membrane->size() == 0) continue;
        triangles.push_back(triangle_arrays(*membrane));
        triangles.back().first_element = element_count;
        first_triangle_corner.push_back(corner_count);
        element_count += triangles.back().count;
        corner_count += 3 * triangles.back().count;
    }
    const auto vertices = static_cast<std::size_t>(world.vertex_count());
    vertex_begin.assign(vertices + 1, 0);
    for_each_corner(*this, [&](std::size_t vertex, std::size_t) { ++vertex_begin[vertex + 1]; });
    for (std::size_t v = 0; v < vertices; ++v) vertex_begin[v + 1] += vertex_begin[v];
    vertex_corner.resize(corner_count);
    std::vector<std::size_t> cursor(vertex_begin.begin(), vertex_begin.end() - 1);
    for_each_corner(*this, [&](std::size_t vertex, std::size_t corner) { vertex_corner[cursor[vertex]++] = corner; });
}

}  // namespace stiction::local_global
