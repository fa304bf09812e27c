// Keys of meshes: files and shapes that are made on the spot; see spec_fields.hpp.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/scene/field.hpp"
#include "stiction/scene/spec.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace stiction::scene {

// Not local to the templates: g++ 12 fails on a local static that is made from another value.
inline const std::vector<std::string> generator_names{"box",   "ball",      "hollow_ball", "cylinder", "capsule",
                                                      "torus", "ring",      "rod",         "cloth",    "tube",
                                                      "tire",  "icosphere", "polyline"};
inline const std::string mesh_file_meaning = "mesh file (" + mesh_extension_list() + "), relative to the scene";

/// Keys of a generator whose mesh is as fine as `edge_length` says, which is `standard` (m) when nothing else is given.
template <class A>
void describe_edge_length(A& a, MeshSpec& s, double standard, const char* absent) {
    a.field(s.edge_length, Field{"edge_length", "m", "about the length of the edges", above(0), absent});
    if (!s.edge_length && !s.cells && !s.vertices) s.edge_length = standard;
}

/// m; 1 where the points make no line, which the generator complains about.
inline double polyline_length(const MeshSpec& s) {
    double length = 0.0;
    for (std::size_t i = 1; i < s.points.size() + (s.closed ? 1 : 0); ++i)
        length += (s.points[i % s.points.size()] - s.points[i - 1]).norm();
    return length > 0.0 ? length : 1.0;
}

template <class A>
void describe_generators(A& a, MeshSpec& s) {
    a.variant("box", s.generate, [&] {
        a.field(s.size, Field{"size", "m", "edges along x, y, z", above(0)});
        a.field(s.cells, Field{"cells", "", "in place of `edge_length`: cells along x, y, z", at_least(1),
                               "`edge_length` decides"});
        a.choice(s.diagonals,
                 Field{"diagonals", "",
                       "of the cells: `parallel`, by which a box that is pressed straight pushes sideways by a few "
                       "percent of the force, or `alternating`, which even numbers of cells make mirror-symmetric"},
                 diagonals_names());
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
    a.variant("polyline", s.generate, [&] {
        a.field(s.points, Field{"points", "m",
                                "corners of the line, which is of bare edges, for rods and obstacles; it stays where "
                                "they are"});
        a.field(s.closed, Field{"closed", "", "whether it goes on from the last point to the first"});
        describe_edge_length(a, s, polyline_length(s) / 20.0, "a twentieth of the length");
    });
}

template <class A>
void describe(A& a, MeshSpec& s) {
    a.field(s.file, Field{"file", "", mesh_file_meaning.c_str(), any(), "`generate` decides"});
    a.choice(s.generate,
             Field{"generate", "", "shape that is made on the spot, centred at the origin; its keys are listed below",
                   any(), "`file` decides"},
             generator_names);
    a.field(s.refinements,
            Field{"refinements", "",
                  "times that every edge is halved: a tet becomes eight, a triangle four; vertices keep their numbers",
                  between(0, 6)});
    describe_generators(a, s);
    a.exactly_one({"file", "generate"});
    a.at_most_one({"edge_length", "cells"});
    a.at_most_one({"edge_length", "vertices"});
}

}  // namespace stiction::scene
