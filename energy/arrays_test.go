// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

// TestArraysOfGTX480ByHand: every array of the card with the size that its
// configuration gives it, as the memory model prices that. Their number is checked, and
// what an event of each kind costs in reads, writes and searches. The numbers are
// worked out from Table III of the Buddy SM paper and the coefficients' sizes.
func TestArraysOfGTX480ByHand(t *testing.T) {
	tech := Technology{NodeNM: 40, TemperatureK: 360, VoltageRatio: 1}
	m, err := NewModel(load(t, "gtx480"), tech, DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	memories, err := sram.Default()
	if err != nil {
		t.Fatal(err)
	}
	estimate := func(q sram.Query) sram.Estimate {
		t.Helper()
		q.NodeNM = tech.NodeNM
		e, err := memories.Estimate(q)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ram := func(bytes, out int) sram.Estimate {
		return estimate(sram.Query{Class: sram.RAM, Bytes: bytes, OutBytes: out})
	}
	cam := func(entries int) sram.Estimate { // of 48 bits
		return estimate(sram.Query{Class: sram.CAM, Bytes: 6 * entries, LineBytes: 6})
	}
	// A cache's data are what its tags, four bytes a line and as wide as a set, leave.
	cache := func(bytes, ways, line, out int, sequential bool) (tags, data sram.Estimate) {
		all := estimate(sram.Query{Class: sram.Cache, Bytes: bytes, Ways: ways, LineBytes: line, OutBytes: out, Sequential: sequential})
		tags = ram(bytes/line*4, ways*4)
		return tags, sram.Estimate{
			ReadPJ: all.ReadPJ - tags.ReadPJ, WritePJ: all.WritePJ - tags.WritePJ,
			LeakageMW: all.LeakageMW - tags.LeakageMW, AreaMM2: all.AreaMM2 - tags.AreaMM2,
		}
	}
	file, held := ram(1024, 16), ram(16*3*16, 16)                       // slices of 1 KiB; 16 collectors of three slices
	buffer, stack := ram(48*2*8, 8), ram(48*16*16, 16)                  // two instructions, 16 entries a warp
	instructionTags, instructionData := cache(4<<10, 4, 128, 16, false) // two instructions a fetch
	constantTags, constantData := cache(8<<10, 2, 64, 4, false)         // a word
	textureTags, textureData := cache(4<<10, 4, 128, 128, false)        // a line
	firstTags, firstData := cache(32<<10, 4, 128, 128, false)           // a line
	secondTags, secondData := cache(64<<10, 16, 128, 64, true)          // a sector, after the tags
	bank, board, table := ram(48<<10/32, 4), cam(48), cam(32)           // by warp, by lane
	firstMisses, secondMisses, textureMisses := cam(64), cam(256), cam(128)
	type costs map[counters.ID]float64
	for path, want := range map[string]struct {
		arrays []sram.Estimate
		n      float64
		costs  costs
	}{
		"sm/register file":                {[]sram.Estimate{file}, 16 * 32768 * 4 / 1024, costs{counters.RegisterLaneRead: file.ReadPJ / 4, counters.RegisterLaneWrite: file.WritePJ / 4}},
		"sm/operand collector/entries":    {[]sram.Estimate{held}, 16 * 8, costs{counters.RegisterLaneRead: (held.ReadPJ + held.WritePJ) / 4}},
		"sm/front end/fetch":              {[]sram.Estimate{instructionTags, instructionData}, 16, costs{counters.FetchAccess: instructionTags.ReadPJ + instructionData.ReadPJ, counters.FetchMiss: instructionTags.WritePJ + 8*instructionData.WritePJ}},
		"sm/front end/instruction buffer": {[]sram.Estimate{buffer}, 16, costs{counters.FetchInstruction: buffer.WritePJ, counters.IssuedWarp: buffer.ReadPJ}},
		"sm/front end/scoreboard":         {[]sram.Estimate{board}, 16, costs{counters.IssuedWarp: board.SearchPJ + 2*board.WritePJ}},
		"sm/front end/SIMT stack":         {[]sram.Estimate{stack}, 16, costs{counters.UnitControl: stack.ReadPJ + stack.WritePJ}},
		"sm/coalescer/table":              {[]sram.Estimate{table}, 16, costs{counters.GlobalTransactions: table.SearchPJ, counters.GlobalLane: table.WritePJ / 32}},
		"sm/constant cache":               {[]sram.Estimate{constantTags, constantData}, 16, costs{counters.ConstantRead: constantTags.ReadPJ + constantData.ReadPJ, counters.ConstantMiss: constantTags.WritePJ + 16*constantData.WritePJ}},
		"sm/texture cache/tags":           {[]sram.Estimate{textureTags}, 16, costs{counters.TextureRead: textureTags.ReadPJ, counters.TextureMiss: textureTags.WritePJ}},
		"sm/texture cache/data":           {[]sram.Estimate{textureData}, 16, costs{counters.TextureRead: textureData.ReadPJ, counters.TextureMiss: textureData.WritePJ}},
		"sm/texture cache/MSHRs":          {[]sram.Estimate{textureMisses}, 16, costs{counters.TextureMiss: textureMisses.SearchPJ + textureMisses.WritePJ, counters.TextureMerge: textureMisses.SearchPJ}},
		"sm/shared memory/banks":          {[]sram.Estimate{bank}, 16 * 32, costs{counters.SharedLaneRead: bank.ReadPJ, counters.SharedLaneWrite: bank.WritePJ}},
		"sm/L1/tags":                      {[]sram.Estimate{firstTags}, 16, costs{counters.L1Read: firstTags.ReadPJ, counters.L1Write: firstTags.ReadPJ, counters.L1ReadMiss: firstTags.WritePJ, counters.L1WriteHit: firstTags.WritePJ}}, // a hit store invalidates
		"sm/L1/data":                      {[]sram.Estimate{firstData}, 16, costs{counters.L1Read: firstData.ReadPJ, counters.L1ReadMiss: firstData.WritePJ}},
		"sm/L1/MSHRs":                     {[]sram.Estimate{firstMisses}, 16, costs{counters.L1ReadMiss: firstMisses.SearchPJ + firstMisses.WritePJ, counters.L1ReadMerge: firstMisses.SearchPJ}},
		"L2/tags":                         {[]sram.Estimate{secondTags}, 12, costs{counters.L2Read: secondTags.ReadPJ, counters.L2Write: secondTags.ReadPJ, counters.L2ReadMiss: secondTags.WritePJ, counters.L2WriteMiss: secondTags.WritePJ}},
		"L2/data": {[]sram.Estimate{secondData}, 12, costs{
			counters.L2ReadHit: secondData.ReadPJ, counters.L2ReadMerge: secondData.ReadPJ, counters.L2WriteBack: secondData.ReadPJ,
			counters.L2ReadMiss: secondData.WritePJ, counters.L2WriteHit: secondData.WritePJ, counters.L2WriteMiss: secondData.WritePJ,
			counters.L2Atomic: secondData.WritePJ, // its read is counted as a read
		}},
		"L2/MSHRs": {[]sram.Estimate{secondMisses}, 12, costs{counters.L2ReadMiss: secondMisses.SearchPJ + secondMisses.WritePJ, counters.L2ReadMerge: secondMisses.SearchPJ}},
	} {
		var c *Component
		for i := range m.Components {
			if m.Components[i].Path == "chip/"+path {
				c = &m.Components[i]
			}
		}
		if c == nil {
			t.Errorf("%s: no such component", path)
			continue
		}
		var mw, mm2 float64
		for _, e := range want.arrays {
			mw += e.LeakageMW * want.n
			mm2 += e.AreaMM2 * want.n
		}
		if w := mw * 1e-3 * tech.leakage(); !near(c.StaticW, w) || !near(c.AreaMM2, mm2) {
			t.Errorf("%s: %g W and %g mm2, by hand %g and %g", path, c.StaticW, c.AreaMM2, w, mm2)
		}
		for id := range counters.ID(counters.Count) {
			got := 0.0
			for _, charge := range c.Charges {
				if charge.Counter == id {
					got += charge.PJ
				}
			}
			if !near(got, want.costs[id]) {
				t.Errorf("%s: %s costs %g pJ, by hand %g", path, counters.Declared(id).Name, got, want.costs[id])
			}
		}
	}
}

// TestOnePortIsThePlainArray: of any size, to the last digit. More ports cost more; nine are too many.
func TestOnePortIsThePlainArray(t *testing.T) {
	memories, err := sram.Default()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		out := 4 << r.IntN(4)
		q := sram.Query{Class: sram.RAM, Bytes: out * (64 + r.IntN(512)), OutBytes: out}
		priced := func() *builder {
			return &builder{machine: load(t, "gtx480"), tech: at40, memories: memories, coefficients: DefaultCoefficients()}
		}
		b := priced()
		plain := b.memory("probe", q)
		if one, none := b.ported("probe", q, 1), b.ported("probe", q, 0); one != plain || none != plain || b.err != nil {
			t.Errorf("%+v: %+v, with one port %+v, %v", q, plain, one, b.err)
		}
		for ports, refused := range map[int]bool{-1: true, 8: false, 9: true} {
			b := priced()
			if e := b.ported("probe", q, ports); (b.err != nil) != refused || !refused && e.AreaMM2 <= plain.AreaMM2 {
				t.Errorf("%+v: %d ports: %+v, %v", q, ports, e, b.err)
			}
		}
	}
}
