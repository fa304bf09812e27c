#include "stiction/scene/import/ipc_script_keywords.hpp"

#include "stiction/scene/import/ipc_script_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction::scene {
namespace {

std::string table_of(const std::vector<IpcKeyword>& list, const char* head) {
    std::string text = fmt::format("| {} | kind | meaning here |\n|---|---|---|\n", head);
    for (const IpcKeyword& keyword : list) {
        const std::string arguments = *keyword.arguments ? fmt::format(" {}", keyword.arguments) : "";
        text += fmt::format("| `{}{}` | {} | {} |\n", keyword.name, arguments, ipc_kind_name(keyword.kind),
                            keyword.meaning);
    }
    return text;
}

}  // namespace

const std::vector<IpcKeyword>& ipc_keywords() {
    using enum IpcKind;
    static const std::vector<IpcKeyword> list{
        {"energy", "NH\\|FCR", honoured, "`neo_hookean`, `fixed_corotated`; NH without it"},
        {"timeIntegration", "BE\\|NM [0.25 0.5]", honoured,
         "`backward_euler`, `trapezoidal`; other coefficients are refused. Under NM the reference code counts "
         "accelerations of NBC four times: here they count once, which is noted"},
        {"time", "T h", honoured, "ceil(T / h) steps; 5 and 0.025 s without it"},
        {"density", "rho", honoured, "kg/m^3; 1000 without it"},
        {"stiffness", "E nu", honoured, "Pa; 1e5 and 0.4 without it"},
        {"turnOffGravity", "", honoured, "else gravity is 9.80665 m/s^2 along -y"},
        {"dampingRatio", "r", honoured,
         "r, held in 0 to 1: stiffness damping c / s^2, c = 0.75 r h^3, s = h (BE) or h/2 (NM): the same term of the "
         "potential"},
        {"dampingStiff", "c", honoured, "c >= 0 (s^3): the same with this c, unless `dampingRatio` is above 0"},
        {"size", "s", honoured,
         "s > 0: all shapes, kinematic ones too, are scaled together so that the largest extent of the start is s, and "
         "shifted so that its lower corner is 0. Planes and mesh obstacles stay"},
        {"rotateModel", "ax ay az angle", honoured,
         "turns the start against the rest shape, about half of the extents as the reference code does; an axis of "
         "another length than 1 is made one, which is noted"},
        {"shape", "input FILE", honoured, "a shape as the file has it"},
        {"shapes", "input n", honoured,
         "n lines `FILE translation rotation scale extras`: x -> Rx Ry Rz (scale x) + translation, angles in degrees; "
         "scales of tetrahedra must be positive; `\\` at the end of a line goes on with the next"},
        {"shapeMatrix", "input nx ny nz [position]", honoured,
         "the next line's shape nx ny nz times; its translation is the step between copies. At most 2000 shapes in "
         "all, "
         "and 1e7 vertices a matrix"},
        {"meshCO", "FILE position size stiffness mu [rotate angles]", honoured,
         "a mesh obstacle: the mean of its vertices goes to `position`, its largest extent before the turn is made "
         "`size`. Without friction, as in the reference code: `mu` and `stiffness` are without effect"},
        {"ground", "mu y", honoured, "a plane; a third value is without effect"},
        {"halfSpace", "point normal stiffness mu", honoured, "a plane; `stiffness` is without effect"},
        {"selfCollisionOn", "", honoured, "shapes collide with each other and themselves; so without it"},
        {"selfCollisionOff", "", honoured, "they do not; planes and mesh obstacles always collide"},
        {"selfFric", "mu", honoured, "mu >= 0, between shapes, kinematic ones too"},
        {"dHat", "d", honoured,
         "fraction of D, the diagonal of the box around all tetrahedra at rest; 1e-3 without it"},
        {"epsv", "v", honoured, "fraction of D a second; 1e-3 without it"},
        {"useAbsParameters", "", honoured, "`dHat` in m, `epsv` in m/s, `tol` in m"},
        {"tol", "n, n values", noted,
         "Newton's tolerance as a fraction of D a second, 1e-2 without it and for n = 0; of several values the "
         "smallest "
         "holds for all steps"},
        {"tuning", "n, n values", noted,
         "kappa, dHat at the start and target, d_eps, epsv at the start and target; values that are not there have "
         "their defaults. kappa is a start value there, which the balance replaces on contact: here the stiffness "
         "adapts. The smaller one of start and target counts. d_eps is 1e-9"},
        {"kappaMinMultiplier", "value", honoured, "`barrier_stiffness_scale` = value / 1e11"},
        {"minBarrierStiffnessScale", "value", honoured, "the same"},
        {"fricIterAmt", "n", honoured, "n <= 0: until friction has converged"},
        {"script", "NAME [n values]", honoured, "see [Animations](#animations)"},
        {"handleRatio", "r", honoured,
         "0 < r < 0.5: part of the extent along x that counts as an end; 0.01 without it"},
        {"DBCTimeRange", "t0 t1", honoured, "times outside which no `DBC` acts; one that never acts is noted"},
        {"NBCTimeRange", "t0 t1", honoured, "times outside which no `NBC` acts; one that never acts is noted"},
        {"restart", "FILE", noted,
         "positions, velocities and number of the step from a status file of the reference code, which must have all "
         "three; of the rest only the counts are looked at, and clocks begin anew as they do there"},
        {"constraintSolver", "NAME", noted,
         "`interiorPoint` and `IP`; of any other name the steps are solved by our method all the same, and `section` "
         "goes by it"},
        {"section", "NAMES ... section end", honoured,
         "read when a name is that of the constraint solver so far, else skipped to the next `section end` (listed). A "
         "bare `section` closes none: it starts one that is skipped"},
        {"timeStepper", "NAME", noted, "the steps are solved by our method"},
        {"inexactSolve", "", noted, "the same"},
        {"resolution", "n", without_effect, "of generated shapes that the format no longer has"},
        {"warmStart", "k", without_effect, "first guess of Newton's method"},
        {"linearSolver", "NAME", without_effect, ""},
        {"linSysSolver", "NAME", without_effect, ""},
        {"CCDMethod", "NAME", without_effect, ""},
        {"ccdMethod", "NAME", without_effect, ""},
        {"CCDTolerance", "value", without_effect, ""},
        {"ccdTolerance", "value", without_effect, ""},
        {"exactCCD", "", without_effect, ""},
        {"constraintType", "NAME", without_effect, "of QP and SQP"},
        {"constraintOffset", "d", without_effect, "of QP and SQP"},
        {"QPSolver", "NAME", without_effect, "of QP and SQP"},
        {"useActiveSetConvergence", "", without_effect, "of QP and SQP"},
        {"noActiveSetConvergence", "", without_effect, "of QP and SQP"},
        {"view", "NAME", without_effect, "of pictures"},
        {"zoom", "value", without_effect, "of pictures"},
        {"cameraTracking", "", without_effect, "of pictures"},
        {"playBackSpeed", "s", without_effect, "of pictures"},
        {"appendStr", "TEXT", without_effect, "of names of output"},
        {"disableCout", "", without_effect, ""}};
    return list;
}

