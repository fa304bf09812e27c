#include "stiction/scene/import/ipc_script_lines.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_shape.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace stiction::scene {
namespace {

bool positive(double value) {
    return value > 0.0;
}
bool not_negative(double value) {
    return value >= 0.0;
}

/// Keywords that say how the reference code computes or shows something: `any` takes whatever follows on the line.
const std::set<std::string>& keywords_without_effect() {
    static const std::set<std::string> keywords{"view",
                                                "zoom",
                                                "cameraTracking",
                                                "playBackSpeed",
                                                "appendStr",
                                                "warmStart",
                                                "exactCCD",
                                                "disableCout",
                                                "constraintType",
                                                "constraintOffset",
                                                "QPSolver",
                                                "CCDMethod",
                                                "ccdMethod",
                                                "CCDTolerance",
                                                "ccdTolerance",
                                                "useActiveSetConvergence",
                                                "noActiveSetConvergence"};
    return keywords;
}

/// Keywords of the format that mean something which is not reproduced, and what to do instead.
const std::map<std::string, std::string>& refused_keywords() {
    static const std::map<std::string, std::string> keywords{
        {"restart", "a script that starts from its shapes: status files of the reference code are not read"},
        {"rotateModel", "no turn of the rest shape against the start: turn the shapes instead"}};
    return keywords;
}

class Reader {
public:
    Reader(const std::string& text, const std::string& file) : file_(file), lines_(split_ipc_lines(text)) {
        fill_handlers();
    }

    IpcScript run() {
        for (; at_ < lines_.size(); ++at_) {
            if (lines_[at_].words.empty()) continue;
            IpcWords words(file_, lines_[at_]);
            read_line(lines_[at_].words.front(), words);
        }
        if (script_.damping_ratio && *script_.damping_ratio > 0.0)
            script_.damping_stiffness = *script_.damping_ratio * std::pow(script_.step, 3) * 0.75;
        return std::move(script_);
    }

private:
    void read_line(const std::string& keyword, IpcWords& words) {
        if (keywords_without_effect().count(keyword)) return script_.no_effect(keyword);
        const auto refused = refused_keywords().find(keyword);
        if (refused != refused_keywords().end()) words.refuse("", refused->second);
        const auto handler = handlers_.find(keyword);
        if (handler == handlers_.end()) unknown(keyword, words.line());
        handler->second(words);
        // A handler that took further lines has checked those itself.
        words.finish();
    }

    [[noreturn]] void unknown(const std::string& keyword, int line) const {
        std::vector<std::string> known(keywords_without_effect().begin(), keywords_without_effect().end());
        for (const auto& [name, unused] : refused_keywords()) known.push_back(name);
        for (const auto& [name, unused] : handlers_) known.push_back(name);
        const std::string nearest = nearest_name(keyword, known);
        throw InputError(file_, fmt::format("line {}", line), keyword,
                         nearest.empty() ? "a keyword of the IPC script format" : fmt::format("'{}'", nearest));
    }

