// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Fill is what a GPU, or the largest of several, holds at a time: waves are counted on
// it. A sample suits every machine that holds no more. The limits of an SM are those
// that bound the thread blocks on it.
type Fill struct {
	SMs         uint64
	Blocks      uint64 // thread blocks of an SM
	Threads     uint64 // of an SM, in whole warps of 32
	Registers   uint64 // of an SM, of 32 bits
	SharedBytes uint64 // shared memory of an SM
	// CacheBytes is the size of the last cache before DRAM.
	CacheBytes uint64
}

// DefaultFill covers the built-in machines up to v100: the V100's SMs and the last cache of
// gpsim-tiny.
var DefaultFill = Fill{SMs: 80, Blocks: 32, Threads: 2048, Registers: 65536, SharedBytes: 96 << 10, CacheBytes: 8 << 20}

// Unlimited is a limit of a Fill that never binds. No number is greater, so that
// products fit.
const Unlimited = 1 << 40

// Cover is the fill that covers two.
func (f Fill) Cover(o Fill) Fill {
	return Fill{
		SMs: max(f.SMs, o.SMs), Blocks: max(f.Blocks, o.Blocks), Threads: max(f.Threads, o.Threads),
		Registers: max(f.Registers, o.Registers), SharedBytes: max(f.SharedBytes, o.SharedBytes), CacheBytes: max(f.CacheBytes, o.CacheBytes),
	}
}

// Holds is the number of thread blocks of a launch that the GPU holds at a time.
func (f Fill) Holds(k *trace.Kernel, l *trace.Launch) uint64 {
	threads := (l.Block.Count() + trace.WarpSize - 1) / trace.WarpSize * trace.WarpSize
	perSM := min(f.Blocks, f.Threads/max(threads, 1))
	if registers := threads * uint64(k.RegistersPerThread); registers > 0 {
		perSM = min(perSM, f.Registers/registers)
	}
	if shared := uint64(k.SharedBytes) + uint64(l.DynamicSharedBytes); shared > 0 {
		perSM = min(perSM, f.SharedBytes/shared)
	}
	return f.SMs * max(perSM, 1)
}

// String is the fill as a policy names it: SMs, what one holds of thread blocks,
// threads, registers and bytes of shared memory, and the bytes of the last cache. Fill
// numbers are not those of a file.
func (f Fill) String() string {
	return fmt.Sprintf("%dx%d/%d/%d/%d/%d", f.SMs, f.Blocks, f.Threads, f.Registers, f.SharedBytes, f.CacheBytes)
}

// ParseFill reads what String writes. Samples of older versions name a number of
// slices, too, which decides nothing.
func ParseFill(text string) (Fill, error) {
	var f Fill
	var slices uint64
	sms, rest, _ := strings.Cut(text, "x")
	fields := append([]string{sms}, strings.Split(rest, "/")...)
	to := []*uint64{&f.SMs, &f.Blocks, &f.Threads, &f.Registers, &f.SharedBytes, &f.CacheBytes, &slices}
	wrong := fmt.Errorf("for=%s: want SMSxBLOCKS/THREADS/REGISTERS/SHARED/CACHE: the SMs of a machine, what one of them holds of thread blocks, threads, registers and bytes of shared memory, and the bytes of its last cache", text)
	if len(fields) < len(to)-1 || len(fields) > len(to) {
		return f, wrong
	}
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil || n > Unlimited || (n == 0 && i < 3) {
			return f, wrong
		}
		*to[i] = n
	}
	if slices > maxSlices || f.SMs > Unlimited>>20 || f.Blocks > Unlimited>>20 {
		return f, wrong
	}
	return f, nil
}

// fewest is the number of thread blocks of a launch that are stored in any case.
func (p *Policy) fewest(k *trace.Kernel, l *trace.Launch) uint64 {
	if p.Waves == 0 {
		return p.Minimum
	}
	return fills(p.Waves, p.For.Holds(k, l), l.Grid.Count())
}

// fills is the number of thread blocks of so many fills, at most the grid's.
func fills(waves, holds, grid uint64) uint64 {
	if waves > grid/holds {
		return grid
	}
	return waves * holds
}
