// Functions that run on a CPU and, where a CUDA compiler reads them, on a GPU too.
#pragma once

/// Before a function: it is compiled for the CPU, and by a CUDA compiler for the GPU as well. Such a function takes
/// nothing from the heap, throws nothing and calls only functions of its kind.
#ifdef __CUDACC__
#define STICTION_HD __host__ __device__
#else
#define STICTION_HD
#endif

/// Before the parameters of a lambda that an algorithm hands to its device: CpuDevice calls it on the CPU, a CUDA
/// compiler makes it for the GPU alone. (It could make it for both. But where a program holds the same template from
/// two CUDA sources, such a lambda calls address 0.)
#ifdef __CUDACC__
#define STICTION_BODY __device__
#else
#define STICTION_BODY
#endif

/// Before a loop over constants whose body should be written out on a GPU, so that arrays stay in registers.
#ifdef __CUDA_ARCH__
#define STICTION_UNROLL _Pragma("unroll")
#else
#define STICTION_UNROLL
#endif
