// The one list of keys of a scene file: describe(archive, value) visits every member of a value with its Field.
//
// Archives (JsonReader, JsonWriter, SchemaBuilder) offer
//   field(value, Field)           a number, boolean, text, vector, list or nested value; empty optional: absent key
//   input(value, Field)           a key that is understood but written back under another name
//   flag(value, Field)            a key whose only value is `true`
//   choice(value, Field, names)   a text out of a list (or a list of such)
//   scale(value, Field)           three numbers, or one for all three
//   keyframes(value, Field)       times with displacements
//   shorthand(value, Field, key)  a nested value; anything but an object stands for {key: it}
//   shorthand_optional            the same for an optional
//   one_or_many(value, Field)     a list; a single object stands for a list of one
//   variant(name, chosen, visit)  keys that exist only when `chosen` is `name`
//   refuse(key, expected)         the value of a key does not go with the others
//   require(key), exactly_one({keys}), at_least_one({keys}), at_most_one({keys})
#pragma once

#include "stiction/dynamics/stage.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/report/audit_rate.hpp"
#include "stiction/scene/field.hpp"
#include "stiction/scene/local_global_fields.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/mlcp_fields.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/world/world_builder.hpp"

#include <algorithm>
#include <numbers>

namespace stiction::scene {

// Not local to the templates: g++ 12 fails on a local static that is made from another value.
inline const std::vector<std::string> generator_names{
    "box", "ball", "hollow_ball", "cylinder", "capsule", "torus", "ring", "rod", "cloth", "tube", "tire", "icosphere"};
inline const std::vector<std::string> obstacle_uses{"surface", "triangles", "edges", "points"};
inline const std::vector<std::string> frame_fields = OutputSpec{}.fields;
inline const std::vector<std::string> mass_kinds{"lumped", "consistent"};
inline const std::vector<std::string> rest_angle_kinds{"as_given", "flat"};
inline const std::vector<std::string> import_formats{"polyfem", "ipc_script"};

template <class A>
void describe(A& a, TimeSpec& s) {
    a.field(s.step, Field{"step", "s", "size h of a time step", above(0)});
    a.field(s.steps, Field{"steps", "", "number of steps", between(0, 1e9)});
    std::optional<double> end;
    a.input(end, Field{"end", "s", "in place of `steps`: time at which the run ends; the last step may pass it",
                       at_least(0), "`steps` decides"});
    if (end && *end / s.step > 1e9) a.refuse("end", "at most 1e9 steps");
    if (end) s.steps = steps_until(*end, s.step);
    a.choice(s.integrator,
             Field{"integrator", "",
                   "time integrator; `trapezoidal` is Newmark with beta 1/4, gamma 1/2 (see physics/integrators.md)"},
             integrator_names());
    a.field(s.max_substeps, Field{"max_substeps", "", "most pieces that one failing step may be cut into; 1 never cuts",
                                  between(1, 1e6)});
    a.at_most_one({"steps", "end"});
}

template <class A>
void describe(A& a, PairSpec& s) {
    a.field(s.bodies,
            Field{"bodies", "", "names of the two bodies or obstacles; twice the same name means self-contact"});
    a.field(s.friction, Field{"friction", "", "Coulomb coefficient of this pair", at_least(0), "`contact.friction`"});
    a.field(s.kinetic_friction, Field{"kinetic_friction", "", "coefficient once the pair slides; at most `friction`",
                                      at_least(0), "as `friction`"});
    a.field(s.enabled, Field{"enabled", "", "`false` lets the two pass through each other"});
    a.require("bodies");
}

template <class A>
void describe(A& a, ContactSpec& s) {
    a.field(s.friction, Field{"friction", "", "Coulomb coefficient of every pair without one of its own", at_least(0)});
    a.field(s.kinetic_friction, Field{"kinetic_friction", "", "the same once a pair slides; at most `friction`",
                                      at_least(0), "as `friction`"});
    a.field(s.self_contact,
            Field{"self_contact", "", "whether a body collides with itself; `pairs` may say otherwise for one body"});
    a.field(s.pairs, Field{"pairs", "", "pairs of bodies with a coefficient of their own, or switched off"});
}

/// Keys of a generator whose mesh is as fine as `edge_length` says, which is `standard` (m) when nothing else is given.
template <class A>
void describe_edge_length(A& a, MeshSpec& s, double standard, const char* absent) {
    a.field(s.edge_length, Field{"edge_length", "m", "about the length of the edges", above(0), absent});
    if (!s.edge_length && !s.cells && !s.vertices) s.edge_length = standard;
}

template <class A>
void describe_generators(A& a, MeshSpec& s) {
    a.variant("box", s.generate, [&] {
        a.field(s.size, Field{"size", "m", "edges along x, y, z", above(0)});
        a.field(s.cells, Field{"cells", "", "in place of `edge_length`: cells along x, y, z", at_least(1),
                               "`edge_length` decides"});
        describe_edge_length(a, s, s.size.maxCoeff() / 8.0, "an eighth of the longest edge");
    });
    a.variant("ball", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m", "radius", above(0)});
        a.field(s.vertices, Field{"vertices", "", "in place of `edge_length`: about this many vertices", at_least(13),
                                  "`edge_length` decides"});
        describe_edge_length(a, s, s.radius / 5.0, "a fifth of `radius`");
    });
    a.variant("hollow_ball", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m", "outer radius", above(0)});
        a.field(s.thickness, Field{"thickness", "m", "of the wall, less than `radius`", above(0)});
        a.field(s.divisions,
                Field{"divisions", "", "n: pieces of each edge of an icosahedron; each wall has 10 n^2 + 2 vertices",
                      between(1, 1e6)});
        a.field(s.layers,
                Field{"layers", "", "m: layers of tets across the wall, 60 n^2 m tets in all", between(1, 1e6)});
    });
    a.variant("cylinder", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m", "radius; the axis is y", above(0)});
        a.field(s.height, Field{"height", "m", "extent along y", above(0)});
        describe_edge_length(a, s, s.radius / 4.0, "a quarter of `radius`");
    });
    a.variant("capsule", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m",
                                "radius of the cylinder and of the half balls at its ends; the axis is y", above(0)});
        a.field(s.height, Field{"height", "m", "extent of the cylinder along y, without its ends", above(0)});
        a.field(s.divisions, Field{"divisions", "", "n: pieces of the radius", between(1, 1e6)});
        a.field(s.capsule_layers,
                Field{"layers", "", "m: layers of tets along the cylinder; 18 n^2 m + 12 n^3 tets in all",
                      between(1, 1e6)});
    });
    a.variant("torus", s.generate, [&] {
        a.field(s.major_radius,
                Field{"major_radius", "m", "radius of the centre line, a circle in the xz plane", above(0)});
        a.field(s.minor_radius, Field{"minor_radius", "m", "radius of the tube, less than `major_radius`", above(0)});
        describe_edge_length(a, s, s.minor_radius / 3.0, "a third of `minor_radius`");
    });
    a.variant("ring", s.generate, [&] {
        a.field(s.major_radius,
                Field{"major_radius", "m", "radius of the centre line, a circle in the xz plane", above(0)});
        a.field(s.minor_radius,
                Field{"minor_radius", "m",
                      "from the centre line to the corners of the cross-section, less than `major_radius`", above(0)});
        a.field(s.segments, Field{"segments", "", "n: pieces along the circle", between(3, 1e6)});
        a.field(s.sides, Field{"sides", "",
                               "s: of the cross-section, a regular polygon that turns one side to the axis; n s "
                               "vertices, 3 n (s - 2) tets",
                               between(3, 8)});
    });
    a.variant("rod", s.generate, [&] {
        a.field(s.length, Field{"length", "m", "extent along x", above(0)});
        a.field(s.width, Field{"width", "m", "extent along y and z", above(0)});
        describe_edge_length(a, s, s.width / 3.0, "a third of `width`");
    });
    a.variant("cloth", s.generate, [&] {
        a.field(s.extent, Field{"size", "m", "edges along x and z; triangles in the xz plane, for shells and obstacles",
                                above(0)});
        describe_edge_length(a, s, std::max(s.extent[0], s.extent[1]) / 20.0, "a twentieth of the longer edge");
    });
    a.variant("tube", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m", "radius; the axis is y", above(0)});
        a.field(s.height, Field{"height", "m",
                                "extent along y; triangles of an open cylinder, for shells and obstacles", above(0)});
        a.field(s.around, Field{"around", "", "n: vertices in a row around the axis", between(3, 1e6)});
        a.field(s.along,
                Field{"along", "", "m: rows of triangles along the axis, 2 n m triangles in all", between(1, 1e6)});
    });
    a.variant("tire", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m", "radius of the tread; the axis is y", above(0)});
        a.field(s.rim_radius, Field{"rim_radius", "m", "radius of the rim, less than `radius`", above(0)});
        a.field(s.tire_width, Field{"width", "m", "extent along y", above(0)});
        a.field(s.around, Field{"around", "", "n: vertices in a row around the axis", between(3, 1e6)});
        a.field(s.across,
                Field{"across", "", "about this many rows r of triangles around the profile; 2 n r triangles in all",
                      between(4, 1e6)});
    });
    a.variant("icosphere", s.generate, [&] {
        a.field(s.radius, Field{"radius", "m", "radius; triangles, for shells and obstacles", above(0)});
        a.field(s.subdivisions, Field{"subdivisions", "",
                                      "times that the triangles of an icosahedron are split in four", between(0, 9)});
    });
}