const std::vector<IpcKeyword>& ipc_shape_extras() {
    using enum IpcKind;
    static const std::vector<IpcKeyword> list{
        {"material", "rho E nu", honoured, "without effect on a kinematic shape (listed)"},
        {"linearVelocity", "v", honoured, "m/s: the shape is kinematic, tets too, even where v is 0"},
        {"angularVelocity", "w", honoured,
         "degrees/s: the shape is kinematic. Every step turns by Rx Ry Rz of the angles w h about the centre of the "
         "bounding box as it then is (a [twist](scene.md#twist))"},
        {"initVel", "v w", honoured,
         "m/s and degrees/s, about the centre of the bounding box; without effect on a kinematic shape (listed)"},
        {"DBC", "min max v w [t0 [t1]]", honoured,
         "surface vertices in a box of fractions of the bounding box of the mesh file, before it is placed, move from "
         "t0 to t1 and turn about the centre of the box that they then have; those of several boxes add up. On "
         "kinematic shapes, too. A box without a vertex is noted"},
        {"NBC", "min max a [t0 [t1]]", honoured, "an acceleration of such vertices"},
        {"meshSeq", "FOLDER", noted,
         "the shape goes to FOLDER/0, FOLDER/1, ... at the ends of the steps, and stays at the last. Tets are "
         "kinematic "
         "then: the reference code moves them and lets go at once"}};
    return list;
}

const IpcKeyword* find_ipc_keyword(const std::vector<IpcKeyword>& list, const std::string& name) {
    const auto entry = std::find_if(list.begin(), list.end(), [&](const IpcKeyword& k) { return k.name == name; });
    return entry == list.end() ? nullptr : &*entry;
}

const char* ipc_kind_name(IpcKind kind) {
    switch (kind) {
        case IpcKind::honoured: return "honoured";
        case IpcKind::noted: return "noted";
        case IpcKind::without_effect: return "without effect";
    }
    return "";
}

std::vector<IpcReferenceTable> ipc_script_reference() {
    return {{"keywords", table_of(ipc_keywords(), "keyword")},
            {"extras", table_of(ipc_shape_extras(), "extra")},
            {"animations", table_of(ipc_animation_list(), "name")}};
}

}  // namespace stiction::scene
