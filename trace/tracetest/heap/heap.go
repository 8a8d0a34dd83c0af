// SPDX-License-Identifier: Apache-2.0

//go:build !race

package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	floor = 128 << 20
	// usual is what Go takes where GOGC is not set.
	usual = 100
	// most is that of an empty heap, whose first collection Go puts at 4 MiB times this over usual.
	most = usual * (floor / (4 << 20))
)

var (
	setting sync.Mutex // of the percentage
	off     bool
)

func init() {
	for _, name := range [...]string{"GOGC", "WARPTAPE_NIGHTLY", "WARPTAPE_LONG"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	debug.SetGCPercent(most)
	afterCollection()
}

// Usual makes the collector work as in any program. A test binary that stands for a program calls it first.
func Usual() {
	setting.Lock()
	defer setting.Unlock()
	off = true
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(usual)
	}
}

// afterCollection adapts the percentage after each collection. A collection finds that nothing points to the
// block; it has no pointers, and is not so small that others share its place.
func afterCollection() {
	runtime.AddCleanup(new([64]byte), func(int) {
		setting.Lock()
		defer setting.Unlock()
		if off {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(percent(live[0].Value.Uint64()))
		afterCollection()
	}, 0)
}

// percent is by how much a heap may grow until its next collection: to the floor, or to twice its size.
func percent(live uint64) int {
	if live == 0 {
		return most
	}
	return int(min(max(floor*100/live, 100+usual)-100, most))
}