template <class A>
void describe(A& a, MeshSpec& s) {
    static const std::string files = "mesh file (" + mesh_extension_list() + "), relative to the scene";
    a.field(s.file, Field{"file", "", files.c_str(), any(), "`generate` decides"});
    a.choice(s.generate,
             Field{"generate", "", "shape that is made on the spot, centred at the origin; its keys are listed below",
                   any(), "`file` decides"},
             generator_names);
    describe_generators(a, s);
    a.exactly_one({"file", "generate"});
    a.at_most_one({"edge_length", "cells"});
    a.at_most_one({"edge_length", "vertices"});
}

template <class A>
void describe(A& a, RotationSpec& s) {
    a.field(s.euler, Field{"euler", "degree",
                           "angles about the fixed axes x, then y, then z; a bare list of three numbers means this",
                           any(), "no rotation"});
    a.field(s.axis,
            Field{"axis", "", "axis of a single rotation, any length but zero; needs `angle`", any(), "no rotation"});
    a.field(s.angle, Field{"angle", "degree", "right-handed angle about `axis`", any(), "no rotation"});
    a.at_most_one({"euler", "axis"});
    a.at_most_one({"euler", "angle"});
}

template <class A>
void describe(A& a, TransformSpec& s) {
    a.field(s.center, Field{"center", "", "first moves the centre of the bounding box to the origin"});
    a.scale(s.scale, Field{"scale", "", "factor, or three factors along x, y, z, about the origin", above(0), "1"});
    a.field(s.dimensions,
            Field{"dimensions", "m",
                  "in place of `scale`: extents of the bounding box before the rotation; 0 keeps an extent",
                  at_least(0), "`scale` decides"});
    a.shorthand(s.rotation, Field{"rotation", "", "turn about the origin"}, "euler");
    a.field(s.translation, Field{"translation", "m", "shift, applied last"});
    a.at_most_one({"scale", "dimensions"});
}

