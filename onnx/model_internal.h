// What a model owns behind its public face. Only decode*.c makes models.
#pragma once

#include "onnx/memory.h"
#include "onnx/model.h"

struct onnx_model_owner {
    struct onnx_model model;  // first: a model is freed through its public pointer
    struct onnx_memory memory;
};
