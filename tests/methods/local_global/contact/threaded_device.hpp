// A device whose teams are threads of the CPU: what lanes of a GPU share, and where they wait, runs without a GPU.
#pragma once

#include "stiction/base/cpu_device.hpp"

#include <array>
#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace stiction::test {

/// CpuDevice with teams of 4 threads and large teams of 8. The threads of one index begin and end with it.
class ThreadedDevice : public CpuDevice {
    static constexpr std::size_t most = 8;

    /// What the threads of an index share.
    struct Place {
        explicit Place(std::size_t threads) : all(static_cast<std::ptrdiff_t>(threads)) {}
        std::barrier<> all, few{4};
        std::array<double, most> numbers{};
    };
    struct Thread {
        std::size_t rank, size;
        Place* place;
    };
    static inline thread_local Thread here{0, 1, nullptr};

    /// mine of every thread by ranks; each has read them when all have returned.
    static std::array<double, most> exchange(std::barrier<>& barrier, double mine) {
        here.place->numbers[here.rank] = mine;
        barrier.arrive_and_wait();
        const std::array<double, most> result = here.place->numbers;
        barrier.arrive_and_wait();
        return result;
    }

public:
    struct Team {
        static constexpr std::size_t width = 4;
        std::size_t rank() const { return here.rank % width; }
        std::size_t size() const { return width; }
        double sum(double mine) const {
            const auto numbers = exchange(here.place->few, mine);
            return (numbers[0] + numbers[1]) + (numbers[2] + numbers[3]);
        }
        unsigned least(unsigned mine) const {
            const auto numbers = exchange(here.place->few, mine);
            return static_cast<unsigned>(*std::min_element(numbers.begin(), numbers.begin() + width));
        }
        double of(std::size_t rank, double mine) const { return exchange(here.place->few, mine)[rank]; }
    };
    struct LargeTeam {
        std::size_t rank() const { return here.rank; }
        std::size_t size() const { return here.size; }
        void sync() const { here.place->all.arrive_and_wait(); }
        double sum(double mine) const {
            double result = 0.0;
            for (const double number : exchange(here.place->all, mine)) result += number;
            return result;
        }
    };

    template <class Body>
    void for_each_team(std::size_t count, const Body& body) {
        together(Team::width, [&] {
            for (std::size_t i = 0; i < count; ++i) body(Team{}, i);
        });
    }
    template <class Body>
    void run_team(const Body& body) {
        together(most, [&] { body(LargeTeam{}); });
    }
    /// Parts of 40 indices, one after the other.
    template <class Body>
    void run_teams(std::size_t count, const Body& body) {
        constexpr std::size_t part = 40;
        typename Body::Shared shared;
        together(most, [&] {
            for (std::size_t begin = 0; begin < count; begin += part) {
                body(LargeTeam{}, begin, std::min(begin + part, count), shared);
                LargeTeam{}.sync();
            }
        });
    }

private:
    template <class Work>
    static void together(std::size_t threads, const Work& work) {
        Place place(threads);
        std::vector<std::jthread> running;
        for (std::size_t rank = 0; rank < threads; ++rank) {
            running.emplace_back([&, rank] {
                here = {rank, threads, &place};
                work();
            });
        }
    }
};

}  // namespace stiction::test
