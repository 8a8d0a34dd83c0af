// What the test programs share: a check that says where it failed.
#pragma once
#include <cstdio>
#include <cstdlib>
#define CHECK(c) do { if (!(c)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #c); exit(1); } } while (0)
#define OK(call) do { cudaError_t error_ = (call); if (error_ != cudaSuccess) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_)); exit(1); } } while (0)
