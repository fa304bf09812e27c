#include "methods/mlcp/fclib/fclib_format.hpp"

extern "C" {
#include <fclib.h>
}

#include <stdexcept>

namespace stiction::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A matrix in compressed columns, the way the library wants it.
struct Compressed {
    std::vector<int> p, i;
    std::vector<double> x;
    fclib_matrix matrix{};

    explicit Compressed(const MatrixXd& dense) {
        p.push_back(0);
        for (Index column = 0; column < dense.cols(); ++column) {
            for (Index row = 0; row < dense.rows(); ++row) {
                if (dense(row, column) == 0.0) continue;
                i.push_back(static_cast<int>(row));
                x.push_back(dense(row, column));
            }
            p.push_back(static_cast<int>(x.size()));
        }
        matrix.nzmax = static_cast<int>(x.size());
        matrix.m = static_cast<int>(dense.rows());
        matrix.n = static_cast<int>(dense.cols());
        matrix.p = p.data();
        matrix.i = i.data();
        matrix.x = x.data();
        matrix.nz = -1;
    }
};

/// Of triplets, compressed columns or compressed rows.
MatrixXd to_dense(const fclib_matrix& matrix) {
    MatrixXd dense = MatrixXd::Zero(matrix.m, matrix.n);
    if (matrix.nz >= 0) {
        for (int k = 0; k < matrix.nz; ++k) dense(matrix.p[k], matrix.i[k]) += matrix.x[k];
        return dense;
    }
    const bool columns = matrix.nz == -1;
    for (int outer = 0; outer < (columns ? matrix.n : matrix.m); ++outer) {
        for (int k = matrix.p[outer]; k < matrix.p[outer + 1]; ++k) {
            (columns ? dense(matrix.i[k], outer) : dense(outer, matrix.i[k])) += matrix.x[k];
        }
    }
    return dense;
}

void require(bool condition, const std::string& message) {
    if (!condition) throw std::runtime_error("fclib: " + message);
}

VectorXd copy_of(const double* values, Index size) {
    return Eigen::Map<const VectorXd>(values, size);
}

}  // namespace

void write_fclib(const DenseProblem& problem, const std::string& path) {
    Compressed M(problem.A), H(problem.L.transpose());
    VectorXd mu = problem.friction, f = problem.b, w = -problem.c;
    std::string title = "contact problem", description = "one time step", info = "unknown";
    fclib_info about{.title = title.data(), .description = description.data(), .math_info = info.data()};
    fclib_global global{};
    global.M = &M.matrix;
    global.H = &H.matrix;
    global.mu = mu.data();
    global.f = f.data();
    global.w = w.data();
    global.spacedim = 3;
    global.info = &about;
    require(fclib_write_global(&global, path.c_str()) == 1, "cannot write " + path);
}

void write_fclib_solution(const DenseProblem& problem, const VectorXd& v, const VectorXd& f, const std::string& path) {
    VectorXd velocities = v, u = problem.L * v - problem.c, r = f;
    fclib_solution solution{.v = velocities.data(), .u = u.data(), .r = r.data(), .l = nullptr};
    require(fclib_write_solution(&solution, path.c_str()) == 1, "cannot write a solution to " + path);
}

DenseProblem read_fclib(const std::string& path) {
    fclib_global* global = fclib_read_global(path.c_str());
    require(global != nullptr, "no global problem in " + path);
    require(global->spacedim == 3 && global->G == nullptr,
            "only problems in three dimensions without equality constraints");
    DenseProblem dense;
    dense.A = to_dense(*global->M);
    dense.L = to_dense(*global->H).transpose();
    dense.b = copy_of(global->f, dense.A.rows());
    dense.c = -copy_of(global->w, dense.L.rows());
    dense.friction = copy_of(global->mu, dense.L.rows() / 3);
    dense.compliance = (dense.L * dense.A.diagonal().cwiseInverse().asDiagonal() * dense.L.transpose()).diagonal();
    fclib_delete_global(global);
    return dense;
}

FclibSolution read_fclib_solution(const DenseProblem& problem, const std::string& path) {
    fclib_solution* solution = fclib_read_solution(path.c_str());
    require(solution != nullptr, "no solution in " + path);
    FclibSolution read{copy_of(solution->v, problem.A.rows()), copy_of(solution->r, problem.L.rows())};
    fclib_delete_solutions(solution, 1);
    return read;
}

LocalProblem local_form(const DenseProblem& problem) {
    const Eigen::LLT<MatrixXd> factor(problem.A);
    return {problem.L * factor.solve(problem.L.transpose()), problem.L * factor.solve(problem.b) - problem.c,
            problem.friction};
}

double fclib_error(const LocalProblem& problem, const VectorXd& f) {
    Compressed compressed(problem.W);
    VectorXd q = problem.q, mu = problem.friction, r = f, u = problem.W * f + q, v = VectorXd::Zero(1);
    fclib_local local{};
    local.W = &compressed.matrix;
    local.mu = mu.data();
    local.q = q.data();
    local.spacedim = 3;
    fclib_solution solution{.v = v.data(), .u = u.data(), .r = r.data(), .l = nullptr};
    return fclib_merit_local(&local, MERIT_1, &solution);
}

double fclib_error(const DenseProblem& problem, const VectorXd& f) {
    return fclib_error(local_form(problem), f);
}

DenseProblem in_velocities(DenseProblem problem, double h) {
    problem.L /= h;
    problem.c /= h;
    problem.compliance /= h * h;
    return problem;
}

std::unique_ptr<RandomProblem> to_contact_problem(const DenseProblem& dense) {
    require(dense.A.rows() % 3 == 0, "the number of unknowns is not a multiple of three");
    auto made = std::make_unique<RandomProblem>();
    const auto nodes = static_cast<stiction::Index>(dense.A.rows() / 3);
    std::vector<Edge> pairs;
    for (stiction::Index i = 0; i < nodes; ++i) {
        for (stiction::Index j = 0; j < i; ++j) {
            if (!dense.A.block<3, 3>(3 * i, 3 * j).isZero(0.0)) pairs.push_back({i, j});
        }
    }
    made->dense = dense.A;
    made->elastic.set_pattern(nodes, pairs);
    made->elastic.set_zero();
    for (stiction::Index i = 0; i < nodes; ++i) made->elastic.add_diagonal(i, dense.A.block<3, 3>(3 * i, 3 * i));
    for (const auto& [i, j] : pairs) made->elastic.add(i, j, dense.A.block<3, 3>(3 * i, 3 * j));
    made->matrix.elastic = &made->elastic;
    made->rounded.fill(made->elastic);
    made->matrix.rounded = &made->rounded;
    made->problem.matrix = &made->matrix;
    made->problem.rhs = dense.b;
    for (Index k = 0; k < dense.contacts(); ++k) {
        ContactConstraint contact;
        for (stiction::Index node = 0; node < nodes; ++node) {
            const Mat3 block = dense.L.block<3, 3>(3 * k, 3 * node);
            if (block.isZero(0.0)) continue;
            contact.add(node, block);
        }
        contact.target = dense.c.segment<3>(3 * k);
        contact.friction = dense.friction[k];
        made->problem.contacts.push_back(contact);
    }
    return made;
}

}  // namespace stiction::test
