// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// matrix is a matrix instruction of PTX: opcode, shape, types, what else it says, and the
// multiply-adds of a warp, by hand from the shape.
type matrix struct {
	opcode, shape, types, more string
	multiplyAdds               int
}

var (
	wmmaHalf    = matrix{"wmma", "m16n16k16", "f16 f16", "mma sync", 4096}
	wmmaSingle  = matrix{"wmma", "m8n32k16", "f32 f32", "mma sync", 4096}
	quadHalf    = matrix{"mma", "m8n8k4", "f16 f16 f16 f16", "sync", 4 * 256}
	quadMixed   = matrix{"mma", "m8n8k4", "f32 f16 f16 f16", "sync", 4 * 256}
	half8       = matrix{"mma", "m16n8k8", "f16 f16 f16 f16", "sync", 1024}
	half16      = matrix{"mma", "m16n8k16", "f16 f16 f16 f16", "sync", 2048}
	single8     = matrix{"mma", "m16n8k8", "f32 f16 f16 f32", "sync", 1024}
	single16    = matrix{"mma", "m16n8k16", "f32 f16 f16 f32", "sync", 2048}
	brain16     = matrix{"mma", "m16n8k16", "f32 bf16 bf16 f32", "sync", 2048}
	tf8         = matrix{"mma", "m16n8k8", "f32 tf32 tf32 f32", "sync", 1024}
	int8Deep    = matrix{"mma", "m16n8k32", "s32 s8 u8 s32", "sync", 4096}
	int4Deep    = matrix{"mma", "m8n8k32", "s32 u4 u4 s32", "sync", 2048}
	bitsDeep    = matrix{"mma", "m16n8k256", "s32 b1 b1 s32", "sync and popc", 32768}
	double4     = matrix{"mma", "m8n8k4", "f64 f64 f64 f64", "sync", 256}
	sparse32    = matrix{"mma", "m16n8k32", "f32 f16 f16 f32", "sync sp", 4096} // half of them are not done
	groupHalf   = matrix{"wgmma", "m64n256k16", "f32 f16 f16", "mma_async sync", 65536}
	groupSmall  = matrix{"wgmma", "m64n64k8", "f32 tf32 tf32", "mma_async sync", 16 * 64 * 8}
	groupF8     = matrix{"wgmma", "m64n128k32", "f32 e4m3 e5m2", "mma_async sync", 16 * 128 * 32}
	groupInt    = matrix{"wgmma", "m64n128k32", "s32 s8 u8", "mma_async sync", 16 * 128 * 32}
	groupSparse = matrix{"wgmma", "m64n128k32", "f16 f16 f16", "mma_async sync sp", 16 * 128 * 32}
)

// products is a kernel of n independent products.
func products(x matrix, n int) *gputest.Kernel {
	k := gputest.NewKernel("products")
	for i := range n {
		k.Op(trace.ClassTensor, i%200)
		in := &k.Instructions[len(k.Instructions)-1]
		in.Opcode, in.Types = x.opcode, strings.Fields(x.types)
		in.Modifiers = append(strings.Fields(x.more), x.shape)
	}
	return k.Exit()
}

