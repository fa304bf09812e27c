// `transformation` of PolyFEM scenes.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/polyfem_geometry.hpp"
#include "stiction/scene/placement.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numbers>

namespace stiction::scene {
namespace {

RotationSpec about_axis(const Eigen::AngleAxisd& turn) {
    RotationSpec rotation;
    if (turn.angle() == 0.0) return rotation;
    rotation.axis = turn.axis();
    rotation.angle = turn.angle() / degree;
    return rotation;
}

/// The numbers of `rotation`: `count` of them.
Eigen::VectorXd rotation_numbers(ImportObject& transformation, std::size_t count, const char* expected) {
    const Json& json = *transformation.find("rotation");
    if (!json.is_array() || json.size() != count) transformation.refuse("rotation", expected);
    Eigen::VectorXd numbers(static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i) {
        numbers[static_cast<Eigen::Index>(i)] = import_number(
            json[i], fmt::format("{}[{}]", transformation.path_of("rotation"), i), transformation.notes().file);
    }
    return numbers;
}

/// Turns about the fixed axes that the letters of `mode` name, the first letter first.
RotationSpec euler_rotation(ImportObject& transformation, const std::string& mode) {
    if (mode.empty() || mode.find_first_not_of("xyz") != std::string::npos) {
        transformation.refuse("rotation_mode",
                              "letters out of 'xyz', or one of 'axis_angle', 'quaternion' and 'rotation_vector'");
    }
    Vec3 angles = Vec3::Zero();
    if (transformation.find("rotation")->is_number()) {
        if (mode.size() != 1) transformation.refuse("rotation", "a list of three angles (degree)");
        angles[mode[0] - 'x'] = transformation.number("rotation", 0.0);
    } else {
        angles = rotation_numbers(transformation, 3, "a list of three angles (degree)");
    }
    if (std::adjacent_find(mode.begin(), mode.end(), std::greater_equal<>()) ==
        mode.end()) {  // as ours: x before y before z
        RotationSpec rotation;
        Vec3 used = Vec3::Zero();
        for (const char letter : mode) used[letter - 'x'] = angles[letter - 'x'];
        if (!used.isZero(0.0)) rotation.euler = used;
        return rotation;
    }
    Mat3 matrix = Mat3::Identity();
    for (const char letter : mode)
        matrix = Eigen::AngleAxisd(angles[letter - 'x'] * degree, Vec3::Unit(letter - 'x')) * matrix;
    return about_axis(Eigen::AngleAxisd(matrix));
}

RotationSpec read_rotation(ImportObject& transformation) {
    std::string mode = transformation.text("rotation_mode", "xyz");
    std::transform(mode.begin(), mode.end(), mode.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const Json* json = transformation.find("rotation");
    if (!json || (json->is_array() && json->empty())) return {};
    if (mode == "axis_angle") {
        const auto numbers = rotation_numbers(transformation, 4, "[angle (degree), x, y, z]");
        const Vec3 axis = numbers.tail<3>();
        if (axis.isZero(0.0)) transformation.refuse("rotation", "an axis other than zero");
        return about_axis({numbers[0] * degree, axis.stableNormalized()});
    }
    if (mode == "quaternion") {
        const Eigen::Vector4d numbers = rotation_numbers(transformation, 4, "a quaternion [x, y, z, w]");
        if (numbers.isZero(0.0)) transformation.refuse("rotation", "a quaternion other than zero");
        return about_axis(Eigen::AngleAxisd(Eigen::Quaterniond(numbers.stableNormalized())));
    }
    if (mode == "rotation_vector") {
        const Vec3 vector = rotation_numbers(transformation, 3, "a rotation vector of three numbers (degree)");
        return vector.isZero(0.0) ? RotationSpec{}
                                  : about_axis({vector.stableNorm() * degree, vector.stableNormalized()});
    }
    return euler_rotation(transformation, mode);
}

Vec3 read_scale(ImportObject& transformation) {
    const Json* json = transformation.find("scale");
    if (!json || (json->is_array() && json->empty())) return Vec3::Ones();
    Vec3 scale;
    if (json->is_array()) {
        const auto numbers = import_vector(*json, transformation.path_of("scale"), transformation.notes().file);
        scale = Vec3(numbers[0], numbers[1], numbers[2]);
    } else {
        scale = Vec3::Constant(transformation.number("scale", 1.0));
    }
    if (!(scale.array() > 0.0).all()) transformation.refuse("scale", "factors > 0: no mirroring and no flattening");
    return scale;
}

/// Factors that give the mesh these extents. PolyFEM takes the extent of a flat mesh as 1, so that 0 puts it at 0: then
/// `shift` says by how much.
Vec3 read_dimensions(ImportObject& transformation, const std::pair<Vec3, Vec3>* box, Vec3& shift) {
    const Json& json = *transformation.find("dimensions");
    if (!box) transformation.refuse("dimensions", "no dimensions of a sequence: `scale`");
    const auto numbers = import_vector(json, transformation.path_of("dimensions"), transformation.notes().file);
    Vec3 factors;
    for (int k = 0; k < 3; ++k) {
        const double wanted = numbers[static_cast<std::size_t>(k)], extent = box->second[k] - box->first[k];
        const std::string path = fmt::format("{}[{}]", transformation.path_of("dimensions"), k);
        if (!(wanted >= 0.0))
            throw InputError(transformation.notes().file, path, fmt::format("{}", wanted), "an extent >= 0");
        if (wanted == 0.0 && extent > 0.0) {
            throw InputError(transformation.notes().file, path, "0",
                             fmt::format("an extent > 0: the mesh is not flat along this axis but {:g} wide", extent));
        }
        factors[k] = wanted == 0.0 ? 1.0 : wanted / (extent > 0.0 ? extent : 1.0);
        if (wanted == 0.0) shift[k] = -box->first[k];
    }
    return factors;
}

}  // namespace

TransformSpec read_polyfem_transformation(ImportObject& geometry, const std::pair<Vec3, Vec3>* box, double unit,
                                          const PolyfemContext& context) {
    ImportObject transformation = geometry.object("transformation");
    TransformSpec spec;
    Vec3 shift = Vec3::Zero();
    Vec3 factors;
    const Json* dimensions = transformation.find("dimensions");
    if (dimensions && !dimensions->is_array() && *dimensions != 1)
        transformation.refuse("dimensions", "a list of three extents");
    if (dimensions && dimensions->is_array()) {
        factors = unit * read_dimensions(transformation, box, shift);
        transformation.without_effect({"scale"});
    } else {
        factors = unit * read_scale(transformation);
    }
    if (factors != Vec3::Ones()) spec.scale = factors;
    spec.rotation = read_rotation(transformation);
    const Json* translation = transformation.find("translation");
    if (translation && !(translation->is_array() && translation->empty())) {
        const auto numbers = import_vector(*translation, transformation.path_of("translation"), context.notes.file);
        spec.translation = context.units.length * Vec3(numbers[0], numbers[1], numbers[2]);
    }
    if (!shift.isZero(0.0)) {
        TransformSpec linear = spec;
        linear.translation.setZero();
        spec.translation += make_placement(linear, {shift}, context.notes.file, transformation.path())(shift);
    }
    transformation.finish();
    return spec;
}

}  // namespace stiction::scene
