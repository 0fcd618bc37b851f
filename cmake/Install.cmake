# What `cmake --install` copies and `cpack` packs: the tree below a prefix, which
# can be moved afterwards. The target `distribution` builds all of it.
include(CMakePackageConfigHelpers)

#===- Completion -----------------------------------------------------------===#

set(completions ${PROJECT_BINARY_DIR}/completions)
add_custom_command(
  OUTPUT ${completions}/parallax ${completions}/_parallax
  COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
  COMMAND parallax completion bash > ${completions}/parallax
  COMMAND parallax completion zsh > ${completions}/_parallax
  DEPENDS parallax
  VERBATIM)
add_custom_target(distribution ALL
  DEPENDS parallax parallax-opt parallax-pixels parallax-python
          ParallaxRuntimeShared $<TARGET_NAME_IF_EXISTS:parallax-mpi>
          ${completions}/parallax ${completions}/_parallax)

#===- Files ----------------------------------------------------------------===#

# Debian keeps libMLIR in a folder that the dynamic linker doesn't search.
set_target_properties(parallax parallax-opt parallax-python
  ParallaxRuntimeShared PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})

# The folders are no options: the tool looks for its module relative to itself.
install(TARGETS parallax parallax-opt RUNTIME DESTINATION bin)
install(TARGETS parallax-pixels LIBRARY DESTINATION lib/parallax)
if(TARGET parallax-mpi)
  install(TARGETS parallax-mpi LIBRARY DESTINATION lib/parallax COMPONENT mpi)
endif()
install(TARGETS ParallaxRuntimeShared EXPORT Parallax
        LIBRARY DESTINATION lib
        FILE_SET HEADERS DESTINATION include INCLUDES DESTINATION include)

set(version_file ${PROJECT_BINARY_DIR}/ParallaxConfigVersion.cmake)
write_basic_package_version_file(${version_file} COMPATIBILITY SameMinorVersion)
install(FILES ${version_file} DESTINATION lib/cmake/Parallax)
install(EXPORT Parallax FILE ParallaxConfig.cmake NAMESPACE Parallax::
        DESTINATION lib/cmake/Parallax)

# Everything that a user copies in order to start, with the paths that the
# documentation has. It is not in share/doc, which containers often leave out.
install(DIRECTORY configs DESTINATION share/parallax)
install(FILES examples/CMakeLists.txt examples/compile.cpp
              examples/run_compiled.cpp
        DESTINATION share/parallax/examples)
install(DIRECTORY examples/python DESTINATION share/parallax/examples
        PATTERN __pycache__ EXCLUDE)

install(FILES README.md CHANGELOG.md CONTRIBUTING.md
        DESTINATION share/doc/parallax)
install(FILES LICENSE DESTINATION share/doc/parallax RENAME copyright)
install(DIRECTORY docs DESTINATION share/doc/parallax
        FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png)

install(FILES ${completions}/parallax
        DESTINATION share/bash-completion/completions)
install(FILES ${completions}/_parallax DESTINATION share/zsh/site-functions)

#===- The Debian package ---------------------------------------------------===#

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME parallax)
set(CPACK_PACKAGE_VENDOR "Parallax maintainers")
set(CPACK_PACKAGE_CONTACT
    "Parallax maintainers <maintainers@parallax.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "open NPU compiler toolchain for precision analysis")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Whatever the umask of the one who packs it.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Compiles ONNX networks for neural processing units, executes them in float and
bit by bit as the machine does, and says which layers lose precision, why, and
what to change.

The package has the tools, the descriptions of chips, a quickstart, and a
library with which C++ and Python programs compile, analyze and run models.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The packages of shared libraries that the programs are linked with, and an
# entry for programs that are linked with ours.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Beside libMLIR it may find a link to libLLVM that no package answers for.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libllvm${LLVM_VERSION_MAJOR})
# Only the module needs Python, of the version that it was compiled for.
math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
string(CONCAT CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), "
  "python3 (<< ${Python3_VERSION_MAJOR}.${next_minor}), python3-numpy")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# Only those who start jobs of many processes need MPI: a package of its own.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME parallax)
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
if(TARGET parallax-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS parallax-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME parallax-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS
      "parallax (= ${PROJECT_VERSION}), openmpi-bin")
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "")
  set(CPACK_DEBIAN_MPI_PACKAGE_GENERATE_SHLIBS OFF)
  set(CPACK_DEBIAN_MPI_DESCRIPTION
"Lets mpirun and srun share the work of parallax build, evaluate and tune among
many machines.")
endif()
include(CPack)
