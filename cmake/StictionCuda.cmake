# The CUDA compiler and its flags. CMAKE_CUDA_ARCHITECTURES says for which GPUs code is made: by default those of the
# data-centre cards since 2020 and of the desktop cards of 2022. A driver compiles the newest of them for later ones. The least is 8.0:
# sweeps take the least number of a warp in one instruction.
if(STICTION_SANITIZE)
  message(FATAL_ERROR "STICTION_CUDA with STICTION_SANITIZE: nvcc takes no sanitizers")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 89-real 90)
endif()
enable_language(CUDA)
# CMake 3.25 does not know by which option nvcc 13 takes the standard that the rest of the project asks for.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
# 20012: annotations that Eigen 3.4 has on defaulted functions, where they mean nothing.
string(APPEND CMAKE_CUDA_FLAGS " --extended-lambda --expt-relaxed-constexpr -diag-suppress=20012")
string(APPEND CMAKE_CUDA_FLAGS " -Xcompiler=-Wall,-Wextra,-Wno-maybe-uninitialized,-ffp-contract=off")
if(STICTION_WARNINGS_AS_ERRORS)
  string(APPEND CMAKE_CUDA_FLAGS " -Werror=all-warnings")
endif()
