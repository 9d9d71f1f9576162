// The version of the program, from the build.
#pragma once

#ifndef ONNXSCOPE_VERSION
#error "the build defines ONNXSCOPE_VERSION"
#endif
