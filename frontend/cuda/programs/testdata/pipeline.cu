// Streams, managed memory and captured graphs together: two streams fork from one and join it
// inside of a capture, the nodes work on managed memory of both kinds, and the host computes
// between launches of the graph, which is changed once.
#include "check.h"

const int n = 1000, rounds = 6;
__managed__ int gain = 3;
__managed__ long long total;

__global__ void scale(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * gain;
}
__global__ void shift(const int *in, int *out, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + by;
}
__global__ void join(const int *a, const int *b, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sum[i] = a[i] - b[i];
  atomicAdd((unsigned long long *)&total, (unsigned long long)(long long)sum[i]);
}

struct Told { const int *sum; long long seen; int calls; };
static void tell(void *data) {
  Told *t = (Told *)data;
  t->seen = 0;
  for (int i = 0; i < n; i++) t->seen += t->sum[i]; // managed memory, from the stream's thread
  t->calls++;
}

int main() {
  int *in, *scaled, *shifted, *sum, *pinned, *back;
  OK(cudaMallocManaged(&in, n * sizeof *in));
  OK(cudaMallocManaged(&sum, n * sizeof *sum));
  OK(cudaMalloc(&scaled, n * sizeof *scaled));
  OK(cudaMallocManaged(&shifted, n * sizeof *shifted));
  OK(cudaMallocHost(&pinned, n * sizeof *pinned));
  OK(cudaMallocHost(&back, n * sizeof *back));
  cudaStream_t left, right, beside;
  OK(cudaStreamCreate(&left));
  OK(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
  OK(cudaStreamCreate(&beside));
  cudaEvent_t fork, met, done;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreateWithFlags(&met, cudaEventDisableTiming));
  OK(cudaEventCreate(&done));

  Told told = {sum, 0, 0};
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  dim3 grid((n + 127) / 128), block(128);
  OK(cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(in, pinned, n * sizeof *in, cudaMemcpyDefault, left));
  OK(cudaEventRecord(fork, left));
  OK(cudaStreamWaitEvent(right, fork, 0));
  scale<<<grid, block, 0, left>>>(in, scaled);
  shift<<<grid, block, 0, right>>>(in, shifted, 7);
  OK(cudaEventRecord(met, right));
  OK(cudaStreamWaitEvent(left, met, 0));
  join<<<grid, block, 0, left>>>(scaled, shifted, sum);
  OK(cudaMemcpyAsync(back, sum, n * sizeof *sum, cudaMemcpyDefault, left));
  OK(cudaLaunchHostFunc(left, tell, &told));
  OK(cudaStreamEndCapture(left, &graph));
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 6);
  CHECK(total == 0 && told.calls == 0); // a capture runs nothing
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));

  long long all = 0;
  for (int round = 0; round < rounds; round++) {
    long long expected = 0;
    for (int i = 0; i < n; i++) {
      pinned[i] = (i * 31 + round * 17) % 101 - 50;
      expected += pinned[i] * gain - (pinned[i] + 7);
    }
    all += expected;
    OK(cudaGraphLaunch(exec, round % 2 ? beside : left));
    OK(cudaEventRecord(done, round % 2 ? beside : left));
    OK(cudaEventSynchronize(done));
    CHECK(told.calls == round + 1 && told.seen == expected && total == all);
    for (int i = 0; i < n; i++) CHECK(back[i] == pinned[i] * gain - pinned[i] - 7 && sum[i] == back[i] && in[i] == pinned[i] && shifted[i] == pinned[i] + 7);
    gain = round + 2; // the host changes managed memory between launches of the graph
  }
  // Beside a graph another stream works on other memory, and the legacy stream waits for both.
  for (int i = 0; i < n; i++) pinned[i] = i;
  OK(cudaGraphLaunch(exec, left));
  int *other;
  OK(cudaMalloc(&other, n * sizeof *other));
  OK(cudaMemsetAsync(other, 0, n * sizeof *other, beside));
  shift<<<grid, block, 0, beside>>>(other, other, 5);
  OK(cudaMemcpy(back, other, n * sizeof *back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) CHECK(back[i] == 5 && sum[i] == i * gain - i - 7);
  CHECK(cudaStreamQuery(left) == cudaSuccess && told.calls == rounds + 1);
  // An event of a capture that has ended joins nothing, and a wait for a capturing stream breaks
  // its capture: what follows is not captured, until it ends in an error.
  CHECK(cudaStreamWaitEvent(beside, fork, 0) == cudaErrorCapturedEvent && cudaGetLastError() == cudaErrorCapturedEvent);
  OK(cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamSynchronize(left) == cudaErrorStreamCaptureUnsupported);
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(left, &status));
  CHECK(status == cudaStreamCaptureStatusInvalidated);
  CHECK(cudaMemsetAsync(other, 1, 4, left) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(left, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureInvalidated && cudaGetLastError() == cudaSuccess && graph == nullptr);
  OK(cudaMemsetAsync(other, 1, 4, left)); // and the stream is as it was
  // A stream that is destroyed leaves its capture, and breaks that of its origin.
  OK(cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork, left));
  OK(cudaStreamWaitEvent(right, fork, 0));
  OK(cudaStreamDestroy(right));
  CHECK(cudaStreamEndCapture(left, &graph) == cudaErrorStreamCaptureInvalidated && cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaFree(in));
  OK(cudaDeviceSynchronize());
  printf("ok\n");
}
