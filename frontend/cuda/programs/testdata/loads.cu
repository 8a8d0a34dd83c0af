// A program that loads its device code from the file that its argument names, each way that the
// driver's interface has.
#include <cuda.h>
#include <string>
#include <vector>
#include "check.h"
#define DRIVER(call) do { CUresult result_ = (call); if (result_ != CUDA_SUCCESS) { printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result_); exit(1); } } while (0)

// work uses a module and unloads it; its memory is free again, and its handle is none.
static void work(CUmodule module) {
  CUfunction scale, none;
  CUdeviceptr p, sum, factor;
  size_t bytes;
  CHECK(cuModuleGetFunction(&none, module, "scales") == CUDA_ERROR_NOT_FOUND);
  DRIVER(cuModuleGetFunction(&scale, module, "scale"));
  DRIVER(cuModuleGetGlobal(&sum, &bytes, module, "sum"));
  DRIVER(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  CHECK(bytes == sizeof(int));
  int n = 100, three = 3, total;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; i++) numbers[i] = i;
  DRIVER(cuMemAlloc(&p, n * sizeof(int)));
  DRIVER(cuMemcpyHtoD(p, numbers.data(), n * sizeof(int)));
  DRIVER(cuMemcpyHtoD(factor, &three, sizeof three));
  void *arguments[] = {&p, &n};
  DRIVER(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  DRIVER(cuMemcpyDtoH(numbers.data(), p, n * sizeof(int)));
  DRIVER(cuMemcpyDtoH(&total, sum, sizeof total));
  for (int i = 0; i < n; i++) CHECK(numbers[i] == 3 * i);
  CHECK(total == 1000 + 3 * 4950);
  DRIVER(cuMemFree(p));
  size_t used, left, whole;
  DRIVER(cuMemGetInfo(&used, &whole));
  DRIVER(cuModuleUnload(module));
  DRIVER(cuMemGetInfo(&left, &whole));
  CHECK(left >= used + sizeof(int)); // that of the variable "sum"
  CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuModuleGetFunction(&none, module, "scale") == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuMemcpyDtoH(&total, sum, sizeof total) != CUDA_SUCCESS);
}

// link_image has the driver's linker make an image of a file's bytes. Its logs are texts.
static CUresult link_image(const char *file, const std::string &text, CUmodule *module) {
  CUjitInputType type = text[0] == 'P' ? CU_JIT_INPUT_FATBINARY : CU_JIT_INPUT_PTX;
  char error[1024], info[1024];
  memset(error, 'x', sizeof error);
  memset(info, 'x', sizeof info);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {error, (void *)sizeof error, info, (void *)sizeof info}, *image;
  CUlinkState state;
  size_t bytes;
  DRIVER(cuLinkCreate(4, options, values, &state));
  CHECK(error[0] == 0 && info[0] == 0);
  CHECK(cuLinkComplete(state, &image, &bytes) == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuLinkAddFile(state, type, "no such file", 0, NULL, NULL) == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, (void *)text.data(), text.size(), "part", 0, NULL, NULL) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CUresult result = cuLinkAddFile(state, type, file, 0, NULL, NULL);
  if (result == CUDA_SUCCESS) {
    CHECK(cuLinkAddData(state, type, (void *)text.data(), text.size(), "part", 0, NULL, NULL) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(strstr(error, "-rdc=true"));
    DRIVER(cuLinkComplete(state, &image, &bytes));
    CHECK((size_t)values[1] == strlen(error) && values[3] == NULL && bytes >= text.size());
    DRIVER(cuModuleLoadData(module, image));
  }
  DRIVER(cuLinkDestroy(state));
  return result;
}

int main(int, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuCtxCreate(&context, 0, device));
  FILE *f = fopen(argv[1], "rb");
  CHECK(f);
  std::string text;
  for (int c; (c = getc(f)) != EOF;) text += (char)c;
  fclose(f);
  CUresult result = cuModuleLoad(&module, argv[1]);
  if (result != CUDA_SUCCESS) { // what is wrong is known when the image is loaded, and not later
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    if (text[0] != 'P') { // part of a fat binary: who reads it from memory cannot know where it ends
      CHECK(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values) == result && log[0]);
      CHECK(cuModuleLoadData(&module, text.c_str()) == result);
    }
    CHECK(link_image(argv[1], text, &module) == result);
    printf("error %d\n", result);
    return 1;
  }
  work(module);
  DRIVER(cuModuleLoadData(&module, text.c_str()));
  work(module);
  if (text[0] == 'P') DRIVER(cuModuleLoadFatBinary(&module, text.data()));
  else DRIVER(cuModuleLoadDataEx(&module, text.c_str(), 0, NULL, NULL));
  work(module);
  DRIVER(link_image(argv[1], text, &module));
  work(module);
  CUctxCreateParams none = {}; // the form of CUDA 13
  DRIVER(cuCtxCreate(&context, &none, 0, device));
  DRIVER(cuCtxCreate(&context, NULL, 0, device));
  int layers;
  DRIVER(cuDeviceGetAttribute(&layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS, device));
  CHECK(layers == 2048);
  printf("ok\n");
}
