// A GPU that CUDA runs on. Only for sources that a CUDA compiler reads.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/base/host_device.hpp"

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

namespace cuda_kernels {

/// For asking whether this build has code for a GPU. A template, so that the header may define it.
template <int>
__global__ void probe() {}

}  // namespace cuda_kernels

/// Runs bodies over index ranges on the current GPU: the members of CpuDevice, with the same meaning. All work is in
/// one stream, in order. Sums go over blocks of fixed size and have the same bits from run to run. Errors of CUDA are
/// thrown as InternalError where a number comes back to the CPU.
class CudaDevice {
public:
    template <class T>
    class Array {
    public:
        Array() = default;
        Array(Array&& other) noexcept { swap(other); }
        Array& operator=(Array&& other) noexcept {
            swap(other);
            return *this;
        }
        Array(const Array&) = delete;
        Array& operator=(const Array&) = delete;
        ~Array() { cudaFree(data_); }

        void resize(std::size_t count) {
            if (count > capacity_) {
                // What grew once may grow in every step: with room to spare, where the GPU has it.
                const std::size_t roomy = data_ == nullptr ? count : count + count / 2;
                cudaFree(data_);
                data_ = nullptr;
                size_ = capacity_ = 0;
                if (cudaMalloc(&data_, roomy * sizeof(T)) == cudaSuccess) {
                    capacity_ = roomy;
                } else {
                    cudaGetLastError();
                    check(cudaMalloc(&data_, count * sizeof(T)));
                    capacity_ = count;
                }
            }
            size_ = count;
        }
        std::size_t size() const { return size_; }
        T* data() { return data_; }
        const T* data() const { return data_; }
        void upload(const T* from, std::size_t count) {
            resize(count);
            if (count > 0) check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice));
        }
        void upload(const std::vector<T>& from) { upload(from.data(), from.size()); }
        void download(T* to) const {
            if (size_ > 0) check(cudaMemcpy(to, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        }

    private:
        void swap(Array& other) noexcept {
            std::swap(data_, other.data_);
            std::swap(size_, other.size_);
            std::swap(capacity_, other.capacity_);
        }

        T* data_ = nullptr;
        std::size_t size_ = 0, capacity_ = 0;
    };

    /// A warp.
    struct Team {
        STICTION_HD std::size_t rank() const {
#ifdef __CUDA_ARCH__
            return threadIdx.x % 32;
#else
            return 0;
#endif
        }
        STICTION_HD std::size_t size() const {
            return width;
        }
        STICTION_HD double sum(double mine) const {
#ifdef __CUDA_ARCH__
            for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_xor_sync(all_lanes, mine, offset);
#endif
            return mine;
        }
        STICTION_HD unsigned least(unsigned mine) const {
#ifdef __CUDA_ARCH__
            mine = __reduce_min_sync(all_lanes, mine);
#endif
            return mine;
        }
        STICTION_HD double of([[maybe_unused]] std::size_t rank, double mine) const {
#ifdef __CUDA_ARCH__
            mine = __shfl_sync(all_lanes, mine, static_cast<int>(rank));
#endif
            return mine;
        }

        static constexpr std::size_t width = 32;
        static constexpr unsigned all_lanes = 0xffffffffu;
    };

    /// A block.
    struct LargeTeam {
        STICTION_HD std::size_t rank() const {
#ifdef __CUDA_ARCH__
            return threadIdx.x;
#else
            return 0;
#endif
        }
        STICTION_HD std::size_t size() const {
#ifdef __CUDA_ARCH__
            return blockDim.x;
#else
            return 1;
#endif
        }
        STICTION_HD void sync() const {
#ifdef __CUDA_ARCH__
            __syncthreads();
#endif
        }
        STICTION_HD double sum(double mine) const {
#ifdef __CUDA_ARCH__
            __shared__ double of_warps[Team::width];
            __syncthreads();  // the numbers of the last sum have been read
            const double ours = Team{}.sum(mine);
            if (threadIdx.x % Team::width == 0) of_warps[threadIdx.x / Team::width] = ours;
            __syncthreads();
            const unsigned lane = threadIdx.x % Team::width;
            mine = Team{}.sum(lane < blockDim.x / Team::width ? of_warps[lane] : 0.0);
#endif
            return mine;
        }
    };
    static constexpr unsigned large_team = 1024;  ///< threads of a team that works alone
    static constexpr unsigned part_team = 256;    ///< threads of a team that works on a part, one index each

    /// Why there is no GPU, as a clause; empty if there is one.
    static std::string missing() {
        int count = 0;
        const cudaError_t error = cudaGetDeviceCount(&count);
        if (error != cudaSuccess) return std::string("CUDA finds no GPU: ") + cudaGetErrorString(error);
        if (count == 0) return "this machine has no GPU";
        cudaFuncAttributes attributes;
        const cudaError_t code = cudaFuncGetAttributes(&attributes, cuda_kernels::probe<0>);
        if (code == cudaSuccess) return "";
        cudaGetLastError();
        return "this build has no code for the GPU " + name() + ": " + cudaGetErrorString(code);
    }
    static std::string name() {
        cudaDeviceProp properties;
        return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "";
    }

    template <class Body>
    void for_each(std::size_t count, const Body& body);
    template <class Body>
    void for_each_team(std::size_t count, const Body& body);
    template <class Body>
    void run_team(const Body& body);
    template <class Body>
    void run_teams(std::size_t count, const Body& body);
    template <class Term>
    void sum(std::size_t count, const Term& term, double* out);
    template <class Term>
    void largest(std::size_t count, const Term& term, double* out);
    template <class Term>
    double largest(std::size_t count, const Term& term) {
        scalar_.resize(1);
        largest(count, term, scalar_.data());
        return read(scalar_.data());
    }
    double read(const double* at) const {
        return read<1>(at)[0];
    }
    template <std::size_t count>
    std::array<double, count> read(const double* at) const {
        std::array<double, count> result;
        check(cudaMemcpy(result.data(), at, sizeof(result), cudaMemcpyDeviceToHost));
        return result;
    }
    void wait() const {
        check(cudaDeviceSynchronize());
    }

    static void check(cudaError_t error) {
        if (error == cudaSuccess) return;
        cudaGetLastError();  // or the next call reports it again
        throw InternalError(std::string("CUDA: ") + cudaGetErrorString(error));
    }

private:
    static unsigned grid(std::size_t blocks) {
        STICTION_CHECK(blocks <= 2147483647u, "more work than a GPU takes at once");
        return static_cast<unsigned>(blocks);
    }
    template <class Reduction, class Term>
    void reduce(std::size_t count, const Term& term, double* out);

    Array<double> partial_, scalar_;
};

