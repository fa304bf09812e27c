#include "command_line.hpp"

#include "stiction/linalg/blas.hpp"

int main(int argc, char** argv) {
    stiction::use_wide_blas_kernels();
    return stiction::cli::command_line(argc, argv);
}
