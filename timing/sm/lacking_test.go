// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"reflect"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

// written is an instruction as PTX writes it.
func written(name string, class trace.OpClass, types ...string) *trace.Instruction {
	parts := strings.Split(name, ".")
	return &trace.Instruction{Opcode: parts[0], Modifiers: parts[1:], Class: class, Types: types}
}

// An instruction is refused on machines that lack what it needs, which the message names, and on no other.
func TestAMachineRefusesWhatItLacks(t *testing.T) {
	keys := map[string]func(l *arch.Lacks){
		"double": func(l *arch.Lacks) { l.Double = true }, "atomics": func(l *arch.Lacks) { l.Atomics = true }, "shuffles": func(l *arch.Lacks) { l.Shuffles = true },
		"bulk_copies": func(l *arch.Lacks) { l.BulkCopies = true }, "async_copies": func(l *arch.Lacks) { l.AsyncCopies = true }, "clusters": func(l *arch.Lacks) { l.Clusters = true },
		"sparse_products": func(l *arch.Lacks) { l.SparseProducts = true }, "warpgroups": func(l *arch.Lacks) { l.Warpgroups = true },
	}
	if n := reflect.TypeFor[arch.Lacks]().NumField(); n != len(keys) {
		t.Errorf("a machine may lack %d things, %d are tested", n, len(keys))
	}
	for _, c := range []struct {
		in   *trace.Instruction
		need string // empty: what every machine has
	}{
		{written("add.rn", trace.ClassF64Add, "f64"), "double"}, {written("add.rn", trace.ClassF32Add, "f32"), ""},
		{written("atom.global.add", trace.ClassAtomic, "u32"), "atomics"}, {written("ld.global", trace.ClassLoad, "u32"), ""},
		{written("shfl.sync.bfly", trace.ClassShuffle, "b32"), "shuffles"}, {written("vote.sync.any", trace.ClassPredicate, "pred"), ""},
		{written("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", trace.ClassBulk), "bulk_copies"},
		{written("cp.async.bulk.commit_group", trace.ClassNop), "bulk_copies"},
		{written("cp.async.ca.shared.global", trace.ClassLoad), "async_copies"}, {written("cp.async.wait_all", trace.ClassNop), "async_copies"},
		{written("mapa.shared::cluster", trace.ClassIntAdd, "u32"), "clusters"}, {written("getctarank.shared::cluster", trace.ClassIntAdd, "u32"), "clusters"},
		{written("mapa", trace.ClassIntAdd, "u64"), "clusters"}, {written("getctarank", trace.ClassIntAdd, "u64"), "clusters"}, // of generic addresses
		{written("barrier.cluster.arrive", trace.ClassBarrier), "clusters"}, {written("barrier.sync", trace.ClassBarrier), ""}, {written("bar.sync", trace.ClassBarrier), ""},
		{written("ld.shared::cluster", trace.ClassLoad, "u32"), "clusters"}, {written("ld.shared::cta", trace.ClassLoad, "u32"), ""},
		{written("cvta.to.shared::cluster", trace.ClassMove, "u64"), ""},
		{written("mma.sp.sync.aligned.m16n8k32", trace.ClassTensor, "f16", "f16", "f16", "f16"), "sparse_products"},
		{written("mma.sync.aligned.m16n8k16", trace.ClassTensor, "f16", "f16", "f16", "f16"), ""},
		{written("wgmma.mma_async.sync.aligned.m64n8k16", trace.ClassTensor, "f16", "f16", "f16"), "warpgroups"},
	} {
		for key, set := range keys {
			var l arch.Lacks
			set(&l)
			err := Lacking(&l, nil, c.in)
			if (err != nil) != (key == c.need) || err != nil && !strings.Contains(err.Error(), "(sm.lacks."+key+")") {
				t.Errorf("%s on a machine without %s: %v", c.in.Name(), key, err)
			}
		}
	}
	bulk := written("cp.async.bulk.global.shared::cta.bulk_group", trace.ClassBulk)
	if err := Lacking(new(arch.Lacks), nil, bulk); err != nil {
		t.Error(err)
	}
	if err := Lacking(new(arch.Lacks), []string{"a reason", "another"}, bulk); err == nil || !strings.Contains(err.Error(), "a reason; another") {
		t.Errorf("a machine that has no bulk copies for two reasons: %v", err)
	}
}

// A lane moves as many elements as the vector of a load or store has (PTX ISA 5.4.2).
func TestElementsOfAVector(t *testing.T) {
	for name, want := range map[string]uint8{"ld.global": 1, "ld.global.v2": 2, "st.shared.v4": 4, "ld.global.nc.v8": 8, "tex.2d.v4": 4} {
		if got := vectorElements(written(name, trace.ClassLoad)); got != want {
			t.Errorf("%s: %d elements, want %d", name, got, want)
		}
	}
}
