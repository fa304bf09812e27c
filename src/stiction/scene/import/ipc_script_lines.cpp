#include "stiction/scene/import/ipc_script_lines.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/import/copies.hpp"
#include "stiction/scene/import/ipc_script_keywords.hpp"
#include "stiction/scene/import/ipc_script_shape.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace stiction::scene {
namespace {

bool positive(double value) {
    return value > 0.0;
}
bool not_negative(double value) {
    return value >= 0.0;
}

/// More numbers than any script has after `tol` or `tuning`.
constexpr int most_numbers = 100000;

class Reader {
public:
    Reader(const std::string& text, const std::string& file) : file_(file), lines_(split_ipc_lines(text)) {
        fill_handlers();
    }

    IpcScript run() {
        for (; at_ < lines_.size(); ++at_) {
            if (lines_[at_].words.empty()) continue;
            IpcWords words(file_, lines_[at_], script_.notes);
            read_line(lines_[at_].words.front(), words);
        }
        if (script_.damping_ratio && *script_.damping_ratio > 0.0)
            script_.damping_stiffness = *script_.damping_ratio * std::pow(script_.step, 3) * 0.75;
        if (script_.duration / script_.step > 1e9)
            throw InputError(file_, "time", fmt::format("{} {}", script_.duration, script_.step), "at most 1e9 steps");
        return std::move(script_);
    }

private:
    void read_line(const std::string& keyword, IpcWords& words) {
        const IpcKeyword* known = find_ipc_keyword(ipc_keywords(), keyword);
        if (known == nullptr) unknown(keyword, words.line());
        if (known->kind == IpcKind::without_effect) return script_.no_effect(keyword);
        const auto handler = handlers_.find(keyword);
        STICTION_CHECK(handler != handlers_.end(), "every keyword with an effect is read");
        handler->second(words);
        // A handler that took further lines has checked those itself.
        words.finish();
    }

    [[noreturn]] void unknown(const std::string& keyword, int line) const {
        std::vector<std::string> known;
        for (const IpcKeyword& entry : ipc_keywords()) known.push_back(entry.name);
        const std::string nearest = nearest_name(keyword, known);
        throw InputError(file_, fmt::format("line {}", line), keyword,
                         nearest.empty() ? "a keyword of the IPC script format" : fmt::format("'{}'", nearest));
    }

    void fill_handlers() {
        fill_physics();
        fill_scene();
        fill_solver();
    }

    void fill_physics() {
        IpcScript& s = script_;
        handlers_["energy"] = [&](IpcWords& w) { read_energy(w); };
        handlers_["timeIntegration"] = [&](IpcWords& w) { read_integrator(w); };
        handlers_["time"] = [&](IpcWords& w) { read_time(w); };
        handlers_["density"] = [&](IpcWords& w) {
            w.number_into(s.material.density, "a density > 0 (kg/m^3)", positive);
        };
        handlers_["stiffness"] = [&](IpcWords& w) {
            w.number_into(s.material.youngs_modulus, "Young's modulus > 0 (Pa) and Poisson's ratio", positive);
            w.number_into(s.material.poissons_ratio, "Young's modulus (Pa) and Poisson's ratio");
            s.material.line = w.line(), s.material.keyword = "stiffness";
        };
        handlers_["turnOffGravity"] = [&](IpcWords&) { s.gravity = false; };
        handlers_["dampingStiff"] = [&](IpcWords& w) {
            w.number_into(s.damping_stiffness, "a number >= 0 (s^3)", not_negative);
        };
        handlers_["dampingRatio"] = [&](IpcWords& w) { read_damping_ratio(w); };
        handlers_["selfCollisionOn"] = [&](IpcWords&) { s.self_collision = true; };
        handlers_["selfCollisionOff"] = [&](IpcWords&) { s.self_collision = false; };
        handlers_["selfFric"] = [&](IpcWords& w) {
            w.number_into(s.self_friction, "a friction coefficient >= 0", not_negative);
        };
    }

