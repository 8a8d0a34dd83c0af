// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// A matrix product of sm_90, with tensor copies, mbarriers and products of warpgroups, in
// clusters. By segments it takes a minute.
func TestAProductOfWarpgroupsIsRecordedAlike(t *testing.T) {
	record := func(c coexecution.Coexecutor) []byte {
		p, err := host.Load(os.DirFS("../../traces/hopper-gemm"), "hopper-gemm.star")
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w, err := wtape.NewWriter(&file, "hopper", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if _, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 7, Sink: w, Coexecutor: c}); err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	want := record(nil)
	if got := record(open(t, nativecoexecutor.Options{}).Coexecutor); !bytes.Equal(got, want) {
		t.Error("the trace differs from the interpreter's")
	}
	if os.Getenv("WARPTAPE_ALL_SEGMENTS") == "" {
		return
	}
	if got := record(open(t, nativecoexecutor.Options{Mode: contamination.Segments}).Coexecutor); !bytes.Equal(got, want) {
		t.Error("by segments the trace differs from the interpreter's")
	}
}

// together is a kernel of thread blocks of 64 threads, each with a tile, an mbarrier and a
// row of the output at %d2; %d3 is the input, %r2 the rank in the cluster, %r3 its size.
func together(t testing.TB, body string, cluster trace.Dim3) run {
	text := ".version 8.6\n.target sm_90a\n.address_size 64\n.entry together(.param .u64 out, .param .u64 in)\n{\n" +
		".shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar; .reg .b64 %d<10>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .pred %p<8>; .reg .b16 %h<4>;\n" +
		"ld.param.u64 %d1, [out]; ld.param.u64 %d3, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;\n" +
		"mov.u32 %r4, %ctaid.y; mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r4, %r4, %r5, %r6; mad.wide.u32 %d2, %r4, 256, %d1; mad.wide.u32 %d2, %r1, 4, %d2;\n" +
		body + "\n}\n"
	m, err := ptx.Parse("together.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	grid := trace.Dim3{X: 2 * max(cluster.X, 1), Y: 2 * max(cluster.Y, 1), Z: 1}
	in := make([]byte, 4096)
	for i := range in {
		in[i] = byte(i * 7 >> 2)
	}
	return run{module: m, kernel: "together", grid: grid, block: trace.Dim3{X: 64, Y: 1, Z: 1}, cluster: cluster, buffers: [][]byte{make([]byte, 256*grid.Count()), in}}
}

const (
	firstThread = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; mov.u32 %r7, tile; mad.lo.u32 %r7, %r1, 4, %r7;\n"
	meet        = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
	await       = "W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;\n"
)

var together2by3, together4 = trace.Dim3{X: 2, Y: 3, Z: 1}, trace.Dim3{X: 4, Y: 1, Z: 1}

// What passes the lanes of a warp by: mbarriers, bulk copies and their reductions, and the
// memory of the other thread blocks of a cluster.
var together90 = map[string]struct {
	cluster trace.Dim3
	body    string
}{
	"bulk copies, by one warp for both": {trace.Dim3{}, firstThread + `bar.sync 0;
	@!%p1 bra W; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 272; mov.u32 %r8, 144;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d3+64], 112, [bar];
	cp.async.bulk.prefetch.L2.global [%d3], 64;
	cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile+112], [%d3], %r8, [bar];
	mbarrier.expect_tx.shared.b64 [bar], 16; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [tile+512], [tile], 16, [bar];
	mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [bar], 16;
` + await + `ld.shared.b32 %r9, [%r7]; add.u32 %r9, %r9, %r1; st.shared.b32 [%r7+256], %r9; fence.proxy.async; bar.sync 0;
	@!%p1 bra END; cp.async.bulk.global.shared::cta.bulk_group [%d2], [tile+256], 256;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [tile], 32;
	cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
END: ret;`},
	"bulk copies of several lanes": {trace.Dim3{}, `mov.u32 %r7, tile; and.b32 %r8, %r1, 3; mad.lo.u32 %r7, %r8, 32, %r7; mul.wide.u32 %d4, %r8, 64; add.u64 %d4, %d4, %d3;
	setp.lt.u32 %p1, %r1, 3; setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [bar], 3; bar.sync 0;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 %d5, [bar], 32; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%d4], 32, [bar];
` + await + `ld.shared.b32 %r9, [%r7]; st.global.b32 [%d2], %r9; bar.sync 0; @%p2 mbarrier.inval.shared.b64 [bar]; ret;`},
	"arrivals of a ring of warps": {trace.Dim3{}, `setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0; mov.u32 %r10, 0;
AGAIN: mbarrier.arrive.shared.b64 %d6, [bar];
V:	mbarrier.test_wait.shared.b64 %p4, [bar], %d6; @!%p4 bra V;
	cp.async.ca.shared.global [tile], [%d3], 16; cp.async.mbarrier.arrive.shared.b64 [bar];
	add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 3; @%p2 bra AGAIN;
	mbarrier.pending_count.b64 %r11, %d6; st.global.b32 [%d2], %r11; ret;`},
	"a thread block by itself": {trace.Dim3{}, `mov.u32 %r7, %clusterid.x; mov.u32 %r8, %nclusterid.y; mad.lo.u32 %r7, %r7, 10, %r8; mov.u32 %r8, %cluster_ctaid.y; mad.lo.u32 %r7, %r7, 10, %r8;
	mov.u32 %r8, %cluster_nctaid.x; mad.lo.u32 %r7, %r7, 10, %r8; mov.u32 %r8, %clusterid.y; mad.lo.u32 %r7, %r7, 10, %r8; mad.lo.u32 %r7, %r7, 10, %r3; add.u32 %r7, %r7, %r2;
	and.b32 %r8, %r7, 15; mul.wide.u32 %d5, %r8, 4; add.u64 %d5, %d5, %d3; ld.global.b32 %r9, [%d5]; st.global.b32 [%d2], %r7; ret;`},
	"memory of a cluster": {together2by3, `mov.u32 %r7, tile; mad.lo.u32 %r8, %r1, 4, %r7; mad.lo.u32 %r9, %r4, 1000, %r1; st.shared.b32 [%r8], %r9;
` + meet + `mov.u32 %r10, 0; mov.u32 %r11, 0;
NEXT: mapa.shared::cluster.u32 %r12, %r8, %r10; ld.shared::cluster.b32 %r13, [%r12]; add.u32 %r11, %r11, %r13;
	getctarank.shared::cluster.u32 %r14, %r12; setp.ne.u32 %p1, %r14, %r10; @%p1 trap;
	add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r3; @%p2 bra NEXT;
	mov.u32 %r15, %clusterid.x; mov.u32 %r16, %clusterid.y; mov.u32 %r17, %nclusterid.x; mad.lo.u32 %r15, %r16, %r17, %r15;
	mov.u32 %r16, %cluster_ctaid.y; mov.u32 %r17, %cluster_nctaid.x; mov.u32 %r18, %cluster_ctaid.x; mad.lo.u32 %r16, %r16, %r17, %r18;
	mad.lo.u32 %r15, %r15, 100, %r16; add.u32 %r11, %r11, %r15; st.global.b32 [%d2], %r11;
` + meet + "ret;"},
	"generic addresses in a cluster": {together4, `mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; mad.wide.u32 %d4, %r1, 4, %d4; mad.lo.u32 %r9, %r2, 1000, %r1; st.b32 [%d4], %r9;
` + meet + `mov.u32 %r10, 0; mov.u32 %r11, 0;
NEXT: mapa.u64 %d5, %d4, %r10; ld.b32 %r13, [%d5]; add.u32 %r11, %r11, %r13; setp.lt.u32 %p3, %r10, 2; @%p3 atom.add.u32 %r14, [%d5+256], 1; @!%p3 mov.b64 %d5, %d3; ld.b32 %r14, [%d5];
	cvta.to.shared.u64 %d6, %d5; @%p3 ld.shared::cluster.b32 %r15, [%d6+256]; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r3; @%p2 bra NEXT;
` + meet + "ld.b32 %r13, [%d4]; add.u32 %r11, %r11, %r13; st.global.b32 [%d2], %r11; ret;"},
	"mapped without a cluster": {trace.Dim3{}, `mov.u32 %r7, tile; mad.lo.u32 %r8, %r1, 4, %r7; mov.u32 %r10, 0; mapa.shared::cluster.u32 %r12, %r8, %r10; st.shared::cluster.b32 [%r12], %r1; ld.shared.b32 %r9, [%r8]; st.global.b32 [%d2], %r9; ret;`},
	"arrivals at another thread block": {together4, firstThread + "fence.mbarrier_init.release.cluster;\n" + meet +
		`mov.u32 %r8, 0; mapa.shared::cluster.u32 %r9, %r7, %r8; red.shared::cluster.add.u32 [%r9], 1;
	add.u32 %r10, %r2, 1; rem.u32 %r10, %r10, %r3; mov.u32 %r11, bar; mapa.shared::cluster.u32 %r12, %r11, %r10;
	setp.eq.u32 %p2, %r2, 0; @%p2 bra GO;
W:	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0; @!%p3 bra W;
GO:	@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];
` + meet + "ld.shared::cluster.b32 %r14, [%r9]; st.global.b32 [%d2], %r14;\n" + meet + "ret;"},
	"a copy for several thread blocks": {together4, firstThread + `setp.eq.u32 %p2, %r2, 1; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
` + meet + `and.pred %p3, %p1, %p2; mov.b16 %h1, 0xd;
	@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d3], 128, [bar], %h1;
	@%p2 bra END;
` + await + "END: ld.shared.b32 %r10, [%r7]; st.global.b32 [%d2], %r10;\n" + meet + "ret;"},
	"asynchronous stores and reductions": {trace.Dim3{X: 3, Y: 1, Z: 1}, `setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; mad.lo.u32 %r7, %r1, 4, 0; mov.u32 %r8, tile; add.u32 %r7, %r7, %r8;
	add.u32 %r9, %r2, 1; rem.u32 %r9, %r9, %r3; mapa.shared::cluster.u32 %r20, %r7, %r9; mov.u32 %r8, bar; mapa.shared::cluster.u32 %r21, %r8, %r9;
	mad.lo.u32 %r10, %r2, 1000, %r1; st.shared.b32 [%r7], 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;
` + meet + `st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r20], %r10, [%r21];
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r20], %r10, [%r21];
` + await + "ld.shared.b32 %r12, [%r7]; st.global.b32 [%d2], %r12;\n" + meet + "ret;"},
}

func TestWhatPassesLanesByIsRecordedAlike(t *testing.T) {
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(together90)), 1) {
		t.Run(name, func(t *testing.T) {
			c := together90[name]
			r := together(t, c.body, c.cluster)
			r.compare(t, open(t, nativecoexecutor.Options{}))
			// A log with room for one cluster makes a launch for each.
			d := open(t, nativecoexecutor.Options{LogBytes: max(c.cluster.Count(), 1) * 2 * (12 << 10)})
			r.compare(t, d)
			if d.Counts.Waves < 2 && c.cluster.Count() > 1 {
				t.Errorf("%+v", d.Counts)
			}
			r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
		})
	}
}

