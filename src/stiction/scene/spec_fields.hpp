// The one list of keys of a scene file: describe(archive, value) visits every member of a value with its Field. Meshes,
// motions and the options of the methods have files of their own beside this one: *_fields.hpp.
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
#include "stiction/report/audit_rate.hpp"
#include "stiction/scene/barrier_fields.hpp"
#include "stiction/scene/field.hpp"
#include "stiction/scene/local_global_fields.hpp"
#include "stiction/scene/mesh_fields.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/mlcp_fields.hpp"
#include "stiction/scene/motion_fields.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/scene/thin_fields.hpp"
#include "stiction/scene/verdict_fields.hpp"
#include "stiction/world/world_builder.hpp"

#include <vector>

namespace stiction::scene {

// Not local to the templates: g++ 12 fails on a local static that is made from another value.
inline const std::vector<std::string> obstacle_uses{"surface", "triangles", "edges", "points"};
inline const std::vector<std::string> frame_fields = OutputSpec{}.fields;
inline const std::vector<std::string> mass_kinds{"lumped", "consistent"};
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
                   "time integrator; `trapezoidal` is Newmark with beta 1/4, gamma 1/2; `quasi_static` has no inertia "
                   "(see physics/integrators.md)"},
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
    a.choice(s.lengths,
             Field{"lengths", "",
                   "what l is, of which distances, speeds and tolerances of contact are shares where no metres are "
                   "given: the diagonal of each body's own box, of a pair that of the smaller one (`body`), or that of "
                   "the box of all bodies (`scene`), as in the papers"},
             {"body", "scene"});
    a.field(s.pairs, Field{"pairs", "", "pairs of bodies with a coefficient of their own, or switched off"});
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
void describe(A& a, TermSpec& s) {
    a.choice(s.kind, Field{"kind", "", "which energy"}, term_names());
    a.require("kind");
    a.field(s.coefficient, Field{"coefficient", "Pa", "c, of all but the laws", any(), "none"});
    a.field(s.exponent, Field{"exponent", "", "m, of `isochoric_power` and `volume_power`", any(), "none"});
    a.field(s.youngs_modulus, Field{"youngs_modulus", "Pa", "of the laws", above(0), "none"});
    a.field(s.poissons_ratio, Field{"poissons_ratio", "", "of the laws", inside(-1, 0.5), "none"});
}

