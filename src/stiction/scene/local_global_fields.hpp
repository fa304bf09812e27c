// Keys of the options of `local_global`; see spec_fields.hpp.
#pragma once

#include "stiction/base/enum_names.hpp"
#include "stiction/methods/local_global/options.hpp"
#include "stiction/scene/kinetic_fields.hpp"

namespace stiction::scene {

/// A key whose values are the names of an enumeration.
template <class A, class Enum>
void describe_choice(A& a, Enum& value, const Field& field, const std::vector<std::string>& names) {
    std::string name = names[static_cast<std::size_t>(value)];
    a.choice(name, field, names);
    value = enum_from_name<Enum>(names, name);
}

template <class A>
void describe(A& a, local_global::Attachment& s) {
    a.field(s.body, Field{"body", "", "name of the body whose vertices are held"});
    a.field(
        s.to,
        Field{
            "to", "",
            "name of the body that holds them, of tetrahedra or triangles; empty: they stay where they are at t = 0"});
    a.field(s.centre, Field{"centre", "m", "of a ball, at t = 0: the body's vertices in it are held"});
    a.field(s.radius, Field{"radius", "m", "of that ball", above(0)});
    a.field(s.compliance,
            Field{"compliance", "m/N", "how far a vertex gives way to a force; 0: not at all", at_least(0)});
    for (const char* key : {"body", "centre", "radius"}) a.require(key);
}

template <class A>
void describe(A& a, local_global::Cable& s) {
    a.field(s.body, Field{"body", "", "name of the body that the cable runs through"});
    a.field(s.points, Field{"points", "m", "at t = 0, along the cable, two or more; they move with the body"});
    a.field(s.length, Field{"length", "s, -",
                            "length over time: `[time, fraction of the length at t = 0]` entries with rising times, "
                            "linear between and constant outside",
                            any(), "constant"});
    a.field(s.compliance,
            Field{"compliance", "m/N", "how far the cable gives way to its tension; 0: not at all", at_least(0)});
    for (const char* key : {"body", "points"}) a.require(key);
}

template <class A>
void describe(A& a, local_global::Options& s) {
    a.field(s.iterations,
            Field{"iterations", "", "iterations of local and global step in a time step", between(1, 1e6)});
    a.field(
        s.tolerance,
        Field{"tolerance", "m/s",
              "iterations end earlier when what the next one would do to positions is less than this speed; 0: never",
              at_least(0)});
    describe_choice(a, s.global_step,
                    Field{"global_step", "",
                          "solved with its factors (`complete`), the same accelerated (`lbfgs`), or one Jacobi "
                          "iteration instead, plain (`jacobi`) or accelerated (`chebyshev`), for comparison"},
                    local_global::global_step_names());
    a.field(
        s.jacobi_relaxation,
        Field{"jacobi_relaxation", "",
              "of `jacobi` and `chebyshev`: times the relaxation that converges where nothing is stiffer than at rest",
              between(1e-3, 2)});
    a.field(s.history, Field{"history", "", "corrections that `lbfgs` remembers", between(1, 1000)});
    a.field(s.extrapolate_below,
            Field{"extrapolate_below", "",
                  "volume ratio below which barrier laws are continued, where the material says nothing itself",
                  between(1e-3, 0.99)});
    a.field(
        s.thickness,
        Field{"thickness", "m",
              "distance that touching surfaces keep, beside their contact thickness; 0 means `thickness_relative` l",
              at_least(0)});
    a.field(s.thickness_relative, Field{"thickness_relative", "l", "`thickness` as a fraction of l", above(0)});
    describe_kinetic_velocity(a, s);
    a.field(
        s.budget_ms,
        Field{"budget_ms", "ms",
              "time after which no further iteration of a step begins; 0: no limit. Results depend on the machine then",
              at_least(0)});
    a.field(s.certify,
            Field{"certify", "",
                  "ends each step at the last point of its straight way that is free of intersections and inversions"});
    describe_choice(a, s.factors,
                    Field{"factors", "",
                          "what is kept of the constant matrix: its Cholesky factor, the inverse of that, or what "
                          "needs fewer operations"},
                    operator_names());
    describe_choice(
        a, s.device,
        Field{"device", "",
              "what the iterations run on: the processor, a GPU (`cuda`; needs a build with CUDA), a GPU where "
              "there is one that can run the scene (`auto`), or the GPU's algorithm on the processor, for "
              "comparison"},
        local_global::device_names());
    a.field(s.cache,
            Field{"cache", "",
                  "folder where the factored matrix is kept from run to run, a file for each; empty: it is made anew"});
    a.field(s.attachments, Field{"attachments", "", "vertices that are held by another body or where they are"});
    a.field(s.cables, Field{"cables", "", "strings through bodies, which hold their length and can be pulled"});
    describe_choice(a, s.contact.function, Field{"ncp_function", "", "function whose roots are the contact conditions"},
                    local_global::ncp_function_names());
    describe_choice(a, s.contact.scale,
                    Field{"complementarity_scale", "",
                          "what makes forces and gaps comparable in it: the inverse of the constant matrix, or of the "
                          "mass, for comparison"},
                    local_global::complementarity_scale_names());
    describe_choice(a, s.contact.friction,
                    Field{"friction_linearisation", "",
                          "what Newton takes for the derivative of friction: that of a projection onto the cone, or "
                          "the paper's secant"},
                    local_global::friction_linearisation_names());
    describe_choice(a, s.contact.indicators,
                    Field{"indicators", "",
                          "how the indicators of contact enter: made symmetric (`newton`), or as in the paper's "
                          "algorithm 4, for comparison"},
                    local_global::indicator_use_names());
    describe_choice(
        a, s.contact.delassus,
        Field{"delassus", "", "how products with the Delassus operator are made: with its matrix, or with solves"},
        local_global::delassus_kind_names());
    a.field(s.contact.newton_iterations,
            Field{"newton_iterations", "", "Newton iterations on the contact conditions in each iteration",
                  between(1, 1000)});
    a.field(s.contact.linear_iterations,
            Field{"linear_iterations", "", "conjugate residuals in each of them", between(1, 1e6)});
}

}  // namespace stiction::scene
