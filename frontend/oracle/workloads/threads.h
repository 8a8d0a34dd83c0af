// SPDX-License-Identifier: Apache-2.0
// Thread blocks on the host's processor: every thread has a context of its own
// and runs until it ends or waits for others; then the next one's turn comes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

struct uint3 { unsigned x, y, z; };

namespace warptape {

struct Texture { uint64_t address; int width, height; };
inline std::vector<Texture> textures; // by handle, from 1

struct Thread {
  uint3 index;
  unsigned lane, warp;
  enum { Ready, AtBarrier, AtExchange, Ended } state;
  unsigned barrier, expected; // at a barrier: its number, and how many threads meet there
  bool predicate;
  uint32_t mask, word; // at an exchange
  ucontext_t context;
};

struct Block {
  uint3 index, size, grid;
  std::vector<Thread> threads;
  unsigned arrived[16]; // at named barriers, without waiting
  unsigned held;        // predicates at the last barrier
  uint32_t words[64][32];
  ucontext_t scheduler;
  std::function<void()> body;
};

inline Block block;
inline Thread *current;

inline void wait() { swapcontext(&current->context, &block.scheduler); }

[[noreturn]] inline void end_thread() {
  current->state = Thread::Ended;
  wait();
  __builtin_unreachable();
}

// A barrier of all threads that have not ended, or of an expected number; gives
// how many predicates held.
inline unsigned block_barrier(unsigned number, unsigned expected, bool predicate) {
  current->state = Thread::AtBarrier;
  current->barrier = number, current->expected = expected, current->predicate = predicate;
  wait();
  return block.held;
}
inline void barrier_arrive(unsigned number) { block.arrived[number]++; }

// The lanes of a mask show each other a word.
inline const uint32_t *exchange(uint32_t mask, uint32_t word) {
  current->state = Thread::AtExchange;
  current->mask = mask, current->word = word;
  wait();
  return block.words[current->warp];
}

inline void thread_main() {
  block.body();
  end_thread();
}

// meet_at_exchange lets go the lanes of one warp whose exchange is complete: all
// lanes of the mask are there or have ended. They all run before the next, so
// that none finds the words of a later exchange.
inline bool meet_at_exchange(std::vector<Thread> &threads, size_t first) {
  size_t end = std::min(first + 32, threads.size());
  for (size_t i = first; i < end; i++) {
    if (threads[i].state != Thread::AtExchange)
      continue;
    uint32_t mask = threads[i].mask;
    bool complete = true;
    for (size_t j = first; j < end; j++)
      if (mask >> (j - first) & 1 && threads[j].state != Thread::Ended)
        complete = complete && threads[j].state == Thread::AtExchange && threads[j].mask == mask;
    if (!complete)
      continue;
    for (size_t j = first; j < end; j++)
      if (mask >> (j - first) & 1 && threads[j].state == Thread::AtExchange) {
        block.words[threads[j].warp][j - first] = threads[j].word;
        threads[j].state = Thread::Ready;
      }
    return true;
  }
  return false;
}

// meet_at_barrier lets go the threads of one barrier that is complete.
inline bool meet_at_barrier(std::vector<Thread> &threads) {
  unsigned live = 0;
  for (Thread &t : threads)
    live += t.state != Thread::Ended;
  for (unsigned number = 0; number < 16; number++) {
    unsigned waiting = 0, held = 0, expected = 0;
    for (Thread &t : threads)
      if (t.state == Thread::AtBarrier && t.barrier == number)
        waiting++, held += t.predicate, expected = t.expected;
    if (waiting == 0 || waiting + block.arrived[number] < (expected ? expected : live))
      continue;
    block.held = held, block.arrived[number] = 0;
    for (Thread &t : threads)
      if (t.state == Thread::AtBarrier && t.barrier == number)
        t.state = Thread::Ready;
    return true;
  }
  return false;
}

constexpr size_t stack_bytes = 64 << 10, max_threads = 1024;

inline void run_block() {
  static char *stacks = static_cast<char *>(
      mmap(nullptr, max_threads * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  std::vector<Thread> &threads = block.threads;
  threads.resize(size_t(block.size.x) * block.size.y * block.size.z);
  if (threads.size() > max_threads || stacks == MAP_FAILED) {
    fprintf(stderr, "a block of %zu threads\n", threads.size());
    exit(1);
  }
  for (unsigned &n : block.arrived)
    n = 0;
  for (size_t i = 0; i < threads.size(); i++) {
    Thread &t = threads[i];
    unsigned n = unsigned(i);
    t.index = {n % block.size.x, n / block.size.x % block.size.y, n / block.size.x / block.size.y};
    t.lane = n % 32, t.warp = n / 32, t.state = Thread::Ready;
    getcontext(&t.context);
    t.context.uc_stack.ss_sp = &stacks[i * stack_bytes];
    t.context.uc_stack.ss_size = stack_bytes;
    t.context.uc_link = nullptr;
    makecontext(&t.context, thread_main, 0);
  }
  for (;;) {
    unsigned ended = 0;
    for (Thread &t : threads) {
      if (t.state == Thread::Ready) {
        current = &t;
        swapcontext(&block.scheduler, &t.context);
      }
      ended += t.state == Thread::Ended;
    }
    if (ended == threads.size())
      return;
    bool met = false;
    for (size_t first = 0; first < threads.size(); first += 32)
      met = meet_at_exchange(threads, first) || met;
    if (!met && !meet_at_barrier(threads)) {
      fprintf(stderr, "block (%u,%u,%u): its threads wait for each other for ever\n", block.index.x, block.index.y, block.index.z);
      exit(1);
    }
  }
}

} // namespace warptape
