# onnxscope_test(name SOURCES file... LIBS target...): a Criterion executable test_NAME and its ctest, label
# "unit". FIXTURES and GOLDEN are directories, as string literals. Under AddressSanitizer a leak fails it too.
if(BUILD_TESTING)
    pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

set(gates_dir ${PROJECT_SOURCE_DIR}/tests/gates)
set(has_address_sanitizer FALSE)
if(ONNXSCOPE_SANITIZE MATCHES "address")
    set(has_address_sanitizer TRUE)
endif()

function(onnxscope_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    add_executable(test_${name} ${arg_SOURCES})
    target_link_libraries(test_${name} PRIVATE project_options ${arg_LIBS} PkgConfig::CRITERION)
    target_compile_definitions(test_${name} PRIVATE
        FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures" GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
    if(has_address_sanitizer)
        add_test(NAME unit.${name}
            COMMAND Python3::Interpreter ${gates_dir}/leaks.py suite $<TARGET_FILE:test_${name}>)
    else()
        add_test(NAME unit.${name} COMMAND test_${name})
    endif()
    set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# onnxscope_gate(name argument...): tests/gates/NAME.py, and the proof that it refuses bad samples.
function(onnxscope_gate name)
    add_test(NAME gate.${name} COMMAND Python3::Interpreter ${gates_dir}/${name}.py ${ARGN})
    add_test(NAME gate.${name}.self_test COMMAND Python3::Interpreter ${gates_dir}/${name}.py --self-test)
    set_tests_properties(gate.${name} gate.${name}.self_test PROPERTIES
        LABELS gate TIMEOUT 600 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()
