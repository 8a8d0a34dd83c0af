// SPDX-License-Identifier: Apache-2.0
// Stopwatches as the samples' helpers have them, in milliseconds of the host's clock.
#ifndef COMMON_HELPER_TIMER_H_
#define COMMON_HELPER_TIMER_H_
#include <time.h>
class StopWatchInterface {
 public:
  void start() { begin = now(), running = true; }
  void stop() { total += now() - begin, runs++, running = false; }
  void reset() { total = 0, runs = 0, begin = now(); }
  float getTime() const { return (float)(total + (running ? now() - begin : 0)); }
  float getAverageTime() const { return runs ? (float)(total / runs) : 0.0f; }

 private:
  static double now() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
  }
  double begin = 0, total = 0;
  int runs = 0;
  bool running = false;
};
static inline bool sdkCreateTimer(StopWatchInterface **t) { *t = new StopWatchInterface; return true; }
static inline bool sdkDeleteTimer(StopWatchInterface **t) { delete *t; *t = 0; return true; }
static inline bool sdkStartTimer(StopWatchInterface **t) { if (*t) (*t)->start(); return true; }
static inline bool sdkStopTimer(StopWatchInterface **t) { if (*t) (*t)->stop(); return true; }
static inline bool sdkResetTimer(StopWatchInterface **t) { if (*t) (*t)->reset(); return true; }
static inline float sdkGetTimerValue(StopWatchInterface **t) { return *t ? (*t)->getTime() : 0.0f; }
static inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return *t ? (*t)->getAverageTime() : 0.0f; }
#endif