// By segments, a wait that does not end is said.
func TestAWaitWithoutEndIsSaid(t *testing.T) {
	r := together(t, firstThread+"bar.sync 0;\n"+await+"ret;", trace.Dim3{})
	d := open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), "waits for an mbarrier whose phase does not end") {
		t.Error(err)
	}
}

// Copies by tensor maps in the parameters: boxes that reach beyond the tensor, pixels of an
// image, and rows that are gathered.
func TestTensorCopiesAreRecordedAlike(t *testing.T) {
	d := open(t, nativecoexecutor.Options{})
	for name, c := range map[string]struct {
		layout      memory.TensorMap
		coordinates []int
		offsets     []int
		mode, store string
		boxBytes    int
	}{
		"tile": {layout: memory.TensorMap{Element: memory.TensorElement{Type: ptx.F32}, Sizes: []uint64{20, 9}, Strides: []uint64{96}, Box: []uint32{8, 4}, ElementStrides: []uint32{1, 2}}, coordinates: []int{16, 4}, mode: ".tile", store: ".tile", boxBytes: 64},
		"im2col": {layout: memory.TensorMap{Element: memory.TensorElement{Type: ptx.F16}, Sizes: []uint64{16, 7, 6, 2}, Strides: []uint64{32, 224, 1344}, ElementStrides: []uint32{1, 1, 1, 1},
			Im2col: &memory.Im2col{Lower: []int{-1, -1}, Upper: []int{-1, -1}, Channels: 8, Pixels: 12}}, coordinates: []int{8, 4, 3, 0}, offsets: []int{1, 2}, mode: ".im2col", store: ".im2col_no_offs", boxBytes: 192},
		"gather4": {layout: memory.TensorMap{Element: memory.TensorElement{Type: ptx.S32}, Sizes: []uint64{12, 9}, Strides: []uint64{48}, Box: []uint32{4, 1}, ElementStrides: []uint32{1, 1}}, coordinates: []int{4, 7, 2, 8, 0}, mode: ".tile::gather4", store: ".tile::scatter4", boxBytes: 64},
	} {
		t.Run(name, func(t *testing.T) {
			dimensions := len(c.layout.Sizes)
			list := func(register string, values []int) (names, moves string) {
				var all []string
				for i, v := range values {
					all = append(all, fmt.Sprintf("%%%s%d", register, i))
					moves += fmt.Sprintf("mov.b%d %%%s%d, %d; ", map[string]int{"c": 32, "h": 16}[register], register, i, v)
				}
				return "{" + strings.Join(all, ", ") + "}", moves
			}
			coordinates, moves := list("c", c.coordinates)
			offsets := ""
			if c.offsets != nil {
				names, more := list("h", c.offsets)
				offsets, moves = ", "+names, moves+more
			}
			text := fmt.Sprintf(`.version 8.6
.target sm_100a
.address_size 64
.entry k(.param .u64 from, .param .u64 to, .param .align 64 .b8 maps[256])
{
	.shared .align 1024 .b8 tile[1024]; .shared .align 8 .b64 bar;
	.reg .b64 %%d<8>; .reg .b32 %%c<5>; .reg .b16 %%h<4>; .reg .b32 %%r<8>; .reg .pred %%p<4>;
	mov.b64 %%d2, maps; cvta.param.u64 %%d2, %%d2; mbarrier.init.shared.b64 [bar], 1; prefetch.tensormap [%%d2];
	%[1]s
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], %[2]d;
	cp.async.bulk.tensor.%[3]dd.shared::cluster.global%[4]s.mbarrier::complete_tx::bytes [tile], [%%d2, %[5]s], [bar]%[6]s;
W: mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0; @!%%p1 bra W;
	cp.async.bulk.tensor.%[3]dd.global.shared::cta%[7]s.bulk_group [%%d2+128, %[5]s], [tile];
	cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
	ret;
}
`, moves, c.boxBytes, dimensions, c.mode, coordinates, offsets, c.store)
			m, err := ptx.Parse("tensor.ptx", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			extent := uint64(c.layout.Element.Type.Bytes()) * c.layout.Sizes[0]
			for i, s := range c.layout.Strides {
				extent = max(extent, s*c.layout.Sizes[i+1])
			}
			in := make([]byte, extent)
			for i := range in {
				in[i] = byte(i*7 + i>>8*3)
			}
			r := run{module: m, kernel: "k", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 1, Y: 1, Z: 1}, buffers: [][]byte{in, make([]byte, extent)}, maps: &c.layout}
			r.compare(t, d)
		})
	}
}