    void fill_handlers() {
        IpcScript& s = script_;
        handlers_["energy"] = [&](IpcWords& w) { read_energy(w); };
        handlers_["timeIntegration"] = [&](IpcWords& w) { read_integrator(w); };
        handlers_["time"] = [&](IpcWords& w) { read_time(w); };
        handlers_["density"] = [&](IpcWords& w) { s.material.density = w.number("a density > 0 (kg/m^3)", positive); };
        handlers_["stiffness"] = [&](IpcWords& w) {
            s.material.youngs_modulus = w.number("Young's modulus > 0 (Pa) and Poisson's ratio", positive);
            s.material.poissons_ratio = w.number("Young's modulus (Pa) and Poisson's ratio");
            s.material.line = w.line(), s.material.keyword = "stiffness";
        };
        handlers_["turnOffGravity"] = [&](IpcWords&) { s.gravity = false; };
        handlers_["dampingStiff"] = [&](IpcWords& w) {
            s.damping_stiffness = w.number("a number >= 0 (s^3)", not_negative);
        };
        handlers_["dampingRatio"] = [&](IpcWords& w) {
            s.damping_ratio = w.number("a ratio from 0 to 1", [](double v) { return v >= 0.0 && v <= 1.0; });
        };
        handlers_["size"] = [&](IpcWords& w) { s.size = w.number("the largest extent (m), or -1"); };
        handlers_["shape"] = [&](IpcWords& w) { read_shape(w); };
        handlers_["shapes"] = [&](IpcWords& w) { read_shapes(w); };
        handlers_["shapeMatrix"] = [&](IpcWords& w) { read_matrix(w); };
        handlers_["meshCO"] = [&](IpcWords& w) { read_mesh_obstacle(w); };
        handlers_["ground"] = [&](IpcWords& w) { read_ground(w); };
        handlers_["halfSpace"] = [&](IpcWords& w) { read_half_space(w); };
        handlers_["selfCollisionOn"] = [&](IpcWords&) { s.self_collision = true; };
        handlers_["selfCollisionOff"] = [&](IpcWords&) { s.self_collision = false; };
        handlers_["selfFric"] = [&](IpcWords& w) {
            s.self_friction = w.number("a friction coefficient >= 0", not_negative);
        };
        handlers_["script"] = [&](IpcWords& w) { read_animation(w); };
        handlers_["handleRatio"] = [&](IpcWords& w) {
            s.handle_ratio = w.number("a fraction in (0, 0.5)", [](double v) { return v > 0.0 && v < 0.5; });
        };
        handlers_["DBCTimeRange"] = [&](IpcWords& w) {
            s.driven_begin = w.number("two times (s)"), s.driven_end = w.number("two times (s)");
        };
        handlers_["NBCTimeRange"] = [&](IpcWords& w) {
            s.loaded_begin = w.number("two times (s)"), s.loaded_end = w.number("two times (s)");
        };
        handlers_["tuning"] = [&](IpcWords& w) { s.tuning = numbers_below(w, 0); };
        handlers_["tol"] = [&](IpcWords& w) { read_tolerances(w); };
        handlers_["dHat"] = [&](IpcWords& w) { set_tuning(1, w.number("a distance > 0", positive)); };
        handlers_["epsv"] = [&](IpcWords& w) { set_tuning(4, w.number("a velocity > 0", positive)); };
        handlers_["useAbsParameters"] = [&](IpcWords&) { s.absolute = true; };
        const auto kappa_min = [&](IpcWords& w) { s.kappa_min_multiplier = w.number("a factor > 0", positive); };
        handlers_["kappaMinMultiplier"] = handlers_["minBarrierStiffnessScale"] = kappa_min;
        handlers_["fricIterAmt"] = [&](IpcWords& w) {
            s.friction_iterations = std::max(0, w.integer("a whole number"));
        };
        handlers_["constraintSolver"] = [&](IpcWords& w) { read_solver(w); };
        handlers_["section"] = [&](IpcWords& w) { read_section(w); };
    }

    void read_energy(IpcWords& w) {
        const std::string name = w.text("NH or FCR");
        if (name != "NH" && name != "FCR") w.refuse(name, "NH or FCR");
        script_.law = name == "NH" ? "neo_hookean" : "fixed_corotated";
    }

    void read_integrator(IpcWords& w) {
        const std::string name = w.text("BE or NM");
        if (name != "BE" && name != "NM") w.refuse(name, "BE or NM");
        script_.newmark = name == "NM";
        if (!script_.newmark || w.empty()) return;
        const double beta = w.number("beta and gamma"), gamma = w.number("beta and gamma");
        if (beta != 0.25 || gamma != 0.5) w.refuse(fmt::format("{} {}", beta, gamma), "NM 0.25 0.5");
    }

    void read_time(IpcWords& w) {
        const std::string expected = "the duration >= 0 and the step > 0 (s), at most 1e9 steps";
        script_.duration = w.number(expected, not_negative);
        script_.step = w.number(expected, positive);
        if (script_.duration / script_.step > 1e9)
            w.refuse(fmt::format("{} {}", script_.duration, script_.step), expected);
    }

