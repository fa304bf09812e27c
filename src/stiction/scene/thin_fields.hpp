// Keys of thin bodies: sheets of triangles and rods of edges; see spec_fields.hpp.
#pragma once

#include "stiction/scene/field.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/world/world_builder.hpp"

#include <string>
#include <vector>

namespace stiction::scene {

inline const std::vector<std::string> rest_angle_kinds{"as_given", "flat"};
inline const std::vector<std::string> rest_shape_kinds{"as_given", "straight"};

template <class A>
void describe(A& a, StrainLimitSpec& s) {
    a.field(s.limit, Field{"limit", "", "principal stretch that is never reached; 1.1 is 10 % of extension", above(1)});
    a.field(s.start, Field{"start", "", "stretch from which the limit is felt, between 1 and `limit`", above(1),
                           "half way from 1 to `limit`"});
    a.field(s.stiffness, Field{"stiffness", "Pa", "stiffness of the limit", above(0), "Young's modulus"});
    a.require("limit");
}

template <class A>
void describe(A& a, ShellSpec& s) {
    a.field(s.thickness,
            Field{"thickness", "m", "thickness at rest: of the stiffness and the mass, not of the contact", above(0)});
    a.field(s.areal_density,
            Field{"areal_density", "kg/m^2", "mass per area", above(0), "`material.density` times `thickness`"});
    a.choice(
        s.bending,
        Field{"bending", "",
              "bending model: `hinge` angles between triangles, `isometric` or `laplacian` for sheets that are flat "
              "at rest and hardly stretch, or `none`"},
        bending_model_names());
    a.field(s.bending_stiffness, Field{"bending_stiffness", "N m", "flexural rigidity", above(0),
                                       "that of a homogeneous sheet, E t^3 / (12 (1 - nu^2))"});
    a.choice(s.rest_angles,
             Field{"rest_angles", "", "unbent shape of `hinge`: that of the placed mesh (`as_given`) or `flat`"},
             rest_angle_kinds);
    a.field(s.strain_limit, Field{"strain_limit", "", "keeps stretches below a limit", any(), "no limit"});
    a.require("thickness");
}

template <class A>
void describe(A& a, RodSpec& s) {
    a.field(
        s.radius,
        Field{"radius", "m",
              "of the circular cross-section at rest: of the stiffnesses and the mass, not of the contact", above(0)});
    a.field(s.linear_density,
            Field{"linear_density", "kg/m", "mass per length", above(0), "`material.density` times pi `radius`^2"});
    a.field(s.stretching_stiffness, Field{"stretching_stiffness", "N", "force per strain", above(0),
                                          "that of the cross-section, E pi `radius`^2"});
    a.field(s.bending_stiffness, Field{"bending_stiffness", "N m^2", "moment per curvature", above(0),
                                       "that of the cross-section, E pi `radius`^4 / 4"});
    a.choice(s.rest_shape, Field{"rest_shape", "", "unbent shape: that of the placed mesh (`as_given`) or `straight`"},
             rest_shape_kinds);
    a.require("radius");
}

}  // namespace stiction::scene
