// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

func TestFunctionsOutsideTheTableAreRefused(t *testing.T) {
	for name, functions := range map[string][]trace.Function{
		"empty":        {{Name: "f", First: 2}},
		"beyond":       {{Name: "f", First: 2, Count: 5}},
		"wraps around": {{Name: "f", First: 2, Count: ^uint32(0)}},
		"overlap":      {{Name: "f", First: 2, Count: 3}, {Name: "g", First: 4, Count: 1}},
		"not in order": {{Name: "f", First: 4, Count: 1}, {Name: "g", First: 2, Count: 1}},
		"far outside":  {{Name: "f", First: ^uint32(0), Count: 1}},
	} {
		k := testtraces.FunctionsKernel()
		k.Functions = functions
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), `kernel "k": function`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnusableKernelsAndLaunchesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*trace.Kernel){
		"0 basic blocks":                 func(k *trace.Kernel) { k.Blocks = nil },
		"instructions 0 to 99 of":        func(k *trace.Kernel) { k.Blocks[0].Count = 100 },
		"belongs to another block":       func(k *trace.Kernel) { k.Blocks[1].First = 0 },
		"its successor 9 does not exist": func(k *trace.Kernel) { k.Blocks[0].Successors[0] = 9 },
		"its post-dominator 5":           func(k *trace.Kernel) { k.Blocks[0].PostDominator = 5 },
		"its join 5":                     func(k *trace.Kernel) { k.Blocks[0].Joins = []uint32{0, 5} },
		"17 joins, want at most 16":      func(k *trace.Kernel) { k.Blocks[0].Joins = make([]uint32, 17) },
		"unknown class 0":                func(k *trace.Kernel) { k.Instructions[0].Class = 0 },
		"unknown state space 99":         func(k *trace.Kernel) { k.Instructions[0].Space = 99 },
		"9 destinations":                 func(k *trace.Kernel) { k.Instructions[0].Destinations = 9 },
		"not a predicate register":       func(k *trace.Kernel) { k.Instructions[1].Guard.Register.File = trace.FileGeneral },
		"operand 0: unknown kind":        func(k *trace.Kernel) { k.Instructions[0].Operands[0].Kind = 0 },
	} {
		k := testtraces.SmallKernel()
		change(k)
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	for name, l := range map[string]trace.Launch{
		"kernel 3 of 1 does not exist": {Kernel: 3, Block: trace.Dim3{X: 1, Y: 1, Z: 1}},
		"thread block of 0x1x1":        {Block: trace.Dim3{X: 0, Y: 1, Z: 1}},
		"is too large":                 {Block: trace.Dim3{X: 1, Y: 1, Z: 1}, Grid: trace.Dim3{X: 1 << 31, Y: 1 << 31, Z: 1 << 31}},
	} {
		if err := l.Validate(1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// Variables of shared memory lie behind each other; what launches add lies behind the static ones.
func TestSharedVariablesOutsideSharedMemoryAreRefused(t *testing.T) {
	for name, variables := range map[string][]trace.SharedVariable{
		"beyond":        {{Name: "v", Offset: 40, Bytes: 16}},
		"wraps around":  {{Name: "v", Offset: 16, Bytes: ^uint32(0)}},
		"overlap":       {{Name: "u", Bytes: 20}, {Name: "v", Offset: 16, Bytes: 8}},
		"not in order":  {{Name: "u", Offset: 16, Bytes: 4}, {Name: "v", Bytes: 4}},
		"added between": {{Name: "v", Offset: 32}},
	} {
		k := testtraces.FunctionsKernel()
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		k.SharedVariables = variables
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), `kernel "k": shared variable "v"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
