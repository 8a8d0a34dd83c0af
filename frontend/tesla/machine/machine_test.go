// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/tesla/language"
)

func run(t *testing.T, text string, c Config) (*Result, error) {
	t.Helper()
	k, err := language.Assemble("k", text)
	if err != nil {
		t.Fatal(err)
	}
	return Run(k, c, Options{MaxCycles: 100_000, Log: true})
}

// lane gives r0 the thread's number in x, r9 zero.
const lane = "LDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\nMVI r9, 0\nMVI r2, 1\nAND r3, r0, r2\nMVI r2, 2\nAND r4, r0, r2\n"

func TestWhatNoProgramWantsIsRefusedWithItsPlace(t *testing.T) {
	head := ".registers 10\n"
	for name, c := range map[string]struct{ text, want string }{
		"divergence without SSY":  {lane + "BNE r3, out\nNOP\nout: EXIT", "k:10: BNE r3, 10: thread block 0, warp 0 (multiprocessor 0, cycle 107): unsafe stack: lanes aaaaaaaa take the branch and lanes 55555555 do not, and no SSY"},
		"a loop that diverges":    {lane + "MVI r2, 1\nADD r3, r0, r2\nSSY out\nl: SUB r3, r3, r2\nBNE r3, l\nout: EXIT", "k:14: BNE r3, 11: thread block 0, warp 0 (multiprocessor 0, cycle 155): unsafe stack: lanes fffffffc"},
		"a second divergence":     {lane + "SSY out\nBNE r3, a\nNOP\nBEQ r9, out\na: BNE r4, out\nNOP\nout: EXIT", "k:14: BNE r4, 14: thread block 0, warp 0 (multiprocessor 0, cycle 123): unsafe stack: lanes 88888888"},
		"one sync point for two":  {lane + "SSY out\nBNE r3, a\nNOP\nBEQ r9, out\na: SSY out\nBNE r4, out\nNOP\nout: EXIT", "k:14: SSY 15: thread block 0, warp 0 (multiprocessor 0, cycle 123): unsafe stack: lanes wait to meet at address 15 already"},
		"an SSY that hides":       {lane + "SSY out\nBNE r3, a\nNOP\nBEQ r9, out\na: SSY in\nBNE r9, in\nNOP\nin: NOP\nout: EXIT", "k:18: EXIT: thread block 0, warp 0 (multiprocessor 0, cycle 155): unsafe stack: lanes 55555555 wait to meet here, but an SSY inside"},
		"a barrier without all":   {".block 64\n" + lane + "MVI r1, 32\nSLT r3, r0, r1\nBEQ r3, out\nBAR\nout: EXIT", "k:14: BAR: thread block 0, warp 0 (multiprocessor 0, cycle"},
		"no end":                  {"l: MVI r9, 0\nBEQ r9, l\nEXIT", "k: no end after 100000 cycles"},
		"conflicts of LD rX,[rX]": {".data 5 6 7\n" + lane + "MVI r5, 8\nSLT r6, r0, r5\nMUL r0, r0, r6\nMUL r0, r0, r5\nLD r0, r0\nEXIT", "a bank conflict in another row makes lane"},
		"warp slots":              {".grid 5\n.block 128\nMVI r1, 500\nMVI r2, 1\nl: SUB r1, r1, r2\nBNE r1, l\nEXIT", "k: thread block 4 takes warp slot 0 of multiprocessor 0 in cycle 610, in which warp 0 of thread block 0 still runs"},
		"registers":               {".grid 4\n.registers 32\n.block 96\nMVI r1, 500\nMVI r2, 1\nl: SUB r1, r1, r2\nBNE r1, l\nEXIT", "takes registers 0 to 127 of multiprocessor 0"},
		"a robbed block index":    {".grid 5\nMVI r1, 50\nMVI r2, 1\nl: SUB r1, r1, r2\nBNE r1, l\nLDS r1, BIDX\nEXIT", "k:7: LDS r1, BIDX: thread block 0, warp 0 (multiprocessor 0, cycle"},
		"a robbed barrier":        {".grid 5\nMVI r1, 50\nMVI r2, 1\nl: SUB r1, r1, r2\nBNE r1, l\nBAR\nEXIT", "k:7: BAR: thread block 0, warp 0 (multiprocessor 0, cycle"},
		"many warps":              {".grid 1024 1024 2\n.block 128\nEXIT", "at most 4194304 warps are executed"},
	} {
		_, err := run(t, head+c.text, Reference(1, 8))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// The block slot may be taken from a block that reads it no more.
func TestBlockSlotsAreReused(t *testing.T) {
	r, err := run(t, ".grid 9\nLDS r2, BIDX\nMVI r1, 12\nMVI r3, 1\nl: SUB r1, r1, r3\nBNE r1, l\nADD r2, r2, r3\nST r2, r2\nEXIT", Reference(1, 8))
	if err != nil {
		t.Fatal(err)
	}
	for block := range uint32(9) {
		if got := r.Shared[0][block+1]; got != block+1 {
			t.Errorf("thread block %d has stored %d", block, got)
		}
	}
	robbed := 0
	for _, i := range r.Log.Issues {
		if i.PC == 6 && i.Cycle > 43*4 && i.Slot == 0 {
			robbed++
		}
	}
	if robbed == 0 {
		t.Error("no block ran when its slot was taken")
	}
}

// Each thread of a block of three dimensions has its own TID, with x in the middle bits and y in the low ones
// (section 4). The second warp's threads have theirs, too.
func TestThreadsHaveTheirPlacesInTheBlock(t *testing.T) {
	const width, height, depth = 8, 2, 3
	r, err := run(t, ".block 8 2 3\n.registers 10\nLDS r0, TID\nMVI r1, 1023\nAND r2, r0, r1\nMVI r3, 10\nSHR r4, r0, r3\nAND r4, r4, r1\nMVI r3, 20\nSHR r5, r0, r3\n"+
		"MVI r6, 2\nMUL r5, r5, r6\nADD r5, r5, r2\nMVI r6, 8\nMUL r5, r5, r6\nADD r5, r5, r4\nST r5, r0\nEXIT", Reference(1, 8))
	if err != nil {
		t.Fatal(err)
	}
	for z := range uint32(depth) {
		for y := range uint32(height) {
			for x := range uint32(width) {
				at := (z*height+y)*width + x
				if got, want := r.Shared[0][at], z<<20|x<<10|y; got != want {
					t.Errorf("thread %d %d %d has TID %#x, want %#x", x, y, z, got, want)
				}
			}
		}
	}
}

// Addresses have as many bits as shared memory needs; what a register has more is not looked at.
func TestAddressesOfSharedMemoryAreCutOff(t *testing.T) {
	c := Reference(1, 8)
	r, err := run(t, ".registers 10\nMVI r1, 16389\nMVI r2, 16\nSHL r1, r1, r2\nMVI r3, 5\nADD r1, r1, r3\nMVI r4, 77\nST r1, r4\nEXIT", c)
	if err != nil {
		t.Fatal(err)
	}
	if c.SharedAddressBits > 16 || r.Shared[0][5] != 77 {
		t.Errorf("word 5 of 2^%d has %d, want 77", c.SharedAddressBits, r.Shared[0][5])
	}
}

func TestDependencesAreToldWithTheirPlace(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		on   DependsOn
		want string
	}{
		"stores to one address":   {lane + "ST r9, r0\nEXIT", OnRows, "k:10: ST r9, r0: lanes 0 and 1 store different values to word 0"},
		"constants of a row":      {".const 3 4\n" + lane + "LDC r5, r3\nEXIT", OnRows, "k:11: LDC r5, r3: lanes 0 and 1 ask for different constants"},
		"LD rX,[rX]":              {lane + "MVI r1, 32\nMUL r0, r0, r1\nLD r0, r0\nEXIT", OnReplays, "k:12: LD r0, r0: a bank conflict"},
		"warps without a barrier": {".block 64\n" + lane + "ST r0, r0\nMVI r1, 32\nXOR r0, r0, r1\nLD r5, r0\nEXIT", OnTiming, "k:11: ST r0, r0: warp 1 of thread block 0 uses word 32"},
		"thread blocks":           {".grid 2\n" + lane + "ST r0, r0\nEXIT", OnTiming, "k:11: ST r0, r0: thread block 1 uses word 0"},
		"registers":               {"MV r1, r2\nEXIT", OnTiming, "k:2: MV r1, r2: lane 0 of warp 0 of thread block 0 reads r2, which it has not written"},
	} {
		r, err := run(t, ".registers 10\n"+c.text, Reference(2, 8))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.Dependences) != 1 || r.Dependences[0].On != c.on || !strings.Contains(r.Dependences[0].Reason, c.want) {
			t.Errorf("%s: got %+v, want %v: %s", name, r.Dependences, c.on, c.want)
		}
	}
}

