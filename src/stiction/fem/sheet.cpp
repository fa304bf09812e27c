#include "stiction/fem/sheet.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double used_up_limit = 0.9;

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

std::vector<Tet> sheet_stencils(const SheetElements& elements) {
    return std::visit(
        [](const auto& terms) {
            std::vector<Tet> stencils(terms.vertices.size(), Tet{-1, -1, -1, -1});
            for (std::size_t e = 0; e < stencils.size(); ++e)
                std::copy(terms.vertices[e].begin(), terms.vertices[e].end(), stencils[e].begin());
            return stencils;
        },
        elements);
}

void sheet_energies(const SheetElements& elements, const VecX& x, std::vector<double>& out) {
    std::visit(Overloaded{[&](const TriangleElements& triangles) { membrane_energies(triangles, x, out); },
                          [&](const HingeBending& hinges) { hinge_energies(hinges, x, out); },
                          [&](const IsometricBending& hinges) { isometric_energies(hinges, x, out); },
                          [&](const auto& rods) { rod_energies(rods, x, out); }},
               elements);
}

double sheet_energy(const SheetElements& elements, const VecX& x) {
    return std::visit(Overloaded{[&](const TriangleElements& triangles) { return membrane_energy(triangles, x); },
                                 [&](const HingeBending& hinges) { return hinge_energy(hinges, x); },
                                 [&](const IsometricBending& hinges) { return isometric_energy(hinges, x); },
                                 [&](const auto& rods) { return rod_energy(rods, x); }},
                      elements);
}

void sheet_gradients(const SheetElements& elements, const VecX& x, std::vector<Vec12>& out,
                     const std::vector<char>& marked) {
    std::visit(Overloaded{[&](const TriangleElements& triangles) {
                              std::vector<Vec9> local;
                              membrane_gradients(triangles, x, local, marked);
                              out.assign(local.size(), Vec12::Zero());
                              for (std::size_t e = 0; e < local.size(); ++e) out[e].head<9>() = local[e];
                          },
                          [&](const HingeBending& hinges) { hinge_gradients(hinges, x, out); },
                          [&](const IsometricBending& hinges) { isometric_gradients(hinges, x, out); },
                          [&](const auto& rods) { rod_gradients(rods, x, out); }},
               elements);
}

void sheet_hessians(const SheetElements& elements, const VecX& x, bool project, std::vector<Mat12>& out) {
    const std::size_t count = std::visit([](const auto& terms) { return terms.vertices.size(); }, elements);
    out.resize(count);
    sheet_hessians(elements, x, project, 0, count, out.data());
}

void sheet_hessians(const SheetElements& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                    Mat12* out) {
    std::visit(Overloaded{[&](const TriangleElements& triangles) {
                              membrane_hessians(triangles, x, project, begin, end, out);
                          },
                          [&](const HingeBending& hinges) { hinge_hessians(hinges, x, project, begin, end, out); },
                          [&](const IsometricBending& hinges) { isometric_hessians(hinges, begin, end, out); },
                          [&](const auto& rods) { rod_hessians(rods, x, project, begin, end, out); }},
               elements);
}

double strain_limit_step_bound(const SheetElements& elements, const VecX& x, const VecX& p) {
    const auto* triangles = std::get_if<TriangleElements>(&elements);
    if (triangles == nullptr) return 1.0;
    const auto has_limit = [](const StrainLimit& limit) { return limit.stiffness > 0.0; };
    if (std::none_of(triangles->strain_limit.begin(), triangles->strain_limit.end(), has_limit)) return 1.0;
    const VecX end = x + p;
    std::vector<double> fractions(triangles->size(), 1.0);
    parallel_for(triangles->size(), [&](std::size_t e) {
        const StrainLimit& limit = triangles->strain_limit[e];
        if (!has_limit(limit)) return;
        const double before = principal_stretches(*triangles, e, x)[0],
                     after = principal_stretches(*triangles, e, end)[0];
        const double most = used_up_limit * (limit.limit - before);
        if (after - before > most) fractions[e] = most / (after - before);
    });
    return *std::min_element(fractions.begin(), fractions.end());
}

}  // namespace stiction
