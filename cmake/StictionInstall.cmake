# cmake --install: the command, the libraries, the headers, and what find_package(stiction CONFIG) reads.
include(CMakePackageConfigHelpers)

# A program must be compiled as the library was: Eigen's alignment depends on -march, and contraction would change the bits of what
# the headers inline.
target_compile_features(stiction_base INTERFACE cxx_std_20)
target_compile_options(stiction_base INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)
if(STICTION_MARCH)
  target_compile_options(stiction_base INTERFACE $<INSTALL_INTERFACE:-march=${STICTION_MARCH}>)
endif()
if(STICTION_SANITIZE)
  target_compile_options(stiction_base INTERFACE $<INSTALL_INTERFACE:-fsanitize=${STICTION_SANITIZE}>)
  target_link_options(stiction_base INTERFACE $<INSTALL_INTERFACE:-fsanitize=${STICTION_SANITIZE}>)
endif()

get_property(floors GLOBAL PROPERTY STICTION_FLOORS)
install(TARGETS ${floors} stiction EXPORT stictionTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET stiction_cli)
  install(TARGETS stiction_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/stiction" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/docs/licences.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/stiction")
install(EXPORT stictionTargets NAMESPACE stiction:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stictionConfig.cmake.in" "${PROJECT_BINARY_DIR}/stictionConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/stictionConfig.cmake" "${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake"
  DESTINATION "${package_dir}")
# Debian ships no CMake configuration for these.
install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindMUMPS.cmake"
  DESTINATION "${package_dir}")