    void fill_scene() {
        IpcScript& s = script_;
        handlers_["size"] = [&](IpcWords& w) { w.number_into(s.size, "the largest extent (m), or -1"); };
        handlers_["rotateModel"] = [&](IpcWords& w) { read_turn(w); };
        handlers_["shape"] = [&](IpcWords& w) { read_shape(w); };
        handlers_["shapes"] = [&](IpcWords& w) { read_shapes(w); };
        handlers_["shapeMatrix"] = [&](IpcWords& w) { read_matrix(w); };
        handlers_["meshCO"] = [&](IpcWords& w) { read_mesh_obstacle(w); };
        handlers_["ground"] = [&](IpcWords& w) { read_ground(w); };
        handlers_["halfSpace"] = [&](IpcWords& w) { read_half_space(w); };
        handlers_["script"] = [&](IpcWords& w) { read_animation(w); };
        handlers_["handleRatio"] = [&](IpcWords& w) {
            w.number_into(s.handle_ratio, "a fraction in (0, 0.5)", [](double v) { return v > 0.0 && v < 0.5; });
        };
        handlers_["DBCTimeRange"] = [&](IpcWords& w) {
            w.time_into(s.driven_begin, "two times (s)"), w.time_into(s.driven_end, "two times (s)");
        };
        handlers_["NBCTimeRange"] = [&](IpcWords& w) {
            w.time_into(s.loaded_begin, "two times (s)"), w.time_into(s.loaded_end, "two times (s)");
        };
        handlers_["restart"] = [&](IpcWords& w) { s.restart = w.text("a status file"), s.restart_line = w.line(); };
    }

    void fill_solver() {
        IpcScript& s = script_;
        handlers_["tuning"] = [&](IpcWords& w) { s.tuning = numbers_below(w, 0); };
        handlers_["tol"] = [&](IpcWords& w) { read_tolerances(w); };
        handlers_["dHat"] = [&](IpcWords& w) { set_tuning(1, w, "a distance > 0"); };
        handlers_["epsv"] = [&](IpcWords& w) { set_tuning(4, w, "a velocity > 0"); };
        handlers_["useAbsParameters"] = [&](IpcWords&) { s.absolute = true; };
        const auto kappa_min = [&](IpcWords& w) { w.number_into(s.kappa_min_multiplier, "a factor > 0", positive); };
        handlers_["kappaMinMultiplier"] = handlers_["minBarrierStiffnessScale"] = kappa_min;
        handlers_["fricIterAmt"] = [&](IpcWords& w) {
            if (w.empty()) return w.note("no value: 1 as without it");
            s.friction_iterations = std::max(0, w.integer("a whole number"));
        };
        handlers_["constraintSolver"] = [&](IpcWords& w) { read_solver(w); };
        handlers_["section"] = [&](IpcWords& w) { read_section(w); };
        const auto our_method = [](IpcWords& w) { w.note("the steps are solved by our method"); };
        handlers_["timeStepper"] = [=](IpcWords& w) {
            w.note(fmt::format("{}: the steps are solved by our method", w.empty() ? "" : w.text("")));
        };
        handlers_["inexactSolve"] = our_method;
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
        if (!script_.newmark || (w.empty() && !w.commented())) return;
        double beta = 0.25, gamma = 0.5;
        w.number_into(beta, "beta and gamma"), w.number_into(gamma, "beta and gamma");
        if (beta != 0.25 || gamma != 0.5)
            w.refuse(fmt::format("{} {}", beta, gamma), "NM 0.25 0.5: no other Newmark method is there");
    }

    void read_time(IpcWords& w) {
        const std::string expected = "the duration >= 0 and the step > 0 (s)";
        w.number_into(script_.duration, expected, not_negative);
        w.number_into(script_.step, expected, positive);
    }

    void read_damping_ratio(IpcWords& w) {
        double ratio = script_.damping_ratio.value_or(0.0);
        w.number_into(ratio, "a ratio from 0 to 1");
        script_.damping_ratio = std::clamp(ratio, 0.0, 1.0);
        if (*script_.damping_ratio != ratio) w.note(fmt::format("{:g} is held in 0 to 1, as there", ratio));
    }

    void read_turn(IpcWords& w) {
        IpcModelTurn turn;
        turn.axis = w.vector("an axis and an angle (degrees)");
        turn.angle = w.number("an axis and an angle (degrees)");
        const double length = turn.axis.norm();
        if (length == 0.0) w.refuse("0 0 0", "an axis other than zero");
        if (std::abs(length - 1.0) > 1e-9)
            w.note("the axis is made a unit one; the reference code would distort the shapes");
        turn.axis.normalize();
        script_.turn = turn;
    }

    void read_solver(IpcWords& w) {
        const std::string name = w.text("the name of a constraint solver");
        const bool rival = name == "QP" || name == "SQP";
        script_.solver = rival ? name : "interiorPoint";
        if (rival) w.note(fmt::format("{}: steps are solved by our method, with its contact and friction", name));
        if (!rival && name != "interiorPoint" && name != "IP")
            w.note(fmt::format("{} is none: interiorPoint, as there", name));
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
        if (script_.animation == "meshSeqFromFile") script_.animation_folder = w.text("a folder");
        std::vector<double> values;
        while (w.at_number()) values.push_back(w.number("a value of the animation"));
        script_.animation_values = without_count(values);
    }

    /// Values may stand alone or after their number; 0 alone says that there are none.
    static std::vector<double> without_count(std::vector<double> values) {
        if (!values.empty() && values[0] == static_cast<double>(values.size() - 1)) values.erase(values.begin());
        return values;
    }

