# Installs a finished build to an empty prefix, builds examples/cpp on it with find_package as a stranger would, and runs it.
#   cmake -DBUILD_DIR=... -DSOURCE_DIR=... -DWORK_DIR=... -DGENERATOR=... -DCXX=... -P install_and_use.cmake
function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")
step("cmake --install" "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
step("copying the example" "${CMAKE_COMMAND}" -E copy_directory "${SOURCE_DIR}/examples/cpp" "${WORK_DIR}/example")

# What is installed must stand alone: nothing in it may point into the source or build tree.
file(GLOB_RECURSE package_files "${prefix}/*.cmake")
list(LENGTH package_files count)
if(count LESS 4)
  message(FATAL_ERROR "only ${count} CMake files under ${prefix}")
endif()
foreach(file IN LISTS package_files)
  file(READ "${file}" text)
  foreach(tree IN ITEMS "${SOURCE_DIR}/" "${BUILD_DIR}/")
    string(FIND "${text}" "${tree}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${tree}")
    endif()
  endforeach()
endforeach()

step("configuring the example" "${CMAKE_COMMAND}" -S "${WORK_DIR}/example" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step("building the example" "${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
step("running the example" "${WORK_DIR}/build/first_simulation")
if(NOT output MATCHES "t = 0.25 s: .* contacts")
  message(FATAL_ERROR "the example said:\n${output}")
endif()
message(STATUS "${output}")

# The second example presses a block by 1.0 mm of its 50 mm: 1e5 Pa 0.02 over 0.01 m^2 are 20 N, and somewhat more where
# friction holds its faces.
step("running the example of a scene" "${WORK_DIR}/build/scene_run" "${WORK_DIR}/example/press.json" "${WORK_DIR}/press")
string(REGEX MATCH "t = 0.40 s: the plate bears +([0-9.]+) N" found "${output}")
if(NOT found OR CMAKE_MATCH_1 LESS 20 OR CMAKE_MATCH_1 GREATER 25)
  message(FATAL_ERROR "not 20 to 25 N on the plate:\n${output}")
endif()
foreach(part IN ITEMS "done at step 30 of 30; verdict: ok" "done at step 40 of 40; verdict: ok")
  if(NOT output MATCHES "${part}")
    message(FATAL_ERROR "no '${part}' in:\n${output}")
  endif()
endforeach()
foreach(file IN ITEMS report.json steps.csv checkpoint frames.pvd)
  if(NOT EXISTS "${WORK_DIR}/press/${file}")
    message(FATAL_ERROR "no ${file} of the example")
  endif()
endforeach()
message(STATUS "${output}")

step("the installed command" "${prefix}/bin/stiction" --help)
if(NOT output MATCHES "resume")
  message(FATAL_ERROR "stiction --help said: ${output}")
endif()

# A version that is not there is refused.
execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "find_package(stiction 99 CONFIG REQUIRED)" OUTPUT_VARIABLE text)
file(WRITE "${WORK_DIR}/refused/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(refused LANGUAGES CXX)\n${text}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK_DIR}/refused" -B "${WORK_DIR}/refused/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "find_package(stiction 99) was satisfied")
endif()
file(REMOVE_RECURSE "${WORK_DIR}")
