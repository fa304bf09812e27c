// Functions that run on a CPU and, where a CUDA compiler reads them, on a GPU too.
#pragma once

/// Before a function: it is compiled for the CPU, and by a CUDA compiler for the GPU as well. Such a function takes
/// nothing from the heap, throws nothing and calls only functions of its kind.
#ifdef __CUDACC__
#define STICTION_HD __host__ __device__
#else
#define STICTION_HD
#endif