// A kernel that makes its tensor maps, another one in each thread block and at each copy: the log
// has what a map was.
func TestCopiesByChangedTensorMapsAreRecordedAlike(t *testing.T) {
	m, err := ptx.Parse("changed.ptx", []byte(`.version 8.6
.target sm_90a
.address_size 64
.entry k(.param .u64 in, .param .u64 out, .param .u64 space, .param .align 64 .b8 maps[256])
{
	.shared .align 128 .b8 tile[128]; .shared .align 128 .b8 map[128]; .shared .align 8 .b64 bar;
	.reg .b64 %d<8>; .reg .b32 %r<12>; .reg .pred %p<4>;
	ld.param.u64 %d2, [in]; ld.param.u64 %d1, [out]; ld.param.u64 %d3, [space]; mov.u32 %r7, %ctaid.x; mad.wide.u32 %d3, %r7, 128, %d3; mad.wide.u32 %d1, %r7, 32, %d1;
	mov.u32 %r1, %laneid; shl.b32 %r2, %r1, 2; mov.u32 %r3, map; add.u32 %r3, %r3, %r2;
	mov.b64 %d4, maps; cvt.u64.u32 %d5, %r2; add.u64 %d4, %d4, %d5; ld.param.b32 %r4, [%d4]; st.shared.b32 [%r3], %r4;
	setp.eq.u32 %p1, %r1, 0; mov.u32 %r8, 0; @!%p1 bra AGAIN; mbarrier.init.shared.b64 [bar], 1;
AGAIN: bar.warp.sync -1; add.u32 %r9, %r7, 1; shl.b32 %r10, %r8, 5; cvt.u64.u32 %d6, %r10; add.u64 %d6, %d6, %d2;
	@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %d6;
	@%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, %r9;
	bar.warp.sync -1;
	tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d3], [map], 128;
	fence.proxy.tensormap::generic.acquire.gpu [%d3], 128;
	@!%p1 bra END;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; mov.u32 %r5, 2; mov.u32 %r6, 1;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d3, {%r5, %r6}], [bar];
W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r8; @!%p2 bra W;
	cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END: add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra AGAIN; ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 512)
	for i := range in {
		in[i] = byte(i*7 + i>>8*3)
	}
	r := run{module: m, kernel: "k", grid: trace.Dim3{X: 3, Y: 1, Z: 1}, block: trace.Dim3{X: 32, Y: 1, Z: 1}, buffers: [][]byte{in, make([]byte, 512), make([]byte, 512)},
		maps: &memory.TensorMap{Element: memory.TensorElement{Type: ptx.F32}, Sizes: []uint64{8, 4}, Strides: []uint64{32}, Box: []uint32{4, 2}, ElementStrides: []uint32{1, 1}}}
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// A grid whose thread blocks wait for each other runs at once. Where the log has no room for all of
// them, or for all of a cluster, they go on by segments together.
func TestCooperativeLaunchesAreRecordedAlike(t *testing.T) {
	r := cooperativeGrid(t)
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
	small := open(t, nativecoexecutor.Options{LogBytes: 1 << 10})
	r.compare(t, small)
	if small.Counts.Divided != 1 {
		t.Errorf("%+v", small.Counts)
	}
}

func cooperativeGrid(t testing.TB) run {
	r := together(t, `ld.param.u64 %d4, [in]; setp.ne.u32 %p1, %r1, 0; mov.u32 %r7, %nctaid.y; mul.lo.u32 %r7, %r7, %r5; mov.u32 %r8, tile; mad.lo.u32 %r8, %r1, 4, %r8; st.shared.b32 [%r8], %r4;
	@%p1 bra DONE; atom.global.add.u32 %r8, [%d4], 1;
W:	nanosleep.u32 20; ld.volatile.global.u32 %r9, [%d4]; setp.lt.u32 %p2, %r9, %r7; @%p2 bra W;
DONE: bar.sync 0; mov.u32 %r8, tile; mad.lo.u32 %r8, %r1, 4, %r8; ld.shared.b32 %r4, [%r8]; st.global.b32 [%d2], %r4; ret;`, trace.Dim3{})
	r.cooperative = true
	clear(r.buffers[1])
	return r
}

func TestAClusterWithoutRoomGoesOnBySegments(t *testing.T) {
	tracetest.Nightly(t)
	c := together90["memory of a cluster"]
	r := together(t, c.body, c.cluster)
	d := open(t, nativecoexecutor.Options{LogBytes: 3 << 10})
	r.compare(t, d)
	if d.Counts.Divided != 4 { // clusters
		t.Errorf("%+v", d.Counts)
	}
}

// By segments, bulk copies that a thread waits for by groups have ended when the lanes stop, and
// shared memory that was taken is fenced from those that come. So they run on devices that are not
// the project's own; only mbarriers cannot.
func TestBulkGroupsEndWithTheirSegments(t *testing.T) {
	r := together(t, `setp.eq.u32 %p1, %r1, 0; mov.u32 %r7, tile; mad.lo.u32 %r7, %r1, 4, %r7; add.u32 %r9, %r1, 7; st.shared.b32 [%r7], %r9; fence.proxy.async; bar.sync 0;
	@!%p1 bra END;
	cp.async.bulk.global.shared::cta.bulk_group [%d2], [tile], 128; bra NEXT;
NEXT:	cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [tile+128], 64; cp.async.bulk.commit_group; bra LAST;
LAST:	cp.async.bulk.wait_group 0;
END: ret;`, trace.Dim3{})
	r.grid = trace.Dim3{X: 2, Y: 1, Z: 1}
	var kept bytes.Buffer
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments, Foreign: true, Keep: &kept}))
	text := kept.String()
	for _, want := range []string{"fence.proxy.async;\n\tbar.sync 0;", "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n\tbar.warp.sync"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q", want)
		}
	}
}

// By segments, lanes on several paths each keep all of shared memory. Where lanes run by themselves,
// from sm_70 on, all that run come to a barrier before one of them copies. Before, lanes that are
// elsewhere cannot come to it.
func TestLanesMeetBeforeTheyKeepSharedMemory(t *testing.T) {
	for target, want := range map[string]string{"sm_60": "bar.warp.sync %wt_active;", "sm_70": "bar.warp.sync %wt_running;"} {
		m, err := ptx.Parse("paths.ptx", []byte(`.version 7.0
.target `+target+`
.address_size 64
.entry paths(.param .u64 out)
{
	.shared .align 4 .b32 row[32]; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<4>;
	mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r3, row; mad.lo.u32 %r3, %r2, 4, %r3; st.shared.b32 [%r3], %r1;
	and.b32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 0; setp.eq.u32 %p2, %r4, 1; setp.eq.u32 %p3, %r4, 2;
	@%p1 bra A; @%p2 bra B; @%p3 ret;
	atom.shared.add.u32 %r5, [row], 1; bra C;
A:	st.shared.b32 [%r3], 5; bra C;
B:	ld.shared.b32 %r5, [%r3]; add.u32 %r5, %r5, 1; st.shared.b32 [%r3], %r5;
C:	ld.shared.b32 %r5, [%r3]; ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 4, %d1; st.global.b32 [%d1], %r5; ret;
}
`))
		if err != nil {
			t.Fatal(err)
		}
		r := run{module: m, kernel: "paths", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 48, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 4*48)}}
		var kept bytes.Buffer
		r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments, Keep: &kept}))
		if n, all := strings.Count(kept.String(), want), strings.Count(kept.String(), "bar.warp.sync"); n < 4 || n != all {
			t.Errorf("%s: %d of %d barriers are %s", target, n, all, want)
		}
	}
}