// TestTensorPeaksOfTheWhitepapers replays streams of products on one SM of each card. Its
// multiply-adds a cycle, at the clock and for the SMs that the whitepaper has, are the teraflops
// that it gives. Those of sparse products are twice the dense ones, and those of single warps on
// the H100 two thirds.
func TestTensorPeaksOfTheWhitepapers(t *testing.T) {
	for _, c := range []struct {
		machine   string
		sms       int
		megahertz float64
		teraflops float64
		streams   []matrix
	}{
		{"v100", 80, 1530, 125, []matrix{wmmaHalf, wmmaSingle, quadHalf, quadMixed}},
		{"rtx2080ti", 68, 1545, 107.6, []matrix{wmmaHalf, half8}},
		{"rtx2080ti", 68, 1545, 53.8, []matrix{wmmaSingle, single8}},
		{"rtx2080ti", 68, 1545, 215.2, []matrix{int8Deep}},
		{"rtx2080ti", 68, 1545, 430.3, []matrix{int4Deep}},
		{"rtx3090", 82, 1695, 142, []matrix{wmmaHalf, half8, half16}},
		{"rtx3090", 82, 1695, 71, []matrix{single8, single16, brain16}},
		{"rtx3090", 82, 1695, 142, []matrix{sparse32}},
		{"rtx3090", 82, 1695, 35.6, []matrix{tf8}},
		{"rtx3090", 82, 1695, 284, []matrix{int8Deep}},
		{"rtx3090", 82, 1695, 568, []matrix{int4Deep}},
		{"a100", 108, 1410, 312, []matrix{wmmaHalf, wmmaSingle, half8, half16, single8, single16, brain16}},
		{"a100", 108, 1410, 624, []matrix{sparse32, int8Deep}},
		{"a100", 108, 1410, 156, []matrix{tf8}},
		{"a100", 108, 1410, 19.5, []matrix{double4}},
		{"a100", 108, 1410, 1248, []matrix{int4Deep}},
		{"a100", 108, 1410, 4992, []matrix{bitsDeep}},
		{"h100", 132, 1830, 989.4, []matrix{groupHalf}},
		{"h100", 132, 1830, 494.7, []matrix{groupSmall}},
		{"h100", 132, 1830, 1978.9, []matrix{groupF8, groupInt, groupSparse}},
		{"h100", 132, 1830, 989.4 * 2 / 3, []matrix{wmmaHalf, half8, single16, brain16}}, // of warps: see sm.mma_rate_percent
		{"h100", 132, 1830, 494.7 * 2 / 3, []matrix{tf8}},
		{"h100", 132, 1830, 1978.9 * 2 / 3, []matrix{int8Deep, sparse32}},
		{"h100", 132, 1980, 66.9, []matrix{double4}},
	} {
		for _, x := range tracetest.Draw(t, c.streams, 1) {
			m := builtIn(t, c.machine)
			m.GPU.Lowering = arch.NoLowering
			cycles := func(n int) float64 {
				launch := gputest.Launch{Kernel: products(x, n), Blocks: 1, Threads: 8 * 32}
				return float64(replay(t, build(t, m, &gputest.Memory{LatencyCycles: 50}), launch).Cycles)
			}
			perCycle := 8 * 500 * float64(x.multiplyAdds) / (cycles(700) - cycles(200))
			if got := perCycle * 2 * float64(c.sms) * c.megahertz / 1e6; math.Abs(got/c.teraflops-1) > 0.01 {
				t.Errorf("%s: %s.%s %s reaches %.1f teraflops (%.1f multiply-adds a cycle of an SM), the whitepaper has %.1f", c.machine, x.opcode, x.shape, x.types, got, perCycle, c.teraflops)
			}
		}
	}
}

// TestProductsThatACardLacksAreRefused: Volta has neither integers nor sparse products, and
// GA102 has no 8-bit floats.
func TestProductsThatACardLacksAreRefused(t *testing.T) {
	for _, c := range []struct {
		machine string
		x       matrix
		want    string
	}{
		{"v100", int8Deep, "needs matrix products of 8-bit integers, which the tensor units of the machine lack (sm.tensor_rates.int8 is 0)"},
		{"v100", sparse32, "needs sparse matrix products, which the machine lacks (sm.lacks.sparse_products)"},
		{"rtx2080ti", sparse32, "sm.lacks.sparse_products"},
		{"rtx2080ti", brain16, "sm.tensor_rates.bf16 is 0"},
		{"rtx3090", matrix{"mma", "m16n8k32", "f32 e4m3 e4m3 f32", "sync", 4096}, "sm.tensor_rates.f8 is 0"},
	} {
		m := builtIn(t, c.machine)
		m.GPU.Lowering = arch.NoLowering
		src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: products(c.x, 1), Blocks: 1, Threads: 32}))
		if _, err := build(t, m, &gputest.Memory{}).Replay(context.Background(), src, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s %s: got %v, want %q", c.machine, c.x.shape, c.x.types, err, c.want)
		}
	}
}
