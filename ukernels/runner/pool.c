// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For clock_gettime, and the syscall of cpu.h, which are not of C11.
#define _GNU_SOURCE  // NOLINT(bugprone-reserved-identifier)

#include "ukernels/runner/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ukernels/runner/cpu.h"

// How long a thread looks for work, or for the end of it, before it sleeps.
// Waking one takes 9 us on a Sapphire Rapids of its own and 33 us in a virtual
// machine, several times a small dispatch; the parts of a call that are not
// divided are mostly shorter than this.
enum { TW_SPIN_NS = 1000 * 1000, TW_LOOKS_PER_CLOCK = 64, TW_CACHE_LINE = 64 };

// A thread of the pool; each has a line of its own to look at.
typedef struct tw_worker_t {
  struct tw_pool_t* pool;
  pthread_t thread;
  _Atomic(int64_t) calls;  // that it was called in
  char padding[TW_CACHE_LINE];
} tw_worker_t;

struct tw_pool_t {
  int64_t count;  // of workers
  tw_worker_t* workers;
  pthread_mutex_t mutex;
  pthread_cond_t called, done;
  int64_t sleeping;  // workers that wait to be called
  int64_t spin_ns;   // 0 where threads are more than processors
  int stops;
  // The work of this call.
  void (*body)(void* context, tw_index_t i);
  void* context;
  tw_index_t tasks;
  _Atomic(int64_t) next;  // task
  _Atomic(int64_t) busy;  // workers that were called and have not ended
};

static int64_t tw_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Looks until `*value` is `of` or, with `differs`, is not; 0 if that takes
// longer than the pool spins.
static int tw_spin(const tw_pool_t* pool, const _Atomic(int64_t)* value,
                   int64_t of, int differs) {
  const int64_t end = pool->spin_ns ? tw_now_ns() + pool->spin_ns : 0;
  do {
    for (int i = 0; i < TW_LOOKS_PER_CLOCK; ++i) {
      const int64_t found = atomic_load_explicit(value, memory_order_acquire);
      if ((found != of) == differs) return 1;
      tw_relax();
    }
  } while (end && tw_now_ns() < end);
  return 0;
}

static void tw_take_tasks(tw_pool_t* pool) {
  for (;;) {
    const int64_t i =
        atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (i >= pool->tasks) return;
    pool->body(pool->context, i);
  }
}

static void tw_await_call(tw_worker_t* worker, int64_t seen) {
  tw_pool_t* pool = worker->pool;
  if (tw_spin(pool, &worker->calls, seen, 1)) return;
  pthread_mutex_lock(&pool->mutex);
  ++pool->sleeping;
  while (atomic_load_explicit(&worker->calls, memory_order_acquire) == seen)
    pthread_cond_wait(&pool->called, &pool->mutex);
  --pool->sleeping;
  pthread_mutex_unlock(&pool->mutex);
}

static void* tw_work(void* argument) {
  tw_worker_t* worker = (tw_worker_t*)argument;
  tw_pool_t* pool = worker->pool;
  for (int64_t seen = 0;; ++seen) {
    tw_await_call(worker, seen);
    if (pool->stops) return NULL;
    tw_take_tasks(pool);
    if (atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_acq_rel) != 1)
      continue;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->mutex);
  }
}

static void tw_call_workers(tw_pool_t* pool, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    atomic_fetch_add_explicit(&pool->workers[i].calls, 1, memory_order_release);
  pthread_mutex_lock(&pool->mutex);
  if (pool->sleeping) pthread_cond_broadcast(&pool->called);
  pthread_mutex_unlock(&pool->mutex);
}

static void tw_pool_run(void* self, tw_index_t count,
                        void (*body)(void* context, tw_index_t i),
                        void* context) {
  tw_pool_t* pool = (tw_pool_t*)self;
  // The calling thread is one of those that work.
  const int64_t called = count - 1 < pool->count ? count - 1 : pool->count;
  pool->body = body;
  pool->context = context;
  pool->tasks = count;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->busy, called > 0 ? called : 0,
                        memory_order_relaxed);
  tw_call_workers(pool, called);
  tw_take_tasks(pool);
  if (tw_spin(pool, &pool->busy, 0, 0)) return;
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load_explicit(&pool->busy, memory_order_acquire) != 0)
    pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

tw_pool_t* tw_pool_create(int64_t threads) {
  tw_pool_t* pool = (tw_pool_t*)calloc(1, sizeof(tw_pool_t));
  if (!pool) return NULL;
  pool->spin_ns = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? TW_SPIN_NS : 0;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->called, NULL);
  pthread_cond_init(&pool->done, NULL);
  pool->workers = (tw_worker_t*)calloc((size_t)threads, sizeof(tw_worker_t));
  while (pool->workers && pool->count < threads - 1) {
    tw_worker_t* worker = &pool->workers[pool->count];
    worker->pool = pool;
    if (pthread_create(&worker->thread, NULL, tw_work, worker) != 0) break;
    ++pool->count;
  }
  if (pool->workers && pool->count == threads - 1) return pool;
  tw_pool_destroy(pool);
  return NULL;
}

void tw_pool_destroy(tw_pool_t* pool) {
  if (!pool) return;
  pool->stops = 1;
  tw_call_workers(pool, pool->count);
  for (int64_t i = 0; i < pool->count; ++i)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->called);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->workers);
  free(pool);
}

tw_parallel_for_t tw_pool_parallel_for(tw_pool_t* pool) {
  const tw_parallel_for_t result = {tw_pool_run, pool};
  return result;
}
