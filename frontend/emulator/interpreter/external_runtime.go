// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"io"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// runtimeFunctions are those of the CUDA device runtime that compilers emit
// calls of.
var runtimeFunctions = map[string]*external{
	"vprintf": {[]ptx.Type{ptx.U64, ptx.U64}, ptx.S32, runPrintf},
	"printf":  {[]ptx.Type{ptx.U64, ptx.U64}, ptx.S32, runOpenCLPrintf},
	"malloc":  {[]ptx.Type{ptx.U64}, ptx.U64, runMalloc},
	"free":    {[]ptx.Type{ptx.U64}, ptx.TypeNone, runFree},
	"__assertfail": {[]ptx.Type{ptx.U64, ptx.U64, ptx.U32, ptx.U64, ptx.U64}, ptx.TypeNone,
		func(c *warpContext, lane int, a []uint64) (uint64, error) { return assertFail(c, lane, a) }},
	"__assert_fail": {[]ptx.Type{ptx.U64, ptx.U64, ptx.U32, ptx.U64}, ptx.TypeNone,
		func(c *warpContext, lane int, a []uint64) (uint64, error) { return assertFail(c, lane, a) }},
	// A sampler of OpenCL C is the number that it is initialised with.
	"__translate_sampler_initializer": {[]ptx.Type{ptx.U32}, ptx.U64, func(_ *warpContext, _ int, a []uint64) (uint64, error) { return a[0], nil }},
	"cudaDeviceSynchronize":           {nil, ptx.S32, func(*warpContext, int, []uint64) (uint64, error) { return 0, nil }},
}

// runPrintf is int vprintf(const char *format, void *arguments). It gives the
// number of arguments, as the programming guide says of printf.
func runPrintf(c *warpContext, lane int, a []uint64) (uint64, error) {
	format, err := c.genericString(lane, a[0])
	if err != nil {
		return 0, err
	}
	text, count, err := formatDevice(format, &argumentReader{c: c, lane: lane, at: a[1]})
	if err != nil {
		return 0, err
	}
	if out := c.launch.Output; out != nil {
		if _, err := io.WriteString(out, text); err != nil {
			return 0, fmt.Errorf("output of the kernel's printf: %w", err)
		}
	}
	return uint64(count), nil
}

// runOpenCLPrintf is int printf(constant char *format, ...) of OpenCL C (OpenCL C 1.2,
// 6.12.13), as clang calls it. The arguments are in memory of the thread, and strings in
// constant memory. It gives zero.
func runOpenCLPrintf(c *warpContext, lane int, a []uint64) (uint64, error) {
	format, err := c.genericString(lane, memory.ConstWindowBase+a[0])
	if err != nil {
		return 0, err
	}
	text, _, err := formatDevice(format, &argumentReader{c: c, lane: lane, at: a[1], strings: memory.ConstWindowBase, vectors: true})
	if err != nil {
		return 0, err
	}
	if out := c.launch.Output; out != nil {
		if _, err := io.WriteString(out, text); err != nil {
			return 0, fmt.Errorf("output of the kernel's printf: %w", err)
		}
	}
	return 0, nil
}

// runMalloc takes memory from the device's heap; null when it is full, or when
// nothing is asked for.
func runMalloc(c *warpContext, _ int, a []uint64) (uint64, error) {
	d := c.launch.Memory
	if a[0] == 0 || a[0] > memory.KernelHeapBytes-d.HeapUsed {
		return 0, nil
	}
	allocated, err := d.AllocateFor(c.program.kernel.PTX.Name, a[0])
	if err != nil {
		return 0, nil // full device memory is a full heap
	}
	d.HeapUsed += a[0]
	return allocated.Base, nil
}

func runFree(c *warpContext, lane int, a []uint64) (uint64, error) {
	d := c.launch.Memory
	if a[0] == 0 {
		return 0, nil
	}
	b := d.Global.Below(a[0])
	fault := coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Access: "free", Address: a[0], Space: ptx.SpaceGlobal}
	switch {
	case b == nil || b.Base != a[0] || !b.FromKernel:
		fault.Detail = "no malloc of a kernel gave this address"
	case b.Freed:
		fault.Kind, fault.Detail = coexecution.FaultUseAfterFree, "it was freed before"
	default:
		d.HeapUsed -= b.Bytes
		return 0, d.Global.Release(a[0])
	}
	return 0, &laneFault{lane: lane, fault: fault}
}

// assertFail is __assertfail(message, file, line, function, character size).
func assertFail(c *warpContext, lane int, a []uint64) (uint64, error) {
	var texts [3]string
	for i, n := range []int{0, 1, 3} {
		if a[n] == 0 {
			continue
		}
		var err error
		if texts[i], err = c.genericString(lane, a[n]); err != nil {
			return 0, err
		}
	}
	return 0, &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultAssert,
		Detail: fmt.Sprintf("%s:%d: %s: assertion %q failed", texts[1], uint32(a[2]), texts[2], texts[0])}}
}