func TestWhatDependsOnNothingIsNotLabelled(t *testing.T) {
	for name, text := range map[string]string{
		"the same value":         lane + "ST r9, r9\nEXIT",
		"the same constant":      ".const 4 4\n" + lane + "LDC r5, r3\nEXIT",
		"a barrier between":      ".block 64\n" + lane + "ST r0, r0\nBAR\nMVI r1, 32\nXOR r0, r0, r1\nLD r5, r0\nEXIT",
		"reading of the same":    ".grid 3\n.block 64\n" + lane + "LD r5, r0\nEXIT",
		"a load without clashes": lane + "LD r0, r0\nEXIT",
	} {
		r, err := run(t, ".registers 10\n"+text, Reference(1, 8))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(r.Dependences) > 0 {
			t.Errorf("%s: %+v", name, r.Dependences)
		}
	}
}

// Values at the ends of what 32 bits hold.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		o          language.Opcode
		a, b, want uint32
	}{
		{language.SLT, 1, 2, 1}, {language.SLT, 2, 1, 0}, {language.SLT, 0x80000000, 1, 0}, {language.SLT, 5, 5, 0},
		{language.SGT, 2, 1, 1}, {language.SGT, 1, 2, 0}, {language.SGT, 5, 5, 0}, {language.SGT, 0x80000000, 1, 1},
		{language.SHR, 0x80000000, 31, 1}, {language.SHR, 1, 32, 0}, {language.SHL, 1, 33, 0}, {language.SHL, 3, 31, 0x80000000},
		{language.SUB, 0, 1, 0xffffffff}, {language.ADD, 0xffffffff, 2, 1}, {language.NOT, 7, 0xff, 0xffffff00},
	} {
		if got := result(language.Instruction{Opcode: c.o}, c.a, c.b, 0); got != c.want {
			t.Errorf("%v of %#x and %#x is %#x, want %#x", c.o, c.a, c.b, got, c.want)
		}
	}
	if got := result(language.Instruction{Opcode: language.MAD}, 7, 0x10000, 0x10000); got != 7 {
		t.Errorf("MAD is %#x", got)
	}
}

func TestConfigurationsThatCannotBeAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"SP_PER_MP is 3":  func(c *Config) { c.Processors = 3 },
		"SP_PER_MP is 64": func(c *Config) { c.Processors = 64 },
		"NUM_MPS is 0":    func(c *Config) { c.Multiprocessors = 0 },
		"R_ADDR_WIDTH is": func(c *Config) { c.RegisterAddressBits = 40 },
	} {
		c := Reference(1, 8)
		change(&c)
		if _, err := run(t, "EXIT", c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add(lane+"SSY out\nBNE r3, out\nST r0, r0\nout: EXIT", uint8(3), uint8(1))
	f.Add(".block 64\n"+lane+"BAR\nLD r5, r0\nEXIT", uint8(2), uint8(2))
	f.Add(".grid 9\nLDS r2, BIDX\nST r2, r2\nEXIT", uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, text string, processors, multiprocessors uint8) {
		k, err := language.Assemble("k", text)
		if err != nil || k.Grid.Count() > 64 {
			return
		}
		c := Reference(int(multiprocessors%4), 1<<(processors%7))
		c.WarpWidth = max(c.WarpWidth, 1<<(multiprocessors/4%8)) // 128 is refused
		_, _ = Run(k, c, Options{MaxCycles: 5000})
	})
}
