// The CPU as a device: what an algorithm for a GPU is run on where there is none.
#pragma once

#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#ifdef __CUDACC__
#error "a CUDA compiler makes bodies for the GPU alone (STICTION_BODY): on the CPU they would do nothing"
#endif

namespace stiction {

/// Runs bodies over index ranges with TBB. Algorithms for devices are templates over a class with these members, so
/// that the same source runs here and as CUDA (CudaDevice). Bodies are lambdas marked STICTION_BODY, or functors whose
/// call is marked STICTION_HD. They capture pointers and numbers by value. Calls run one after the other. Sums have a
/// fixed order: same bits from run to run.
class CpuDevice {
public:
    /// Memory of the device. Contents survive neither a growing resize() nor upload().
    template <class T>
    class Array {
    public:
        void resize(std::size_t count) { values_.resize(count); }
        std::size_t size() const { return values_.size(); }
        T* data() { return values_.data(); }
        const T* data() const { return values_.data(); }
        /// Copies from the memory of the CPU.
        void upload(const T* from, std::size_t count) { values_.assign(from, from + count); }
        void upload(const std::vector<T>& from) { upload(from.data(), from.size()); }
        /// Copies size() values to the memory of the CPU.
        void download(T* to) const { std::copy(values_.begin(), values_.end(), to); }

    private:
        std::vector<T> values_;
    };

    /// Threads that work on one index together: rank() of size(). Here one.
    struct Team {
        std::size_t rank() const { return 0; }
        std::size_t size() const { return 1; }
        /// The sum over the threads of the team, for each of them.
        double sum(double mine) const { return mine; }
        /// The least of the threads' numbers, for each of them.
        unsigned least(unsigned mine) const { return mine; }
        /// The number of one of the threads, for each of them.
        double of(std::size_t, double mine) const { return mine; }

        static constexpr std::size_t width = 1;  ///< size()
    };
    /// As many threads as can wait for each other. Here one. Those of ranks below Team::width are a Team as well.
    struct LargeTeam {
        std::size_t rank() const { return 0; }
        std::size_t size() const { return 1; }
        /// Until all threads of the team are here; each then sees what the others wrote.
        void sync() const {}
        /// The sum over the threads of the team, for each of them. Waits for all.
        double sum(double mine) const { return mine; }
    };

    /// body(i) for every i in [0, count), in any order.
    template <class Body>
    void for_each(std::size_t count, const Body& body) {
        parallel_for(count, body);
    }
    /// body(team, i) for every i in [0, count): a team each.
    template <class Body>
    void for_each_team(std::size_t count, const Body& body) {
        parallel_for(
            count, [&](std::size_t i) { body(Team{}, i); }, 8);
    }
    /// body(team), once: for loops whose turns depend on each other.
    template <class Body>
    void run_team(const Body& body) {
        body(LargeTeam{});
    }
    /// body(team, begin, end, shared) over parts of [0, count), a large team each. The threads of a team share a
    /// Body::Shared, which comes undefined.
    template <class Body>
    void run_teams(std::size_t count, const Body& body) {
        typename Body::Shared shared;
        if (count > 0) body(LargeTeam{}, 0, count, shared);
    }
    /// *out = sum of term(i) over [0, count); `out` is memory of the device.
    template <class Term>
    void sum(std::size_t count, const Term& term, double* out) {
        *out = parallel_sum(count, 0.0, term);
    }
    /// The largest of term(i) over [0, count) and 0; NaN where one of them is NaN.
    template <class Term>
    double largest(std::size_t count, const Term& term) {
        double result = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = term(i);
            if (!(value <= result)) result = value;
            if (value != value) return value;
        }
        return result;
    }
    /// *out = that number; `out` is memory of the device.
    template <class Term>
    void largest(std::size_t count, const Term& term, double* out) {
        *out = largest(count, term);
    }
    /// A number, or several in a row, in the memory of the device.
    double read(const double* at) const { return *at; }
    template <std::size_t count>
    std::array<double, count> read(const double* at) const {
        std::array<double, count> result;
        std::copy_n(at, count, result.begin());
        return result;
    }
    /// Until all calls so far are done.
    void wait() const {}
};

}  // namespace stiction