    void read_solver(IpcWords& w) {
        const std::string name = w.text("interiorPoint");
        if (name != "interiorPoint" && name != "IP") w.refuse(name, "interiorPoint (or IP): the only solver here");
    }

    void read_ground(IpcWords& w) {
        IpcHalfSpace plane;
        plane.friction = w.number("a friction coefficient >= 0 and the height", not_negative);
        plane.point.y() = w.number("a friction coefficient and the height");
        if (w.at_number()) {
            w.number("");
            script_.no_effect("ground: third value");
        }
        script_.half_spaces.push_back(plane);
    }

    void read_half_space(IpcWords& w) {
        IpcHalfSpace plane;
        plane.point = w.vector("a point, a normal, stiffness and friction");
        plane.normal = w.vector("a point, a normal, stiffness and friction");
        if (plane.normal.isZero(0.0)) w.refuse("0 0 0", "a normal other than zero");
        w.number("a stiffness (which has no effect) and the friction coefficient");
        script_.no_effect("halfSpace: stiffness");
        plane.friction = w.number("a friction coefficient >= 0", not_negative);
        script_.half_spaces.push_back(plane);
    }

    void read_mesh_obstacle(IpcWords& w) {
        IpcMeshObstacle obstacle;
        obstacle.line = w.line();
        obstacle.file = w.text("a mesh file");
        obstacle.position = w.vector("a position");
        obstacle.size = w.number("the largest extent > 0 (m)", positive);
        w.number("a stiffness (which has no effect)");
        script_.no_effect("meshCO: stiffness");
        w.number("a friction coefficient (which has no effect)");
        script_.no_effect("meshCO: friction");
        if (!w.empty()) {
            const std::string word = w.text("rotate");
            if (word != "rotate") w.refuse(word, "'rotate' and three angles (degrees)");
            obstacle.rotation = w.vector("three angles (degrees)");
        }
        script_.mesh_obstacles.push_back(std::move(obstacle));
    }

    void read_animation(IpcWords& w) {
        script_.animation = w.text("the name of an animation");
        script_.animation_line = w.line();
        if (script_.animation == "meshSeqFromFile") w.text("a folder");  // refused later, by name
        std::vector<double> values;
        while (!w.empty()) values.push_back(w.number("a value of the animation"));
        script_.animation_values = without_count(values);
    }

    /// Values may stand alone or after their number; 0 alone says that there are none.
    static std::vector<double> without_count(std::vector<double> values) {
        if (!values.empty() && values[0] == static_cast<double>(values.size() - 1)) values.erase(values.begin());
        return values;
    }

    /// `keyword n` and n numbers on the lines below.
    std::vector<double> numbers_below(IpcWords& w, int least) {
        const std::string expected = fmt::format("how many numbers follow, {} to 100000", least);
        const int count = w.integer(expected);
        if (count < least || count > 100000) w.refuse(fmt::format("{}", count), expected);
        w.finish();
        std::vector<double> values;
        while (static_cast<int>(values.size()) < count) {
            if (++at_ >= lines_.size())
                w.refuse(fmt::format("{} numbers", values.size()), fmt::format("{} below", count));
            for (const std::string& word : lines_[at_].words) {
                const auto value = ipc_number(word);
                if (!value || static_cast<int>(values.size()) == count)
                    throw InputError(file_, fmt::format("line {}", lines_[at_].number), word,
                                     fmt::format("{} numbers for line {}", count, w.line()));
                values.push_back(*value);
            }
        }
        return values;
    }

    void read_tolerances(IpcWords& w) {
        std::vector<double> values = numbers_below(w, 0);
        for (const double value : values)
            if (!(value > 0.0)) w.refuse(fmt::format("{}", value), "tolerances > 0");
        if (!values.empty()) script_.tolerances = std::move(values);
    }

    void set_tuning(std::size_t index, double value) {
        const std::vector<double> standard = IpcScript{}.tuning;
        for (std::size_t i = script_.tuning.size(); i < standard.size(); ++i) script_.tuning.push_back(standard[i]);
        script_.tuning[index] = script_.tuning[index + 1] = value;
    }

