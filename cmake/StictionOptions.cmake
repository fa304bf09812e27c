# Flags that must be the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(STICTION_CCACHE ccache)
if(STICTION_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STICTION_CCACHE}")
endif()
# Several sources make one translation unit: most of the time of a compiler goes into headers. Anonymous names of the
# sources of one target must differ.
option(STICTION_UNITY "Compile several sources as one" ON)
set(CMAKE_UNITY_BUILD ${STICTION_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

find_program(STICTION_MOLD mold)
if(STICTION_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Contraction off: the same source gives the same bits at every -march.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-ffp-contract=off>")
if(STICTION_WARNINGS_AS_ERRORS)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives inside Eigen's and libstdc++'s inlined code at -O2 and above.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>")
endif()
if(STICTION_MARCH)
  add_compile_options(-march=${STICTION_MARCH})  # CUDA sources too: Eigen's alignment is ABI
  # g++ 12's own AVX-512 header reads undefined registers on purpose, and warns of itself (GCC bug 105593).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized>")
  endif()
endif()
if(STICTION_SANITIZE)
  add_compile_options(-fsanitize=${STICTION_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STICTION_SANITIZE})
endif()

# One static library a folder of src/stiction: its sources, and the floors it stands on.
#   stiction_floor(NAME DIR [LINK ...] [PRIVATE_LINK ...])
function(stiction_floor name directory)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*.hpp")
  set(target stiction_${name})
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_LINK})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(stiction::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY STICTION_FLOORS ${target})
endfunction()
