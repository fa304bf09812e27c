// Local-global iterations on a device.
#pragma once

#include "stiction/linalg/supernodal/inverse_products.hpp"
#include "stiction/methods/local_global/device/device_contacts.hpp"
#include "stiction/methods/local_global/device/device_elements.hpp"
#include "stiction/methods/local_global/line_search.hpp"
#include "stiction/methods/local_global/step_solver.hpp"

namespace stiction::local_global {

/// Solve for a device: `complete` global steps by the sparse inverse S. State, elements, S, rows and the Delassus
/// operator stay on the device through a step. What goes back and forth are the numbers by which the line search
/// decides, read at once for a trial. Collision detection is done on the CPU between start() and constrain_with().
template <class Device>
class DeviceSolve final : public StepSolver {
public:
    template <class T>
    using Array = typename Device::template Array<T>;

    /// @param elements, objective  kept by reference
    DeviceSolve(const ElementArrays& elements, const Objective& objective, const ContactSolverOptions& options)
        : objective_(objective),
          elements_(device_, elements, objective),
          inverse_(device_),
          contacts_(device_, inverse_, options) {}

    bool start(const GlobalSystem& system, const VecX& x) override {
        if (identity_ != system.identity()) {
            inverse_.upload(dynamic_cast<const supernodal::InverseProducts&>(system.inverse()).inverse());
            identity_ = system.identity();
        }
        constraints_ = nullptr;
        h_ = system.step();
        elements_.begin(system);
        for (auto* list : {&free_, &end_, &direction_}) list->resize(3 * elements_.unknown_count());
        scalars_.upload(std::vector<double>(measures, 0.0));
        counts_ = {.evaluations = 1};
        decrease_ = change_ = step_length_ = 0.0;
        x_ = x;
        at_x_ = true;
        here_.x.upload(x.data(), static_cast<std::size_t>(x.size()));
        trial_.x.upload(x.data(), static_cast<std::size_t>(x.size()));
        elements_.evaluate(here_);
        predicted_ = solved_ = false;
        residual_ = {};
        return std::isfinite(scaled_elastic()) && std::isfinite(largest_gradient());
    }
    void predict(VecX& x) override {
        free_direction();
        predicted_ = true;
        move(1.0);
        x.resize(x_.size());
        trial_.x.download(x.data());
    }
    void constrain_with(Constraints& constraints) override {
        if (!constraints.any()) return;
        constraints_ = &constraints;
        contacts_.prepare(constraints.rows(), constraints.multipliers(), h_);
        device_.wait();  // so that its time is not measured as another's
    }
    bool iterate() override {
        at_x_ = false;
        if (!predicted_) free_direction();
        predicted_ = false;
        if (constraints_ != nullptr) constrain_direction();
        ++counts_.global_steps;
        measure_direction();
        try_fraction(1.0);
        const Measured measured = read_measured();
        if (!std::isfinite(measured[largest_change])) return false;
        change_ = measured[largest_change];
        return line_search(measured);
    }
    void forces_dropped() override {
        measure_residual();
        contacts_.restart(constraints_->multipliers());
    }
    void finish() override {
        if (constraints_ == nullptr) return;
        measure_residual();
        std::vector<double> lambda, acting;
        contacts_.download(lambda, acting);
        constraints_->take(lambda, acting, residual_);
    }

    const VecX& x() override {
        if (!at_x_) here_.x.download(x_.data());
        at_x_ = true;
        return x_;
    }
    double elastic() override { return scaled_elastic() / (h_ * h_); }
    double change() const override { return change_; }
    double step_length() const override { return step_length_; }
    double decrease() const override { return decrease_; }
    int evaluations() const override { return counts_.evaluations; }
    int global_steps() const override { return counts_.global_steps; }

    // What runs bodies is public: a CUDA compiler asks for it.

    /// direction = -A^-1 gradient.
    void free_direction() {
        inverse_.solve(here_.gradient.data(), direction_.data());
        double* direction = direction_.data();
        device_.for_each(size(), [=] STICTION_BODY(std::size_t j) { direction[j] = -direction[j]; });
    }
    /// direction = -A^-1 gradient + A^-1 H^T lambda, with the lambda of the end of the step.
    void constrain_direction() {
        const Index* unknowns = elements_.unknowns();
        const double* x = here_.x.data();
        double *direction = direction_.data(), *free = free_.data();
        device_.for_each(elements_.unknown_count(), [=] STICTION_BODY(std::size_t i) {
            Eigen::Map<Vec3>(free + 3 * i) = position(x, unknowns[i]) + Eigen::Map<const Vec3>(direction + 3 * i);
        });
        contacts_.solve(free, direction);
        double* end = end_.data();
        device_.for_each(elements_.unknown_count(), [=] STICTION_BODY(std::size_t i) {
            Eigen::Map<Vec3>(end + 3 * i) = Eigen::Map<const Vec3>(direction + 3 * i);
            Eigen::Map<Vec3>(direction + 3 * i) -= position(x, unknowns[i]);
        });
        solved_ = true;
    }
    /// Of the last contact solve, once.
    void measure_residual() {
        if (solved_) residual_ = contacts_.residual(end_.data());
        solved_ = false;
    }
    double largest_gradient() {
        const double* gradient = here_.gradient.data();
        return device_.largest(size(), [=] STICTION_BODY(std::size_t j) { return std::abs(gradient[j]); });
    }