    void check_input(IpcWords& w) {
        const std::string kind = w.text("input");
        if (kind != "input") w.refuse(kind, "input: shapes from files");
    }

    void read_shape(IpcWords& w) {
        check_input(w);
        IpcShape shape;
        shape.line = w.line();
        shape.file = w.text("a mesh file");
        script_.shapes.push_back(std::move(shape));
    }

    void read_shapes(IpcWords& w) {
        check_input(w);
        const int count = w.integer("the number of shapes >= 0");
        if (count < 0) w.refuse(fmt::format("{}", count), "the number of shapes >= 0");
        w.finish();
        for (int i = 0; i < count; ++i) {
            IpcWords below = shape_line(w, fmt::format("{} shapes below", count));
            script_.shapes.push_back(shape_of(below));
        }
    }

    void read_matrix(IpcWords& w) {
        check_input(w);
        int count[3];
        for (int& n : count) {
            n = w.integer("three numbers of copies >= 0");
            if (n < 0 || n > 100000) w.refuse(fmt::format("{}", n), "three numbers of copies from 0 to 100000");
        }
        if (static_cast<double>(count[0]) * count[1] * count[2] > 1e6) w.refuse("", "at most 1e6 copies");
        Vec3 corner = Vec3::Zero();
        for (int axis = 0; axis < 3 && !w.empty(); ++axis) corner[axis] = w.number("the position of the first copy");
        w.finish();
        IpcWords below = shape_line(w, "a shape below");
        const IpcShape one = shape_of(below);
        for (int i = 0; i < count[0]; ++i)
            for (int j = 0; j < count[1]; ++j)
                for (int k = 0; k < count[2]; ++k) {
                    IpcShape copy = one;
                    copy.translation = corner + one.translation.cwiseProduct(Vec3(i, j, k));
                    script_.shapes.push_back(std::move(copy));
                }
    }

    IpcWords shape_line(const IpcWords& w, const std::string& expected) {
        do {
            if (++at_ >= lines_.size()) w.refuse("end of file", expected);
        } while (lines_[at_].words.empty());
        return IpcWords(file_, lines_[at_]);
    }

    IpcShape shape_of(IpcWords& w) {
        IpcShape shape;
        shape.line = w.line();
        shape.file = lines_[at_].words.front();
        shape.translation = w.vector("a translation (three numbers)");
        shape.rotation = w.vector("a rotation (three angles in degrees)");
        shape.scale = w.vector("a scale (three factors)");
        if (!(shape.scale.minCoeff() > 0.0))
            w.refuse(fmt::format("{}", shape.scale.minCoeff()), "a scale > 0 along every axis");
        while (!w.empty()) {
            const std::string extra = w.text("");
            w.set_keyword(extra);
            read_ipc_shape_extra(extra, shape, file_, w);
        }
        return shape;
    }

    /// A section for this solver is read as if it were not there; any other is skipped.
    void read_section(IpcWords& w) {
        std::string names;
        bool ours = w.empty();  // a bare `section` closes one
        while (!w.empty()) {
            const std::string name = w.text("");
            ours = ours || name == "end" || name == "IP" || name == "interiorPoint";
            names += (names.empty() ? "" : " ") + name;
        }
        if (ours) return;
        script_.no_effect("section " + names);
        for (++at_; at_ < lines_.size(); ++at_) {
            const auto& words = lines_[at_].words;
            if (!words.empty() && words[0] == "section" && (words.size() == 1 || words[1] == "end")) return;
        }
        w.refuse(names, "a line `section end` below");
    }

    const std::string& file_;
    std::vector<IpcLine> lines_;
    std::size_t at_ = 0;
    IpcScript script_;
    std::map<std::string, std::function<void(IpcWords&)>> handlers_;
};

}  // namespace

void IpcScript::no_effect(const std::string& keyword) {
    if (std::find(without_effect.begin(), without_effect.end(), keyword) == without_effect.end())
        without_effect.push_back(keyword);
}

IpcScript read_ipc_script(const std::string& text, const std::string& file) {
    return Reader(text, file).run();
}

}  // namespace stiction::scene
