# onnxscope_test(name SOURCES file... LIBS target...): a Criterion executable test_NAME and its ctest, label "unit".
# FIXTURES is the directory of the fixtures, as a string literal.
if(BUILD_TESTING)
  pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
endif()

function(onnxscope_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE project_options ${arg_LIBS} PkgConfig::CRITERION)
  target_compile_definitions(test_${name} PRIVATE
    FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures" GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
  add_test(NAME unit.${name} COMMAND test_${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
