// Keys of selections of vertices, motions and forces; see spec_fields.hpp.
#pragma once

#include "stiction/scene/field.hpp"
#include "stiction/scene/spec.hpp"

#include <numbers>

namespace stiction::scene {

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
void describe(A& a, TwistSpec& s) {
    a.field(s.velocity, Field{"velocity", "m/s", "shift"});
    a.field(s.angular_velocity, Field{"angular_velocity", "rad/s",
                                      "about x, y, z: in a step h of time it turns by Rx Ry Rz of these times h"});
}

/// What a motion does, without its selection.
template <class A>
void describe_motion(A& a, MotionSpec& s) {
    a.flag(s.fix, Field{"fix", "", "stays where it is when the motion begins", any(), "not fixed"});
    a.field(s.move, Field{"move", "", "is carried along", any(), "none"});
    a.field(s.rotate,
            Field{"rotate", "", "turns about an axis; with `move` beside it the axis is carried along", any(), "none"});
    a.field(s.twist, Field{"twist", "",
                           "goes on from where it is, turning about the centre of its present bounding box; where the "
                           "entry that wins on a vertex is a twist, all active ones on it add up",
                           any(), "none"});
    a.flag(s.commanded, Field{"commanded", "",
                              "goes where a program tells it before each step (`target` in Python), and stays where it "
                              "is without; a run of the command tells nothing",
                              any(), "not commanded"});
    a.field(s.axes, Field{"axes", "",
                          "driven coordinates, letters out of `xyz`; the others stay free (deformable bodies only)"});
    a.field(s.begin, Field{"begin", "s", "active from this time on", at_least(0)});
    a.field(s.end, Field{"end", "s", "active before this time", above(0), "for ever"});
    a.field(s.until_beyond,
            Field{"until_beyond", "",
                  "ends for good when a step begins with every vertex of the bodies on the side of this "
                  "plane that its normal points to; not beside a later entry on all its vertices",
                  any(), "never"});
    a.at_least_one({"fix", "move", "rotate", "twist", "commanded"});
    a.at_most_one({"twist", "fix"});
    a.at_most_one({"twist", "move"});
    a.at_most_one({"twist", "rotate"});
    a.at_most_one({"twist", "commanded"});
    a.at_most_one({"fix", "move"});
    a.at_most_one({"fix", "rotate"});
    a.at_most_one({"commanded", "fix"});
    a.at_most_one({"commanded", "move"});
    a.at_most_one({"commanded", "rotate"});
}

template <class A>
void describe(A& a, MotionSpec& s) {
    a.field(s.select, Field{"select", "", "which vertices of an obstacle", any(), "every vertex"});
    describe_motion(a, s);
}

template <class A>
void describe(A& a, BoundarySpec& s) {
    a.field(s.select, Field{"select", "", "which vertices"});
    a.require("select");
    describe_motion(a, s.motion);
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

}  // namespace stiction::scene