    /// `keyword n` and n numbers on the lines below.
    std::vector<double> numbers_below(IpcWords& w, int least) {
        const std::string expected = fmt::format("how many numbers follow, {} to {}", least, most_numbers);
        const int count = w.integer(expected);
        if (count < least || count > most_numbers) w.refuse(fmt::format("{}", count), expected);
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
        script_.tolerances = values.empty() ? IpcScript{}.tolerances : std::move(values);
    }

    void set_tuning(std::size_t index, IpcWords& w, const std::string& expected) {
        const std::vector<double> standard = IpcScript{}.tuning;
        for (std::size_t i = script_.tuning.size(); i < standard.size(); ++i) script_.tuning.push_back(standard[i]);
        double value = script_.tuning[index + 1];
        w.number_into(value, expected, positive);
        script_.tuning[index] = script_.tuning[index + 1] = value;
    }

    void check_input(IpcWords& w) {
        const std::string kind = w.text("input");
        if (kind != "input") w.note(fmt::format("'{}' is read as input, as there", kind));
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
        const double copies = static_cast<double>(count[0]) * count[1] * count[2];
        if (copies + static_cast<double>(script_.shapes.size()) > most_copies)
            w.refuse(fmt::format("{} {} {}", count[0], count[1], count[2]),
                     fmt::format("at most {} shapes in all", most_copies));
        Vec3 corner = Vec3::Zero();
        for (int axis = 0; axis < 3 && !w.empty(); ++axis) corner[axis] = w.number("the position of the first copy");
        w.finish();
        IpcWords below = shape_line(w, "a shape below");
        IpcShape one = shape_of(below);
        one.copies = static_cast<int>(copies);
        for (int i = 0; i < count[0]; ++i)
            for (int j = 0; j < count[1]; ++j)
                for (int k = 0; k < count[2]; ++k) {
                    IpcShape copy = one;
                    copy.translation = corner + one.translation.cwiseProduct(Vec3(i, j, k));
                    script_.shapes.push_back(std::move(copy));
                }
    }

    /// The next line that has words, with those that `\` continues.
    IpcWords shape_line(const IpcWords& w, const std::string& expected) {
        do {
            if (++at_ >= lines_.size()) w.refuse("end of file", expected);
        } while (lines_[at_].words.empty());
        IpcLine line = lines_[at_];
        while (line.continues && at_ + 1 < lines_.size()) {
            const IpcLine& next = lines_[++at_];
            line.words.insert(line.words.end(), next.words.begin(), next.words.end());
            line.continues = next.continues;
        }
        return IpcWords(file_, std::move(line), script_.notes);
    }

    IpcShape shape_of(IpcWords& w) {
        IpcShape shape;
        shape.line = w.line();
        shape.file = w.keyword();
        shape.translation = w.vector("a translation (three numbers)");
        shape.rotation = w.vector("a rotation (three angles in degrees)");
        shape.scale = w.vector("a scale (three factors)");
        while (!w.empty()) {
            const std::string extra = w.text("");
            w.set_keyword(extra);
            read_ipc_shape_extra(extra, shape, file_, w);
        }
        return shape;
    }

    /// A section for the solver so far is read as if it were not there; any other is skipped. A bare `section` is one
    /// for no solver.
    void read_section(IpcWords& w) {
        std::string names;
        bool ours = false;
        const bool bare = w.empty();
        while (!w.empty()) {
            const std::string name = w.text("");
            ours =
                ours || name == "end" || name == script_.solver || (name == "IP" && script_.solver == "interiorPoint");
            names += (names.empty() ? "" : " ") + name;
        }
        if (ours) return;
        const std::size_t from = at_;
        const auto ends = [&] {
            const auto& words = lines_[at_].words;
            return words.size() > 1 && words[0] == "section" && words[1] == "end";
        };
        for (++at_; at_ < lines_.size() && !ends(); ++at_) {
        }
        if (!bare) script_.no_effect("section " + names);
        const auto empty = [](const IpcLine& line) { return line.words.empty(); };
        const bool passed_over =
            !std::all_of(lines_.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                         lines_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, lines_.size())), empty);
        if (bare && passed_over)
            w.note("a section without a name closes none: what follows is skipped to the next `section end`, as there");
    }

    const std::string& file_;
    std::vector<IpcLine> lines_;
    std::size_t at_ = 0;
    IpcScript script_;
    std::map<std::string, std::function<void(IpcWords&)>> handlers_;
};

}  // namespace

void IpcScript::no_effect(const std::string& keyword) {
    add_once(without_effect, keyword);
}

IpcScript read_ipc_script(const std::string& text, const std::string& file) {
    return Reader(text, file).run();
}

}  // namespace stiction::scene
