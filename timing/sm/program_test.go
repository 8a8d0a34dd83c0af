// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

func TestDamagedKernelsAreRefusedByName(t *testing.T) {
	for words, damage := range map[string]func(*trace.Kernel){
		"basic block 0": func(k *trace.Kernel) { k.Blocks[0].Count = 99 },
		"basic block 1": func(k *trace.Kernel) {
			k.Blocks = append(k.Blocks, trace.BasicBlock{First: ^uint32(0), Count: ^uint32(0)})
		},
		"unknown operation class": func(k *trace.Kernel) { k.Instructions[0].Class = 250 },
	} {
		k := gputest.NewKernel("odd")
		k.Op(trace.ClassIntAdd, 1).Exit()
		damage(&k.Kernel)
		if _, err := sm.Compile(gputest.Machine(), &k.Kernel, core.Compilation{}, 0); err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "kernel odd") {
			t.Errorf("%s: got %v", words, err)
		}
	}
}

func TestOccupancyRoundsToAllocationUnits(t *testing.T) {
	m := gputest.Machine()
	m.SM.RegisterAllocationUnit, m.Shared.AllocationUnit = 512, 256
	k := &trace.Kernel{Name: "k", RegistersPerThread: 17, SharedBytes: 257}
	o, err := sm.NewOccupancy(m, k, &trace.Launch{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	// 17*32 = 544 registers a warp become 1024; 257 bytes become 512.
	if o.Need.Registers != 3072 || o.Need.SharedBytes != 512 || o.Need.Threads != 96 {
		t.Errorf("footprint %+v", o.Need)
	}
	if o.Blocks != 8 || o.Limiter != "blocks" || o.Warps() != 24 {
		t.Errorf("%d blocks by %s, %d warps", o.Blocks, o.Limiter, o.Warps())
	}
}

// Of limits that are as tight, the first is named; a unit of two rounds, and one does not.
func TestTheFirstOfEqualLimitsIsNamed(t *testing.T) {
	m := gputest.Machine()
	m.SM.MaxWarps, m.SM.MaxThreads, m.SM.MaxBlocks = 12, 12*32, 4
	for unit, want := range map[int]int{0: 257, 1: 257, 2: 258, 256: 512} {
		m.Shared.AllocationUnit = unit
		o, err := sm.NewOccupancy(m, &trace.Kernel{Name: "k", SharedBytes: 257}, &trace.Launch{}, 3)
		if err != nil || o.Blocks != 4 || o.Limiter != "threads" || o.Need.SharedBytes != want {
			t.Errorf("allocation by %d bytes: %+v, %v; want %d bytes, and four thread blocks by their threads", unit, o, err, want)
		}
	}
}

// What a kernel needs none of limits nothing, and what comes behind it does.
func TestNothingLimitsNothing(t *testing.T) {
	o, err := sm.NewOccupancy(gputest.Machine(), &trace.Kernel{Name: "k", SharedBytes: 20 << 10}, &trace.Launch{}, 1)
	if err != nil || o.Blocks != 2 || o.Limiter != "shared_memory" || o.Need.Registers != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestRegistersPerThreadOfTheMachineReplaceTheKernels(t *testing.T) {
	m := gputest.Machine()
	k := &trace.Kernel{Name: "k", RegistersPerThread: 16}
	for registers, want := range map[int]int{0: 6, 24: 5, 63: 2} { // thread blocks of 256 threads
		m.SM.RegistersPerThread = registers
		o, err := sm.NewOccupancy(m, k, &trace.Launch{}, 8)
		if err != nil {
			t.Fatal(err)
		}
		if o.Blocks != want {
			t.Errorf("sm.registers_per_thread %d: %d blocks, want %d", registers, o.Blocks, want)
		}
	}
}

func TestHugeFootprintsDoNotOverflow(t *testing.T) {
	k := &trace.Kernel{Name: "k", RegistersPerThread: ^uint32(0), SharedBytes: ^uint32(0)}
	l := &trace.Launch{DynamicSharedBytes: ^uint32(0)}
	if _, err := sm.NewOccupancy(gputest.Machine(), k, l, 32); err == nil || !strings.Contains(err.Error(), "sm.registers") {
		t.Errorf("got %v", err)
	}
}

func TestLatencyOfNothingIsOneCycle(t *testing.T) {
	m := gputest.Machine()
	m.SM.Latencies = arch.Latencies{}
	k := gputest.NewKernel("k")
	k.Op(trace.ClassIntAdd, 1).Op(trace.ClassBarrier, gputest.None).Exit()
	p, err := sm.Compile(m, &k.Kernel, core.Compilation{}, 0)
	if err != nil || p.Instructions() != 3 {
		t.Errorf("%v, %v", p, err)
	}
}
