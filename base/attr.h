// Compiler attributes, under names that say what they promise. Nothing else belongs here.
#pragma once

// The caller must look at the result: it is an error code.
#define WARN_UNUSED __attribute__((warn_unused_result))

// Argument `fmt` is a printf format for the arguments from `first` on.
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