template <class A>
void describe(A& a, MaterialSpec& s) {
    a.choice(s.law, Field{"law", "", "constitutive law"}, law_names());
    a.field(s.youngs_modulus, Field{"youngs_modulus", "Pa", "Young's modulus", above(0)});
    a.field(s.poissons_ratio, Field{"poissons_ratio", "", "Poisson's ratio", inside(-1, 0.5)});
    a.field(s.density, Field{"density", "kg/m^3", "mass per volume of the undeformed solid", above(0)});
    a.field(s.mass_damping, Field{"mass_damping", "1/s", "Rayleigh damping in proportion to the mass", at_least(0)});
    a.field(s.stiffness_damping,
            Field{"stiffness_damping", "s", "Rayleigh damping in proportion to the stiffness", at_least(0)});
    a.field(s.extrapolate_below, Field{"extrapolate_below", "",
                                       "of a solid of `neo_hookean`: volume ratio below which its stress goes on "
                                       "linearly, finite also when inverted (0.7 is usual)",
                                       Range{smallest_extrapolation, 1.0, false, true}, "the law as it is"});
}

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
    a.choice(s.bending,
             Field{"bending", "",
                   "bending model: `hinge` angles between triangles, `isometric` for sheets that are flat at rest and "
                   "hardly stretch, or `none`"},
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
void describe(A& a, RigidSpec& s) {
    a.field(s.rigidity,
            Field{"rigidity", "Pa",
                  "stiffness that holds the shape under `ipc` and `implicit`, where a rigid body is an affine one "
                  "(kappa of physics/rigid.md); it resists strain like a Young's modulus of eight times this",
                  above(0)});
}

template <class A>
void describe(A& a, VolumeSpec& s) {
    a.choice(s.law, Field{"law", "", "how pressure depends on volume"}, volume_law_names());
    a.choice(s.region,
             Field{"region", "",
                   "what is filled: the inside of a closed `surface`, each `cavity` of a hollow solid, or the union of "
                   "its `tets`",
                   any(), "`surface` of a shell, `cavity` of a solid"},
             filled_part_names());
    a.field(s.compressibility,
            Field{"compressibility", "1/Pa", "isothermal compressibility; not used by `ideal_gas`", above(0)});
    std::optional<double> per_atmosphere;
    a.input(per_atmosphere,
            Field{"compressibility_per_atm", "1/atm", "in place of `compressibility`: air has 1, water 4.6e-5",
                  above(0), "`compressibility` decides"});
    if (per_atmosphere) s.compressibility = compressibility_from_per_atmosphere(*per_atmosphere);
    a.field(s.atmospheric_pressure,
            Field{"atmospheric_pressure", "Pa", "absolute pressure outside; used by `ideal_gas` only", above(0)});
    a.field(s.overpressure, Field{"overpressure", "Pa",
                                  "gauge pressure of the filling at its rest volume; with `inflation` it is not used"});
    a.field(s.inflation, Field{"inflation", "s, Pa",
                               "`overpressure` over time: `[time, over-pressure]` entries with rising times, linear "
                               "between and constant outside",
                               any(), "`overpressure` at all times"});
    a.field(s.exact_matrix, Field{"exact_matrix", "",
                                  "`false` leaves the dense part, rank one, out of Newton's matrix: the same solution "
                                  "in more, cheaper iterations"});
    a.at_most_one({"compressibility", "compressibility_per_atm"});
}

template <class A>
void describe(A& a, BoxSelection& s) {
    a.field(s.min, Field{"min", "m", "lower corner"});
    a.field(s.max, Field{"max", "m", "upper corner"});
    a.field(s.relative,
            Field{"relative", "", "`min` and `max` are fractions of the body's bounding box at t = 0, from 0 to 1"});
    a.require("min");
    a.require("max");
}

template <class A>
void describe(A& a, SphereSelection& s) {
    a.field(s.center, Field{"center", "m", "centre"});
    a.field(s.radius, Field{"radius", "m", "radius", above(0)});
    a.require("radius");
}

template <class A>
void describe(A& a, HalfSpaceSpec& s) {
    a.field(s.point, Field{"point", "m", "a point on the plane"});
    a.field(s.normal, Field{"normal", "", "direction out of the plane, any length but zero"});
}

template <class A>
void describe(A& a, SelectionSpec& s) {
    a.flag(s.all, Field{"all", "", "every vertex", any(), "not used"});
    a.field(s.box, Field{"box", "", "vertices in an axis-aligned box", any(), "not used"});
    a.field(s.sphere, Field{"sphere", "", "vertices in a ball", any(), "not used"});
    a.field(s.half_space,
            Field{"half_space", "", "vertices on the side of a plane that its normal points to", any(), "not used"});
    a.field(s.surface_id,
            Field{"surface_id", "",
                  "vertices of the triangles with this id in the mesh file, or of this part of a generated tire", any(),
                  "not used"});
    a.field(s.vertices,
            Field{"vertices", "", "vertex ids, counted from 0 in the order of the mesh file", at_least(0), "not used"});
    a.field(s.file,
            Field{"file", "", "text file of vertex ids, counted from 0, relative to the scene; `#` starts a comment",
                  any(), "not used"});
    a.exactly_one({"all", "box", "sphere", "half_space", "surface_id", "vertices", "file"});
}

template <class A>
void describe(A& a, MoveSpec& s) {
    a.field(s.velocity, Field{"velocity", "m/s", "constant velocity", any(), "0"});
    a.keyframes(
        s.keyframes,
        Field{
            "keyframes", "s, m",
            "`[time, [x, y, z]]` entries with rising times: displacement, linear between entries and constant outside",
            any(), "none"});
    a.field(s.formula,
            Field{"formula", "m",
                  "displacement along x, y, z from the position at t = 0, as formulas in x, y, z (that position) and t",
                  any(), "none"});
    a.at_least_one({"velocity", "keyframes", "formula"});
    a.at_most_one({"formula", "velocity"});
    a.at_most_one({"formula", "keyframes"});
}

template <class A>
void describe(A& a, RotateSpec& s) {
    constexpr double pi = std::numbers::pi;
    a.field(s.axis, Field{"axis", "", "direction of the axis, any length but zero"});
    a.field(s.center, Field{"center", "m", "a point on the axis when the motion begins", any(),
                            "the centre of the body's bounding box at t = 0"});
    a.field(s.angular_velocity, Field{"angular_velocity", "rad/s", "speed, right-handed about `axis`"});
    std::optional<double> degrees_per_second, rpm;
    a.input(degrees_per_second, Field{"degrees_per_second", "degree/s", "in place of `angular_velocity`", any(),
                                      "`angular_velocity` decides"});
    a.input(rpm, Field{"rpm", "1/min", "in place of `angular_velocity`: turns a minute", any(),
                       "`angular_velocity` decides"});
    if (degrees_per_second) s.angular_velocity = *degrees_per_second * pi / 180.0;
    if (rpm) s.angular_velocity = *rpm * 2.0 * pi / 60.0;
    a.exactly_one({"angular_velocity", "degrees_per_second", "rpm"});
}

template <class A>
void describe(A& a, MotionSpec& s) {
    a.flag(s.fix, Field{"fix", "", "stays where it is when the motion begins", any(), "not fixed"});
    a.field(s.move, Field{"move", "", "is carried along", any(), "none"});
    a.field(s.rotate,
            Field{"rotate", "", "turns about an axis; with `move` beside it the axis is carried along", any(), "none"});
    a.field(s.axes, Field{"axes", "",
                          "driven coordinates, letters out of `xyz`; the others stay free (deformable bodies only)"});
    a.field(s.begin, Field{"begin", "s", "active from this time on", at_least(0)});
    a.field(s.end, Field{"end", "s", "active before this time", above(0), "for ever"});
    a.at_least_one({"fix", "move", "rotate"});
    a.at_most_one({"fix", "move"});
    a.at_most_one({"fix", "rotate"});
}

template <class A>
void describe(A& a, BoundarySpec& s) {
    a.field(s.select, Field{"select", "", "which vertices"});
    a.require("select");
    describe(a, s.motion);
}

template <class A>
void describe(A& a, ForceSpec& s) {
    a.field(s.select, Field{"select", "", "which vertices", any(), "every vertex"});
    a.field(s.force, Field{"force", "N", "force on each selected vertex", any(), "none"});
    a.field(s.total_force, Field{"total_force", "N", "force shared equally by the selected vertices", any(), "none"});
    a.field(s.acceleration,
            Field{"acceleration", "m/s^2", "acceleration of the selected vertices, beside gravity", any(), "none"});
    a.field(s.begin, Field{"begin", "s", "acts from this time on", at_least(0)});
    a.field(s.end, Field{"end", "s", "acts before this time", above(0), "for ever"});
    a.exactly_one({"force", "total_force", "acceleration"});
}

template <class A>
void describe(A& a, PartSpec& s) {
    a.field(s.select, Field{"select", "", "tetrahedra, of a shell triangles, with all vertices selected"});
    a.field(s.material, Field{"material", "",
                              "elasticity, density and damping of this part; what the `shell` of the part, or else of "
                              "the body, gives (`areal_density`, `bending_stiffness`) goes before"});
    a.shorthand_optional(
        s.shell,
        Field{"shell", "",
              "of a shell: thickness and bending of this part; `bending` and `rest_angles` are those of the body",
              any(), "as the body's `shell`"},
        "thickness");
    a.require("select");
    a.require("material");
}

template <class A>
void describe(A& a, BodySpec& s) {
    a.field(s.name, Field{"name", "", "letters, digits, `_`, `-` and `.`; unique", any(), "`body0`, `body1`, ..."});
    a.shorthand(s.mesh,
                Field{"mesh", "", "tetrahedra, of a shell triangles, of a rigid body either; a bare text is a file"},
                "file");
    a.field(s.transform, Field{"transform", "", "places the mesh; the result is the stress-free shape"});
    a.field(s.material, Field{"material", "", "elasticity, density and damping; of a rigid body the density alone"});
    a.field(
        s.parts,
        Field{"parts", "",
              "parts of a solid or shell with a material of their own; where two hold an element the later counts"});
    a.shorthand_optional(s.shell,
                         Field{"shell", "", "makes the body a thin sheet of triangles; a bare number is its thickness",
                               any(), "a solid"},
                         "thickness");
    a.shorthand_optional(s.rigid,
                         Field{"rigid", "",
                               "makes the body rigid: tetrahedra, or triangles that enclose it and face outwards; `{}` "
                               "is enough, a bare number is its `rigidity`",
                               any(), "deformable"},
                         "rigidity");
    a.field(s.volume, Field{"volume", "", "gas or liquid in a closed region of the body", any(), "nothing"});
    a.field(s.contact_thickness, Field{"contact_thickness", "m",
                                       "of the surface in contact, half of it on either side: things stay half the sum "
                                       "of both thicknesses apart, and gaps count from there",
                                       at_least(0)});
    a.field(s.velocity, Field{"velocity", "m/s", "velocity at t = 0"});
    a.field(s.angular_velocity,
            Field{"angular_velocity", "rad/s", "angular velocity at t = 0 about the centre of mass"});
    a.one_or_many(s.boundary,
                  Field{"boundary", "",
                        "vertices that are held or driven; where two entries are active on one vertex the later wins"});
    a.one_or_many(s.forces, Field{"forces", "", "forces and accelerations beside gravity"});
    a.require("mesh");
}

template <class A>
void describe(A& a, SequenceSpec& s) {
    a.field(s.folder,
            Field{"folder", "", "takes every mesh file of this folder in the order of the numbers in their names",
                  any(), "`files` decides"});
    a.field(s.files, Field{"files", "", "mesh files, equal in connectivity, at least two", any(), "`folder` decides"});
    a.field(s.interval, Field{"interval", "s", "time between two meshes; positions are linear between", above(0)});
    a.field(s.start, Field{"start", "s", "time of the first mesh", at_least(0)});
    a.exactly_one({"folder", "files"});
}

template <class A>
void describe(A& a, ObstacleSpec& s) {
    a.field(s.name,
            Field{"name", "", "letters, digits, `_`, `-` and `.`; unique", any(), "`obstacle0`, `obstacle1`, ..."});
    a.shorthand_optional(
        s.mesh, Field{"mesh", "", "triangles, edges, points or tetrahedra; a bare text is a file", any(), "none"},
        "file");
    a.field(
        s.half_space,
        Field{"half_space", "",
              "everything stays on the side of the plane that its normal points to; takes no transform and no rotation",
              any(), "none"});
    a.field(s.sequence, Field{"sequence", "", "one mesh file a frame; takes no motion", any(), "none"});
    a.choice(s.use,
             Field{"use", "",
                   "what collides: `surface` all that the mesh has (of tetrahedra their surface), `triangles` only "
                   "triangles, `edges` all edges without the faces, `points` all vertices"},
             obstacle_uses);
    a.field(s.transform, Field{"transform", "", "places the mesh"});
    a.field(s.contact_thickness, Field{"contact_thickness", "m",
                                       "of the surface in contact, half of it on either side: things stay half the sum "
                                       "of both thicknesses apart, and gaps count from there",
                                       at_least(0)});
    a.one_or_many(s.motion, Field{"motion", "", "how it moves; without it stays where it is"});
    a.exactly_one({"mesh", "half_space", "sequence"});
}

template <class A>
void describe(A& a, OutputSpec& s) {
    a.field(s.every, Field{"every", "steps", "steps between frames; the last step is always written", between(1, 1e9)});
    a.choice(s.fields, Field{"fields", "", "what a frame holds beside positions"}, frame_fields);
    a.field(s.obj, Field{"obj", "", "also writes the surface of each frame as OBJ"});
    a.field(s.ply, Field{"ply", "", "also writes the surface of each frame as PLY"});
    a.field(s.checkpoint_every, Field{"checkpoint_every", "steps",
                                      "steps between checkpoints; 0 writes one at the end only", between(0, 1e9)});
}

template <class A>
void describe(A& a, IpcOptions& s) {
    a.field(s.dhat,
            Field{"dhat", "m", "distance below which the barrier acts; 0 means `dhat_relative` l", at_least(0)});
    a.field(s.dhat_relative,
            Field{"dhat_relative", "l", "`dhat` as a fraction of the bounding-box diagonal l of the bodies", above(0)});
    a.field(s.friction_velocity,
            Field{"friction_velocity", "m/s",
                  "sliding speed below which friction counts as sticking; 0 means `friction_velocity_relative` l",
                  at_least(0)});
    a.field(s.friction_velocity_relative,
            Field{"friction_velocity_relative", "l/s", "`friction_velocity` as a fraction of l per second", above(0)});
    std::string profile = friction_profile_names()[static_cast<std::size_t>(s.friction_profile)];
    a.choice(profile,
             Field{"friction_profile", "",
                   "how friction grows from rest: `quadratic` up to `friction_velocity`, or `rational`, v/(v + "
                   "`friction_velocity`)"},
             friction_profile_names());
    s.friction_profile = friction_profile_from_name(profile);
    a.field(s.kinetic_velocity,
            Field{"kinetic_velocity", "m/s",
                  "sliding speed from which `kinetic_friction` holds; 0 means 10 times the friction velocity",
                  at_least(0)});
    a.field(s.velocity_tolerance, Field{"velocity_tolerance", "m/s",
                                        "Newton stops when the largest component of its step divided by h is below "
                                        "this; 0 means `velocity_tolerance_relative` l",
                                        at_least(0)});
    a.field(s.velocity_tolerance_relative, Field{"velocity_tolerance_relative", "l/s",
                                                 "`velocity_tolerance` as a fraction of l per second", above(0)});
    a.field(s.friction_tolerance_factor,
            Field{"friction_tolerance_factor", "",
                  "while anything rubs the tolerance is at most this times the friction velocity; 0 means no such cap",
                  at_least(0)});
    a.field(s.friction_iterations,
            Field{"friction_iterations", "",
                  "solves of a step with refreshed friction forces; 0 goes on until they agree with the solution",
                  between(0, 1e6)});
    a.field(s.max_friction_iterations, Field{"max_friction_iterations", "",
                                             "cap on these solves when `friction_iterations` is 0", between(1, 1e6)});
    a.field(s.max_iterations,
            Field{"max_iterations", "", "Newton iterations of one solve before the step gives up", between(1, 1e9)});
    a.field(s.barrier_stiffness,
            Field{"barrier_stiffness", "J/m^4",
                  "stiffness of the barrier (the kappa of Li et al. divided by h^2); 0 adapts it", at_least(0)});
    a.field(s.barrier_stiffness_scale,
            Field{"barrier_stiffness_scale", "", "factor on the lower bound of the adaptive stiffness", above(0)});
    a.field(s.ccd_slack, Field{"ccd_slack", "", "fraction of a gap that every move keeps", inside(0, 1)});
}

template <class A>
void describe(A& a, ImplicitOptions& s) {
    describe(a, static_cast<BarrierOptions&>(s));
    a.field(s.implicit_tolerance, Field{"implicit_tolerance", "m/s",
                                        "Newton on the whole balance stops when the largest component of its step "
                                        "divided by h is below this; 0 means 1e-3 of the friction velocity",
                                        at_least(0)});
    a.field(s.max_implicit_iterations,
            Field{"max_implicit_iterations", "", "iterations of one such solve", between(1, 1e6)});
    std::string solver = linear_solver_names()[static_cast<std::size_t>(s.solver)];
    a.choice(solver,
             Field{"solver", "",
                   "linear systems by sparse LU (`direct`) or by BiCGSTAB with a Cholesky factor as preconditioner "
                   "(`iterative`); `auto` iterates from 3000 unknown vertices on"},
             linear_solver_names());
    s.solver = linear_solver_from_name(solver);
    std::string friction_jacobian = friction_jacobian_names()[static_cast<std::size_t>(s.friction_jacobian)];
    a.choice(friction_jacobian,
             Field{"friction_jacobian", "",
                   "derivative of friction in Newton's matrix by dual numbers (`automatic`) or by formulas "
                   "(`analytic`); they agree to rounding"},
             friction_jacobian_names());
    s.friction_jacobian = friction_jacobian_from_name(friction_jacobian);
    a.field(s.lagged_restarts, Field{"lagged_restarts", "",
                                     "how often a stalled solve starts again from friction lagged once more, before "
                                     "the step keeps lagged friction and says so",
                                     between(0, 1e6)});
    std::string contact = contact_model_names()[static_cast<std::size_t>(s.contact)];
    a.choice(contact,
             Field{"contact", "",
                   "what keeps bodies apart: the `barrier` of `ipc`, certified, or a cubic `penalty` against smooth "
                   "implicit surfaces, which lets them overlap slightly"},
             contact_model_names());
    s.contact = contact_model_from_name(contact);
    a.field(s.penalty_thickness,
            Field{"penalty_thickness", "m", "gap below which the penalty acts; 0 means `penalty_thickness_relative` l",
                  at_least(0)});
    a.field(s.penalty_thickness_relative,
            Field{"penalty_thickness_relative", "l", "`penalty_thickness` as a fraction of l", above(0)});
    a.field(s.penalty_stiffness, Field{"penalty_stiffness", "J/m^3",
                                       "stiffness that the penalty starts from; 0: holds ten times the weight of a "
                                       "mean vertex at half the thickness",
                                       at_least(0)});
    a.field(s.implicit_surface_radius_factor,
            Field{"implicit_surface_radius_factor", "",
                  "radius within which triangles shape the implicit surface, over the largest distance of a point of "
                  "the surface from its nearest sample",
                  above(1)});
    a.field(s.implicit_surface_smoothing,
            Field{"implicit_surface_smoothing", "",
                  "how much the implicit surface blends its triangles: small follows them", above(0)});
    a.field(s.implicit_surface_spacing, Field{"implicit_surface_spacing", "m",
                                              "triangles with longer edges get several samples; 0 means the longest "
                                              "edge on the surface of a deformable body",
                                              at_least(0)});
}

template <class A>
void describe(A& a, ImportSpec& s) {
    a.choice(s.format, Field{"format", "", "what the scene was written for"}, import_formats);
    a.field(s.without_effect, Field{"without_effect", "", "keys of that scene that have no effect here"});
    a.field(s.known_until, Field{"known_until", "s",
                                 "time up to which the motions of that scene are known, and beyond which no run may "
                                 "go; 0 where they go on for ever",
                                 at_least(0)});
    a.require("format");
}

template <class A>
void describe(A& a, SceneSpec& s) {
    std::optional<std::string> schema;
    a.input(schema, Field{"$schema", "", "where an editor finds the JSON Schema; not used", any(), "none"});
    a.field(s.title, Field{"title", "", "what the scene shows", any(), "none"});
    a.choice(s.method, Field{"method", "", "how steps are computed; options are under the key of the same name"},
             method_names());
    a.field(s.time, Field{"time", "", "step size and length of the run"});
    a.field(s.gravity, Field{"gravity", "m/s^2", "acceleration of everything; y is up"});
    a.choice(s.mass, Field{"mass", "", "mass matrix: `lumped` at the vertices or `consistent` with the elements"},
             mass_kinds);
    a.field(s.contact, Field{"contact", "", "friction, and what may touch what"});
    a.one_or_many(s.bodies, Field{"bodies", "", "deformable and rigid bodies, at least one", at_least(1)});
    a.one_or_many(s.obstacles, Field{"obstacles", "", "bodies that go where they are told"});
    a.field(s.output, Field{"output", "", "what a run writes"});
    a.choice(s.audit,
             Field{"audit", "",
                   "what is checked by code that no method uses, see `report.json`: nothing (`off`), the state and "
                   "step of every `frame`, or every `step`"},
             audit_rate_names);
    a.field(s.ipc, Field{"ipc", "", "options of the method `ipc`"});
    // A scene that was set up for `ipc` keeps its lengths and speeds under --method implicit.
    if constexpr (A::is_reader) static_cast<BarrierOptions&>(s.implicit) = s.ipc;
    a.field(s.implicit, Field{"implicit", "",
                              "options of the method `implicit`: those of `ipc`, whose solve each stage starts with "
                              "and whose values are the defaults, and more"});
    a.field(s.mlcp, Field{"mlcp", "", "options of the method `mlcp`"});
    a.field(s.local_global, Field{"local_global", "", "options of the method `local_global`"});
    a.field(s.imported, Field{"imported", "", "written by `stiction convert`: what the scene was imported from", any(),
                              "not imported"});
    a.require("bodies");
}

}  // namespace stiction::scene
