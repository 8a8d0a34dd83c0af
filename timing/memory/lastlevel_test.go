// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/dram"
)

// listening notes what a channel takes.
type listening struct {
	dram.Channel
	reads, writes []dram.Request
}

func (l *listening) Offer(now int64, r dram.Request) bool {
	if !l.Channel.Offer(now, r) {
		return false
	}
	r.ID = 0
	if r.Write {
		l.writes = append(l.writes, r)
	} else {
		l.reads = append(l.reads, r)
	}
	return true
}

func (r *rig) listen() []*listening {
	var all []*listening
	for _, p := range r.system.partitions {
		l := &listening{Channel: p.channel}
		p.channel = l
		all = append(all, l)
	}
	return all
}

// Caches of one set, so that lines leave in the order in which they came. Each of the
// 12 slices of L2 has 4 lines; each of the 6 partitions' last-level caches has as many
// as lines says.
func withLastLevel(lines int) func(m *arch.Machine) {
	return func(m *arch.Machine) {
		m.L2.Slice.Bytes, m.L2.Slice.Ways = 4*128, 4
		if lines > 0 {
			m.LLC = m.L2.Slice
			m.LLC.Bytes, m.LLC.Ways = lines*128, lines
		}
	}
}

// Data have their place in DRAM whether or not there is a last-level cache, be they
// fetched or written back: as its channels hear of them.
func TestALastLevelCacheLeavesDataAtTheirPlaceInDRAM(t *testing.T) {
	const lines, stride = 480, 11 * 128
	plain := newRig(t, machine(t, "gtx480", withLastLevel(0)))
	fetching, writing := newRig(t, machine(t, "gtx480", withLastLevel(8))), newRig(t, machine(t, "gtx480", withLastLevel(8)))
	want, reads, writes := plain.listen(), fetching.listen(), writing.listen()
	for i := range uint64(lines) {
		plain.issue(0, oneSector(uint32(i), i*stride))
		plain.drain()
		fetching.issue(0, oneSector(uint32(i), i*stride))
		fetching.drain()
		s := store(i*stride, 0)
		s.LaneBytes = 4
		writing.issue(0, s)
		writing.drain()
	}
	for p := range want {
		if diff := cmp.Diff(want[p].reads, reads[p].reads); diff != "" {
			t.Errorf("partition %d reads (-without +with a last-level cache)\n%s", p, diff)
		}
		for slice := range int32(2) {
			places, got := ofSlice(want[p].reads, slice), ofSlice(writes[p].writes, slice)
			// Of what was written, the last lines are still in the caches.
			if len(got) < len(places)-4-8 || len(got) > len(places)-4 || len(got) == 0 {
				t.Errorf("partition %d, slice %d: %d of %d sectors were written back", p, slice, len(got), len(places))
				continue
			}
			if diff := cmp.Diff(places[:len(got)], got); diff != "" {
				t.Errorf("partition %d, slice %d: writes back (-what is there +got)\n%s", p, slice, diff)
			}
		}
	}
}

// ofSlice is the places of the requests to the banks of one of two slices.
func ofSlice(all []dram.Request, slice int32) []dram.Request {
	var out []dram.Request
	for _, r := range all {
		if r.Bank%2 == slice {
			r.Write = false
			out = append(out, r)
		}
	}
	return out
}

// Every line of every slice has a place of its own; what a slice writes back is there
// as it was written, and is fetched from there.
func TestLinesOfAllSlicesArePartsOfTheLastLevelCache(t *testing.T) {
	const lines = 384 // 64 per partition, 32 per slice; L2 keeps 4 of those
	r := newRig(t, machine(t, "gtx480", withLastLevel(64)))
	for i := range uint64(lines) {
		r.issue(0, store(i*128, 4))
		r.drain()
	}
	const left = lines - 12*4
	g := &r.global
	if g[counters.L2WriteBack] != 4*left || g[counters.LLCWriteMiss] != left || g[counters.LLCWriteHit] != 3*left {
		t.Errorf("of %d lines %d sectors left L2; the last-level cache had %d misses and %d hits", left, g[counters.L2WriteBack], g[counters.LLCWriteMiss], g[counters.LLCWriteHit])
	}
	for i := range uint64(left) {
		r.latency(0, oneSector(uint32(i), i*128+32))
	}
	if g[counters.LLCReadHit] != left || g[counters.DRAMRead]+g[counters.DRAMWrite] != 0 {
		t.Errorf("%d of %d reads hit the last-level cache; DRAM: %d reads, %d writes", g[counters.LLCReadHit], left, g[counters.DRAMRead], g[counters.DRAMWrite])
	}
}

// A sector of four that is dirty is written back alone by L2, and by the last-level
// cache below it.
func TestAPartOfALineStaysAPartOnItsWayToDRAM(t *testing.T) {
	const lines = 480
	r := newRig(t, machine(t, "gtx480", withLastLevel(8)))
	for i := range uint64(lines) {
		s := store(i*128+64, 0)
		s.LaneBytes = 4
		r.issue(0, s)
		r.drain()
	}
	g := &r.global
	fromL2, fromLLC := uint64(lines-12*4), uint64(lines-12*4-6*8)
	if g[counters.L2WriteBack] != fromL2 || g[counters.LLCWriteBack] != fromLLC || g[counters.DRAMWriteBytes] != 32*fromLLC || g[counters.DRAMRead] != 0 {
		t.Errorf("%d sectors left L2, want %d; %d the last-level cache, want %d; %d bytes went to DRAM, %d reads", g[counters.L2WriteBack], fromL2,
			g[counters.LLCWriteBack], fromLLC, g[counters.DRAMWriteBytes], g[counters.DRAMRead])
	}
}
