# Compiles and links the CUDA kernels and their tests for one architecture, on an installed build without CUDA, and runs
# the tests: where there is no GPU, they say so and check nothing.
#   cmake -DBUILD_DIR=... -DSOURCE_DIR=... -DWORK_DIR=... -DGENERATOR=... -DCXX=... -P compile_cuda.cmake
find_program(nvcc nvcc PATHS /usr/local/cuda/bin)
if(NOT nvcc)
  message("skipped: no CUDA compiler (nvcc)")
  return()
endif()

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
step("cmake --install" "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix")
step("configuring" "${CMAKE_COMMAND}" -S "${SOURCE_DIR}/tests/packaging/cuda" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CUDA_COMPILER=${nvcc}" -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix" "-DSTICTION_SOURCE=${SOURCE_DIR}" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step("compiling" "${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
step("running the tests" "${WORK_DIR}/build/cuda_check")
message("${output}")
file(REMOVE_RECURSE "${WORK_DIR}")
