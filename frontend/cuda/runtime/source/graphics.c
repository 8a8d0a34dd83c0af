// SPDX-License-Identifier: Apache-2.0
// OpenGL's memory as the device's: not there.
#include "warptape.h"
#include "cuda_runtime_api.h"
#include "cuda_gl_interop.h"
#define NO_OPENGL UNSUPPORTED("there is no OpenGL beside the emulated device")

EXPORT cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int most, enum cudaGLDeviceList list) {
  (void)devices; (void)most; (void)list;
  if (count) *count = 0;
  return NO_OPENGL;
}
EXPORT cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **r, GLuint image, GLenum target, unsigned int flags) { (void)r; (void)image; (void)target; (void)flags; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **r, GLuint buffer, unsigned int flags) { (void)r; (void)buffer; (void)flags; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t r) { (void)r; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t r, unsigned int flags) { (void)r; (void)flags; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsMapResources(int n, cudaGraphicsResource_t *r, cudaStream_t s) { (void)n; (void)r; (void)s; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsUnmapResources(int n, cudaGraphicsResource_t *r, cudaStream_t s) { (void)n; (void)r; (void)s; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsResourceGetMappedPointer(void **p, size_t *n, cudaGraphicsResource_t r) { (void)p; (void)n; (void)r; return NO_OPENGL; }
EXPORT cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *a, cudaGraphicsResource_t r, unsigned int index, unsigned int level) { (void)a; (void)r; (void)index; (void)level; return NO_OPENGL; }
EXPORT cudaError_t cudaGLSetGLDevice(int device) { (void)device; return NO_OPENGL; }
EXPORT cudaError_t cudaGLRegisterBufferObject(GLuint buffer) { (void)buffer; return NO_OPENGL; }
EXPORT cudaError_t cudaGLMapBufferObject(void **p, GLuint buffer) { (void)p; (void)buffer; return NO_OPENGL; }
EXPORT cudaError_t cudaGLUnmapBufferObject(GLuint buffer) { (void)buffer; return NO_OPENGL; }
EXPORT cudaError_t cudaGLUnregisterBufferObject(GLuint buffer) { (void)buffer; return NO_OPENGL; }
