# `project_options`: what every target of ours compiles and links with. Nothing is set globally.
include(CheckCCompilerFlag)
include(CheckPIESupported)

option(BUILD_TESTING "Build the tests" ON)
option(WERROR "Treat compiler warnings as errors" OFF)
option(BUILD_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
set(ONNXSCOPE_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: 'address,undefined' or 'thread'")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
check_pie_supported(LANGUAGES C)

add_library(project_options INTERFACE)
target_include_directories(project_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(project_options INTERFACE _GNU_SOURCE)
set_target_properties(project_options PROPERTIES INTERFACE_POSITION_INDEPENDENT_CODE ON)

target_compile_options(project_options INTERFACE
    -std=c11 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
    -Wcast-qual -Wundef $<$<BOOL:${WERROR}>:-Werror>)

# Pictures are the same on every machine: no fused multiply-add, no path of the build in the binary.
target_compile_options(project_options INTERFACE
    -ffp-contract=off -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=)

# -fcf-protection exists on x86 only.
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
        target_compile_options(project_options INTERFACE ${flag})
    endif()
endforeach()
target_link_options(project_options INTERFACE
    LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

if(ONNXSCOPE_SANITIZE)
    target_compile_options(project_options INTERFACE
        -fsanitize=${ONNXSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        $<$<CONFIG:Debug>:-O1>)
    target_link_options(project_options INTERFACE -fsanitize=${ONNXSCOPE_SANITIZE})
else()
    # Fortify needs the optimizer, and hides what the sanitizers intercept.
    target_compile_options(project_options INTERFACE
        $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE>
        $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=3>)
endif()

if(BUILD_FUZZERS)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "BUILD_FUZZERS needs clang: -DCMAKE_C_COMPILER=clang (or --preset fuzz)")
    endif()
    target_compile_options(project_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