    /// Local step at a fraction of the direction from here_.
    void move(double fraction) {
        const Index* unknowns = elements_.unknowns();
        const double *x = here_.x.data(), *direction = direction_.data();
        double* out = trial_.x.data();
        device_.for_each(elements_.unknown_count(), [=] STICTION_BODY(std::size_t i) {
            Eigen::Map<Vec3>(out + 3 * static_cast<std::size_t>(unknowns[i])) =
                position(x, unknowns[i]) + fraction * Eigen::Map<const Vec3>(direction + 3 * i);
        });
    }
    /// Times h^2.
    double scaled_elastic() {
        measure_energy();
        return h_ * h_ * read_measured()[energy_here];
    }

    /// What the CPU needs to know of an iteration, read at once.
    enum Measure : std::size_t {
        descent,         ///< slope of E less the work of the constraint forces along the direction
        work,            ///< of the constraint forces along the direction
        largest_change,  ///< of a vertex
        energy_here,     ///< of elements and hinges at here_
        quadratic,       ///< difference of the quadratic terms between here_ and trial_
        elastic_change,  ///< difference of the energy between them
        measures
    };
    using Measured = std::array<double, measures>;
    double* slot(Measure measure) { return scalars_.data() + measure; }
    Measured read_measured() { return device_.template read<measures>(scalars_.data()); }
    void measure_energy() {
        const double* energy = here_.energy.data();
        device_.sum(
            elements_.energy_count(), [=] STICTION_BODY(std::size_t e) { return energy[e]; }, slot(energy_here));
    }
    void measure_direction() {
        const double *gradient = here_.gradient.data(), *direction = direction_.data(),
                     *force = contacts_.force_on_unknowns();
        const bool forced = constraints_ != nullptr;
        device_.sum(
            size(),
            [=] STICTION_BODY(std::size_t j) { return (gradient[j] - (forced ? force[j] : 0.0)) * direction[j]; },
            slot(descent));
        if (forced) {
            device_.sum(
                size(), [=] STICTION_BODY(std::size_t j) { return force[j] * direction[j]; }, slot(work));
        }
        device_.largest(
            elements_.unknown_count(),
            [=] STICTION_BODY(std::size_t i) { return Eigen::Map<const Vec3>(direction + 3 * i).norm(); },
            slot(largest_change));
        measure_energy();
    }
    /// E(trial) - E(here), without cancellation.
    void measure_difference() {
        const Index* unknowns = elements_.unknowns();
        const double *a = here_.x.data(), *b = trial_.x.data(), *qa = here_.quadratic.data(),
                     *qb = trial_.quadratic.data(), *ea = here_.energy.data(), *eb = trial_.energy.data();
        // The trapezoidal rule is exact for the quadratic terms.
        device_.sum(
            elements_.unknown_count(),
            [=] STICTION_BODY(std::size_t i) {
                const Vec3 moved = position(b, unknowns[i]) - position(a, unknowns[i]);
                const Vec3 slopes = Eigen::Map<const Vec3>(qa + 3 * i) + Eigen::Map<const Vec3>(qb + 3 * i);
                return 0.5 * moved.dot(slopes);
            },
            slot(quadratic));
        device_.sum(
            elements_.energy_count(), [=] STICTION_BODY(std::size_t e) { return eb[e] - ea[e]; }, slot(elastic_change));
    }
    void try_fraction(double fraction) {
        move(fraction);
        elements_.evaluate(trial_);
        ++counts_.evaluations;
        measure_difference();
    }
    /// As Solve::line_search(). The full direction has been tried.
    bool line_search(const Measured& full) {
        const double along = constraints_ != nullptr ? full[work] : 0.0;
        const auto trial = [&](double fraction) {
            Measured there = full;
            if (fraction < 1.0) {
                try_fraction(fraction);
                there = read_measured();
            }
            return there[quadratic] + h_ * h_ * there[elastic_change] - fraction * along;
        };
        const LineSearchEnd end = backtrack(full[descent], objective_.rounding_of(h_ * h_ * full[energy_here]), trial);
        step_length_ = end.fraction;
        if (end.fraction == 0.0) return false;
        decrease_ += end.difference;
        std::swap(here_, trial_);
        return true;
    }

private:
    std::size_t size() const { return 3 * elements_.unknown_count(); }

    struct Counts {
        int evaluations = 0, global_steps = 0;
    };

    Device device_;
    const Objective& objective_;
    DeviceElements<Device> elements_;
    DeviceInverse<Device> inverse_;
    DeviceContacts<Device> contacts_;
    std::shared_ptr<const char> identity_;  ///< of the system whose S is on the device
    Constraints* constraints_ = nullptr;    ///< null where there are none
    DeviceEvaluation<Device> here_, trial_;
    Array<double> free_, end_, direction_, scalars_;  ///< end_: positions after the last contact solve
    ContactResidual residual_;
    VecX x_;
    bool at_x_ = false;       ///< x_ is here_.x
    bool solved_ = false;     ///< residual_ is not yet that of end_
    bool predicted_ = false;  ///< direction_ is the first one without constraints
    double h_ = 0.0, change_ = 0.0, step_length_ = 0.0, decrease_ = 0.0;
    Counts counts_;
};

}  // namespace stiction::local_global