template <class A>
void describe(A& a, MaterialSpec& s) {
    a.choice(s.law, Field{"law", "", "constitutive law"}, law_names());
    a.field(s.terms, Field{"terms", "", "energies of the law `sum`, which has no use for the two moduli"});
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
    a.field(s.compressibility, Field{"compressibility", "1/Pa",
                                     "isothermal compressibility; not used by `ideal_gas` and `regulator`", above(0)});
    std::optional<double> per_atmosphere;
    a.input(per_atmosphere,
            Field{"compressibility_per_atm", "1/atm", "in place of `compressibility`: air has 1, water 4.6e-5",
                  above(0), "`compressibility` decides"});
    if (per_atmosphere) s.compressibility = compressibility_from_per_atmosphere(*per_atmosphere);
    a.field(s.atmospheric_pressure,
            Field{"atmospheric_pressure", "Pa", "absolute pressure outside; used by `ideal_gas` only", above(0)});
    a.field(s.pressure_at_rest_volume,
            Field{"pressure_at_rest_volume", "Pa",
                  "gauge pressure that the filling has at its rest volume; a gas that expands has less. Not used by "
                  "`regulator`, and not with `inflation`"});
    std::optional<double> former_name;
    a.input(former_name, Field{"overpressure", "Pa", "former name of `pressure_at_rest_volume`", any(),
                               "`pressure_at_rest_volume` decides"});
    if (former_name) s.pressure_at_rest_volume = *former_name;
    a.field(s.pressure, Field{"pressure", "Pa", "of `regulator`: gauge pressure that is held at every volume", any(),
                              "`inflation` decides"});
    a.field(s.inflation, Field{"inflation", "s, Pa",
                               "`pressure_at_rest_volume`, of `regulator` `pressure`, over time: `[time, pressure]` "
                               "entries with rising times, linear between and constant outside",
                               any(), "the same at all times"});
    a.field(s.exact_matrix, Field{"exact_matrix", "",
                                  "`false` leaves the dense part, rank one, out of Newton's matrix: the same solution "
                                  "in more, cheaper iterations"});
    a.at_most_one({"compressibility", "compressibility_per_atm"});
    a.at_most_one({"pressure", "inflation"});
    a.at_most_one({"pressure_at_rest_volume", "overpressure"});
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
void describe(A& a, StartSpec& s) {
    a.field(s.matrix, Field{"matrix", "", "three rows: the start is this times the placed position, about the origin",
                            any(), "the identity"});
    a.field(s.translation, Field{"translation", "m", "shift after `matrix`"});
    a.field(s.positions,
            Field{"positions", "m", "in place of `matrix` and `translation`: one entry a vertex of the mesh", any(),
                  "`matrix` decides"});
    a.field(s.velocities,
            Field{"velocities", "m/s", "of a body, in place of its `velocity`: one entry a vertex of the mesh", any(),
                  "those of the body"});
    a.at_most_one({"matrix", "positions"});
}

template <class A>
void describe(A& a, BodySpec& s) {
    a.field(s.name, Field{"name", "", "letters, digits, `_`, `-` and `.`; unique", any(), "`body0`, `body1`, ..."});
    a.shorthand(s.mesh,
                Field{"mesh", "",
                      "tetrahedra, of a shell triangles, of a rod edges, of a rigid body tetrahedra or triangles; a "
                      "bare text is a file"},
                "file");
    a.field(s.transform, Field{"transform", "", "places the mesh; the result is the stress-free shape"});
    a.field(s.order, Field{"order", "",
                           "of a solid's tetrahedra: 1, linear, or 2, quadratic: these do not lock where the material "
                           "keeps its volume (nu 0.45 and above), and bend as they should; nodes are added in the "
                           "middle of the edges of a linear mesh",
                           between(1, 2), "that of the mesh"});
    a.field(s.proxy_subdivisions,
            Field{"proxy_subdivisions", "",
                  "of a solid of order 2: parts of an edge of its faces in contact, each cut into the square of these "
                  "triangles; more of them carry pressure more evenly",
                  between(1, 32)});
    a.shorthand_optional(
        s.collision_mesh,
        Field{"collision_mesh", "",
              "of a solid: a surface that hangs in its tetrahedra, is placed as `mesh` is, and collides "
              "in place of their boundary; a bare text is a file",
              any(), "the boundary"},
        "file");
    a.field(s.start, Field{"start", "", "of a solid: where it starts, deformed or turned against the stress-free shape",
                           any(), "as placed"});
    a.field(s.material, Field{"material", "",
                              "elasticity, density and damping; of a rigid body the density alone, of a rod Young's "
                              "modulus, density and mass damping"});
    a.field(
        s.parts,
        Field{"parts", "",
              "parts of a solid or shell with a material of their own; where two hold an element the later counts"});
    a.shorthand_optional(s.shell,
                         Field{"shell", "", "makes the body a thin sheet of triangles; a bare number is its thickness",
                               any(), "a solid"},
                         "thickness");
    a.shorthand_optional(
        s.rod,
        Field{"rod", "", "makes the body a thin rod of bare edges; a bare number is its radius", any(), "a solid"},
        "radius");
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
    a.field(s.sequence, Field{"sequence", "",
                              "one mesh file a frame; takes no motion. Beside a `mesh` that one is where it comes from",
                              any(), "none"});
    a.choice(s.use,
             Field{"use", "",
                   "what collides: `surface` all that the mesh has (of tetrahedra their surface), `triangles` only "
                   "triangles, `edges` all edges without the faces, `points` all vertices"},
             obstacle_uses);
    a.field(s.transform, Field{"transform", "", "places the mesh"});
    a.field(s.start, Field{"start", "", "of a mesh: where it starts, if not as placed", any(), "as placed"});
    a.field(s.contact_thickness, Field{"contact_thickness", "m",
                                       "of the surface in contact, half of it on either side: things stay half the sum "
                                       "of both thicknesses apart, and gaps count from there",
                                       at_least(0)});
    a.one_or_many(s.motion, Field{"motion", "", "how it moves; without it stays where it is"});
    a.at_least_one({"mesh", "half_space", "sequence"});
    a.at_most_one({"mesh", "half_space"});
    a.at_most_one({"half_space", "sequence"});
}

template <class A>
void describe(A& a, OutputSpec& s) {
    a.field(s.every, Field{"every", "steps", "steps between frames; the last step is always written", between(1, 1e9)});
    a.choice(s.fields, Field{"fields", "", "what a frame holds beside positions"}, frame_fields);
    a.field(s.obj, Field{"obj", "", "also writes the surface of each frame as OBJ"});
    a.field(s.ply, Field{"ply", "", "also writes the surface of each frame as PLY"});
    a.field(s.checkpoint_every, Field{"checkpoint_every", "steps",
                                      "steps between checkpoints; 0: their number does not matter", between(0, 1e9)});
    a.field(s.checkpoint_seconds,
            Field{"checkpoint_seconds", "s",
                  "wall time after which the end of a step is a checkpoint, whatever its number: no more finished work "
                  "than this can be lost; 0: time does not matter",
                  at_least(0)});
}

template <class A>
void describe(A& a, ImportSpec& s) {
    a.choice(s.format, Field{"format", "", "what the scene was written for"}, import_formats);
    a.field(s.without_effect, Field{"without_effect", "", "keys of that scene that have no effect here"});
    a.field(s.notes, Field{"notes", "", "what is done otherwise here than in the program that it was written for"});
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
    a.field(s.verdict, Field{"verdict", "", "numbers from which on the run is doubtful, see `report.json`"});
    a.field(s.ipc, Field{"ipc", "", "options of the method `ipc`"});
    // A scene that was set up for `ipc` keeps its lengths and speeds under --method implicit.
    if constexpr (A::is_reader) s.implicit.take(s.ipc);
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