namespace cuda_kernels {

inline constexpr unsigned block_threads = 256;
inline constexpr std::size_t warp = CudaDevice::Team::width;
inline constexpr std::size_t per_block = 4 * block_threads;  ///< terms that a block adds up

struct Sum {
    __device__ static double join(double a, double b) { return a + b; }
};
/// The larger number; NaN where one is NaN.
struct Largest {
    __device__ static double join(double a, double b) { return a >= b || a != a ? a : b; }
};

template <class Body>
__global__ void for_each(std::size_t count, const Body body) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) body(i);
}

template <class Team, class Body>
__global__ void for_each_team(std::size_t count, const Body body) {
    const std::size_t i = (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / warp;
    if (i < count) body(Team{}, i);
}

template <class Team, class Body>
__global__ __launch_bounds__(CudaDevice::large_team) void run_team(const Body body) {
    body(Team{});
}

template <class Team, class Body>
__global__ __launch_bounds__(CudaDevice::part_team) void run_teams(std::size_t count, const Body body) {
    __shared__ typename Body::Shared shared;
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * blockDim.x, end = begin + blockDim.x;
    body(Team{}, begin, end < count ? end : count, shared);
}

/// The numbers of the threads of a block joined in a tree of fixed shape; the result is thread 0's.
template <class Reduction>
__device__ double join_block(double mine) {
    __shared__ double shared[block_threads];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = block_threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = Reduction::join(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    return shared[0];
}

template <class Reduction, class Term>
__global__ void reduce_terms(std::size_t count, const Term term, double* partial) {
    double mine = 0.0;
    for (std::size_t k = 0; k < per_block / block_threads; ++k) {
        const std::size_t i = blockIdx.x * per_block + k * block_threads + threadIdx.x;
        if (i < count) mine = Reduction::join(mine, term(i));
    }
    const double joined = join_block<Reduction>(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = joined;
}

template <class Reduction>
__global__ void reduce_partial(std::size_t count, const double* partial, double* out) {
    double mine = 0.0;
    for (std::size_t i = threadIdx.x; i < count; i += block_threads) mine = Reduction::join(mine, partial[i]);
    const double joined = join_block<Reduction>(mine);
    if (threadIdx.x == 0) *out = joined;
}

}  // namespace cuda_kernels

template <class Body>
void CudaDevice::for_each(std::size_t count, const Body& body) {
    if (count == 0) return;
    const std::size_t blocks = (count + cuda_kernels::block_threads - 1) / cuda_kernels::block_threads;
    cuda_kernels::for_each<<<grid(blocks), cuda_kernels::block_threads>>>(count, body);
    check(cudaGetLastError());
}

template <class Body>
void CudaDevice::for_each_team(std::size_t count, const Body& body) {
    if (count == 0) return;
    constexpr std::size_t teams = cuda_kernels::block_threads / cuda_kernels::warp;
    const std::size_t blocks = (count + teams - 1) / teams;
    cuda_kernels::for_each_team<Team><<<grid(blocks), cuda_kernels::block_threads>>>(count, body);
    check(cudaGetLastError());
}

template <class Body>
void CudaDevice::run_team(const Body& body) {
    cuda_kernels::run_team<LargeTeam><<<1, large_team>>>(body);
    check(cudaGetLastError());
}

template <class Body>
void CudaDevice::run_teams(std::size_t count, const Body& body) {
    if (count == 0) return;
    cuda_kernels::run_teams<LargeTeam><<<grid((count + part_team - 1) / part_team), part_team>>>(count, body);
    check(cudaGetLastError());
}

template <class Reduction, class Term>
void CudaDevice::reduce(std::size_t count, const Term& term, double* out) {
    const std::size_t blocks = (count + cuda_kernels::per_block - 1) / cuda_kernels::per_block;
    if (blocks > 0) {
        partial_.resize(blocks);
        cuda_kernels::reduce_terms<Reduction>
            <<<grid(blocks), cuda_kernels::block_threads>>>(count, term, partial_.data());
        check(cudaGetLastError());
    }
    cuda_kernels::reduce_partial<Reduction><<<1, cuda_kernels::block_threads>>>(blocks, partial_.data(), out);
    check(cudaGetLastError());
}

template <class Term>
void CudaDevice::sum(std::size_t count, const Term& term, double* out) {
    reduce<cuda_kernels::Sum>(count, term, out);
}

template <class Term>
void CudaDevice::largest(std::size_t count, const Term& term, double* out) {
    reduce<cuda_kernels::Largest>(count, term, out);
}

}  // namespace stiction
