// SPDX-License-Identifier: Apache-2.0
// The runtime API as C has it.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#ifdef __WARPTAPE_CUDA_VERSION__
#define CUDART_VERSION __WARPTAPE_CUDA_VERSION__
#else
#define CUDART_VERSION 11080
#endif
#include "driver_types.h"
#if defined(__cplusplus)
#define DEFAULT(value) = value
extern "C" {
#else
#define DEFAULT(value)
#endif
#if defined(__CUDA__)
#define __WARPTAPE_HOST__ __attribute__((host))
#else
#define __WARPTAPE_HOST__
#endif
#define CUDART_CB
#define CUDART_CDECL
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);

__WARPTAPE_HOST__ extern cudaError_t cudaDeviceReset(void);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceSynchronize(void);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadExit(void);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadSynchronize(void);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
__WARPTAPE_HOST__ extern cudaError_t cudaGetLastError(void);
__WARPTAPE_HOST__ extern cudaError_t cudaPeekAtLastError(void);
__WARPTAPE_HOST__ extern cudaError_t cudaGetDeviceCount(int *count);
__WARPTAPE_HOST__ extern cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int destination);
__WARPTAPE_HOST__ extern cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties);
__WARPTAPE_HOST__ extern cudaError_t cudaSetDevice(int device);
__WARPTAPE_HOST__ extern cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaGetDevice(int *device);
__WARPTAPE_HOST__ extern cudaError_t cudaSetValidDevices(int *devices, int count);
__WARPTAPE_HOST__ extern cudaError_t cudaSetDeviceFlags(unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaGetDeviceFlags(unsigned int *flags);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamCreate(cudaStream_t *stream);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamDestroy(cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamSynchronize(cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamQuery(cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length DEFAULT(0), unsigned int flags DEFAULT(cudaMemAttachSingle));
__WARPTAPE_HOST__ extern cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
__WARPTAPE_HOST__ extern cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
__WARPTAPE_HOST__ extern cudaError_t cudaEventCreate(cudaEvent_t *event);
__WARPTAPE_HOST__ extern cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream DEFAULT(0), unsigned int flags DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaEventQuery(cudaEvent_t event);
__WARPTAPE_HOST__ extern cudaError_t cudaEventSynchronize(cudaEvent_t event);
__WARPTAPE_HOST__ extern cudaError_t cudaEventDestroy(cudaEvent_t event);
__WARPTAPE_HOST__ extern cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
__WARPTAPE_HOST__ extern cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments);
__WARPTAPE_HOST__ extern cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config);
__WARPTAPE_HOST__ extern cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config);
__WARPTAPE_HOST__ extern cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t sharedBytes DEFAULT(0), cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaSetupArgument(const void *argument, size_t size, size_t offset);
__WARPTAPE_HOST__ extern cudaError_t cudaLaunch(const void *function);
__WARPTAPE_HOST__ extern cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
__WARPTAPE_HOST__ extern cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
__WARPTAPE_HOST__ extern cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
__WARPTAPE_HOST__ extern cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
__WARPTAPE_HOST__ extern cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);
__WARPTAPE_HOST__ extern cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int blockSize, size_t sharedBytes);
__WARPTAPE_HOST__ extern cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int blockSize, size_t sharedBytes, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int blockSize);
__WARPTAPE_HOST__ extern cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags DEFAULT(cudaMemAttachGlobal));
__WARPTAPE_HOST__ extern cudaError_t cudaMalloc(void **pointer, size_t size);
__WARPTAPE_HOST__ extern cudaError_t cudaMallocHost(void **pointer, size_t size);
__WARPTAPE_HOST__ extern cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
__WARPTAPE_HOST__ extern cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent);
__WARPTAPE_HOST__ extern cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height DEFAULT(0), unsigned int flags DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels, unsigned int flags DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned int index);
__WARPTAPE_HOST__ extern cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
__WARPTAPE_HOST__ extern cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t least);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle, enum cudaMemAllocationHandleType type, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data);
__WARPTAPE_HOST__ extern cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value);
__WARPTAPE_HOST__ extern cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
__WARPTAPE_HOST__ extern cudaError_t cudaCtxResetPersistingL2Cache(void);
__WARPTAPE_HOST__ extern cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
__WARPTAPE_HOST__ extern cudaError_t cudaFree(void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaFreeHost(void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaFreeArray(cudaArray_t array);
__WARPTAPE_HOST__ extern cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaHostUnregister(void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
__WARPTAPE_HOST__ extern cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
__WARPTAPE_HOST__ extern cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyPeer(void *destination, int destinationDevice, const void *source, int sourceDevice, size_t count);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyPeerAsync(void *destination, int destinationDevice, const void *source, int sourceDevice, size_t count, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy2D(void *destination, size_t destinationPitch, const void *source, size_t sourcePitch, size_t width, size_t height, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy2DAsync(void *destination, size_t destinationPitch, const void *source, size_t sourcePitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyToArray(cudaArray_t destination, size_t wOffset, size_t hOffset, const void *source, size_t count, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyFromArray(void *destination, cudaArray_const_t source, size_t wOffset, size_t hOffset, size_t count, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, size_t wOffset, size_t hOffset, const void *source, size_t sourcePitch, size_t width, size_t height, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, size_t wOffset, size_t hOffset, const void *source, size_t sourcePitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy2DFromArray(void *destination, size_t destinationPitch, cudaArray_const_t source, size_t wOffset, size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, size_t wOffset, size_t hOffset, cudaArray_const_t source, size_t wOffsetSource, size_t hOffsetSource, size_t width, size_t height, enum cudaMemcpyKind kind DEFAULT(cudaMemcpyDeviceToDevice));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t count, size_t offset DEFAULT(0), enum cudaMemcpyKind kind DEFAULT(cudaMemcpyHostToDevice));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t count, size_t offset DEFAULT(0), enum cudaMemcpyKind kind DEFAULT(cudaMemcpyDeviceToHost));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);
__WARPTAPE_HOST__ extern cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);
__WARPTAPE_HOST__ extern cudaError_t cudaMemset(void *pointer, int value, size_t count);
__WARPTAPE_HOST__ extern cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
__WARPTAPE_HOST__ extern cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent);
__WARPTAPE_HOST__ extern cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device);
__WARPTAPE_HOST__ extern cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaDeviceDisablePeerAccess(int peer);
__WARPTAPE_HOST__ extern cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
__WARPTAPE_HOST__ extern cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaIpcCloseMemHandle(void *pointer);
__WARPTAPE_HOST__ extern cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
__WARPTAPE_HOST__ extern cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *pointer, const struct cudaChannelFormatDesc *desc, size_t size DEFAULT(UINT_MAX));
__WARPTAPE_HOST__ extern cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *pointer, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
__WARPTAPE_HOST__ extern cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc);
__WARPTAPE_HOST__ extern cudaError_t cudaUnbindTexture(const struct textureReference *texture);
__WARPTAPE_HOST__ extern cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture);
__WARPTAPE_HOST__ extern cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol);
__WARPTAPE_HOST__ extern cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc);
__WARPTAPE_HOST__ extern cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol);
__WARPTAPE_HOST__ extern cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view);
__WARPTAPE_HOST__ extern cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
__WARPTAPE_HOST__ extern cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture);
__WARPTAPE_HOST__ extern cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description, cudaTextureObject_t texture);
__WARPTAPE_HOST__ extern cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource);
__WARPTAPE_HOST__ extern cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
__WARPTAPE_HOST__ extern cudaError_t cudaDriverGetVersion(int *version);
__WARPTAPE_HOST__ extern cudaError_t cudaRuntimeGetVersion(int *version);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags DEFAULT(0));
__WARPTAPE_HOST__ extern cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphDestroy(cudaGraph_t graph);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaKernelNodeParams *p);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaMemcpy3DParms *p);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaMemsetParams *p);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaHostNodeParams *p);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *failed, enum cudaGraphExecUpdateResult *result);
__WARPTAPE_HOST__ extern cudaError_t cudaProfilerStart(void);
__WARPTAPE_HOST__ extern cudaError_t cudaProfilerStop(void);
__WARPTAPE_HOST__ extern cudaError_t cudaProfilerInitialize(const char *config, const char *output, enum cudaOutputMode mode);
__WARPTAPE_HOST__ extern cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags DEFAULT(0));
__WARPTAPE_HOST__ extern const char *cudaGetErrorName(cudaError_t error);
__WARPTAPE_HOST__ extern const char *cudaGetErrorString(cudaError_t error);
__WARPTAPE_HOST__ extern struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
#if defined(__cplusplus)
}
#endif
#undef DEFAULT

static inline __WARPTAPE_HOST__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t xsize, size_t ysize) {
  struct cudaPitchedPtr p; p.ptr = pointer; p.pitch = pitch; p.xsize = xsize; p.ysize = ysize; return p;
}
static inline __WARPTAPE_HOST__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent e; e.width = width; e.height = height; e.depth = depth; return e;
}
static inline __WARPTAPE_HOST__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p; p.x = x; p.y = y; p.z = z; return p;
}
#endif
