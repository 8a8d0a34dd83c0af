// SPDX-License-Identifier: Apache-2.0

package language

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// every is one word of each instruction, written from Table 4.1 by hand.
var every = []struct {
	text string
	word uint32
}{
	{"NOP", 0x00000000},
	{"MAD r1, r2, r3, r4", 0<<26 | 1<<21 | 2<<16 | 3<<11 | 4<<6 | 1},
	{"MUL r1, r3, r4", 1<<21 | 3<<11 | 4<<6 | 2},
	{"ADD r31, r30, r29", 31<<21 | 30<<16 | 29<<11 | 3},
	{"SUB r1, r2, r3", 1<<21 | 2<<16 | 3<<11 | 4},
	{"SLT r1, r2, r3", 1<<21 | 2<<16 | 3<<11 | 5},
	{"SGT r1, r2, r3", 1<<21 | 2<<16 | 3<<11 | 6},
	{"SHR r0, r0, r1", 0x00000807},
	{"SHL r1, r2, r3", 1<<21 | 2<<16 | 3<<11 | 8},
	{"NOT r1, r3", 1<<21 | 3<<11 | 9},
	{"AND r3, r0, r2", 0x0060100a},
	{"OR r1, r2, r3", 1<<21 | 2<<16 | 3<<11 | 11},
	{"XOR r1, r2, r3", 1<<21 | 2<<16 | 3<<11 | 12},
	{"MV r1, r2", 1<<26 | 1<<21 | 2<<16},
	{"MVI r1, 10", 0x0820000a},
	{"MVI r1, 65535", 0x0820ffff},
	{"LD r1, r2", 3<<26 | 1<<21 | 2<<16},
	{"LDC r1, r2", 4<<26 | 1<<21 | 2<<16},
	{"LDS r0, TID", 0x141f0000},
	{"LDS r0, PARAM4", 0x14040000},
	{"LDS r0, 12", 0x140c0000},
	{"BEQ r2, 17", 6<<26 | 2<<16 | 17},
	{"BNE r2, 1023", 7<<26 | 2<<16 | 1023},
	{"ST r1, r2", 8<<26 | 1<<16 | 2<<11},
	{"SSY 5", 61<<26 | 5},
	{"BAR", 62 << 26},
	{"EXIT", 63 << 26},
}

// What is no opcode is written as a word.
func TestOpcodesHaveMnemonics(t *testing.T) {
	for op := range Opcode(opcodeCount) {
		if got, ok := opcodeOf(strings.ToLower(op.String())); !ok || got != op {
			t.Errorf("opcode %d is written as %q, which is %d", op, op, got)
		}
	}
	for _, op := range []Opcode{Opcode(opcodeCount), 255} {
		if op.String() != ".word" {
			t.Errorf("opcode %d is written as %q", op, op)
		}
	}
}

func TestEveryInstructionHasTheWordOfTheTable(t *testing.T) {
	seen := map[Opcode]bool{}
	for _, e := range every {
		k, err := Assemble("t", e.text)
		if err != nil {
			t.Fatal(err)
		}
		in := k.Instructions[0]
		seen[in.Opcode] = true
		if got := in.Encode(); got != e.word {
			t.Errorf("%s: word %08x, want %08x", e.text, got, e.word)
		}
		back, err := Decode(e.word)
		if err != nil || back != in || back.String() != e.text {
			t.Errorf("%08x: %v (%v), want %s", e.word, back, err, e.text)
		}
	}
	if len(seen) != 24 {
		t.Errorf("%d instructions were tried, the table has 24", len(seen))
	}
}

// A word has one text, and the text gives the word: for all words of known opcodes,
// with bits that have no meaning, too.
func TestDisassemblingAndAssemblingIsTheIdentity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for op := range uint32(64) {
		for n := range uint32(4000) {
			word := op<<26 | r.Uint32()>>6
			if n%2 == 0 && op == 0 {
				word = word&^63 | n/2%16
			}
			if n%3 == 0 {
				if o, ok := byWord(word); ok {
					word &= o.used()
				}
			}
			identity(t, word)
		}
	}
}

func identity(t *testing.T, word uint32) {
	t.Helper()
	in, err := Decode(word)
	if err != nil {
		if _, ok := byWord(word); ok {
			t.Fatalf("%08x: %v", word, err)
		}
		return
	}
	if in.Encode() != word {
		t.Fatalf("%08x is decoded to %v, which is %08x", word, in, in.Encode())
	}
	k, err := Assemble("t", in.String())
	if err != nil {
		t.Fatalf("%08x: %v", word, err)
	}
	if len(k.Instructions) != 1 || k.Instructions[0] != in {
		t.Fatalf("%08x: %q is assembled to %v", word, in.String(), k.Instructions)
	}
}

func TestLabelsAndDirectives(t *testing.T) {
	const text = `
# a loop
.grid 4, 2
.block 40 1 1   ; a partial warp
.registers 12
.params 7 0xffffffff
.const 1 2
.data 3
.data 4
	MVI r1, 3 // three times
first: loop: SUB r1, r1, r2
	BNE r1, loop
	SSY end
end:
	EXIT`
	k, err := Assemble("p.tesla", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Label{{"first", 1}, {"loop", 1}, {"end", 4}}, k.Labels); diff != "" {
		t.Error(diff)
	}
	if k.WarpsPerBlock != 2 || k.RegistersPerThread != 12 || k.Grid.X != 4 || k.Grid.Y != 2 || k.Grid.Z != 1 {
		t.Errorf("%+v", k)
	}
	if diff := cmp.Diff([]uint32{3, 4}, k.Data); diff != "" {
		t.Error(diff)
	}
	if k.Instructions[2].Immediate != 1 || k.Instructions[3].Immediate != 4 || k.Lines[4] != 15 {
		t.Errorf("%v, lines %v", k.Instructions, k.Lines)
	}
	if err := k.Check(Reference); err != nil {
		t.Error(err)
	}
	again, err := Assemble("p.tesla", k.Disassemble())
	if err != nil {
		t.Fatal(err)
	}
	again.Lines, again.Labels = k.Lines, k.Labels
	if diff := cmp.Diff(k, again); diff != "" {
		t.Errorf("disassembled and assembled again (-before +after):\n%s", diff)
	}
}

// A label that the program has may have the name that the disassembler would give.
func TestGeneratedLabelsDoNotMeetTheProgramsOwn(t *testing.T) {
	k, err := Assemble("t", "L2: NOP\nSSY 2\nBEQ r1, L2\nEXIT")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Assemble("t", k.Disassemble())
	if err != nil {
		t.Fatalf("%v\n%s", err, k.Disassemble())
	}
	if diff := cmp.Diff(k.Words(), again.Words()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsWrongIsToldWithFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"NOP\nFMA r1, r2, r3":     `t:2: no instruction is called "FMA"`,
		"ADD r1, r2":              "t:1: ADD takes 3 operands, 2 are given",
		"ADD r1, r2, r32":         `t:1: "r32" is no register`,
		"ADD r1, r2, rr3":         `t:1: "rr3" is no register`,
		"MVI r1, 65536":           `t:1: "65536" is no number from 0 to 65535`,
		"MVI r1, -1":              `t:1: "-1" is no number`,
		"BEQ r1, nowhere":         `t:1: no label is called "nowhere"`,
		"a: NOP\na: NOP":          "t:2: label a is there already",
		"7up: NOP":                `t:1: "7up" is no name for a label`,
		"LDS r1, NTID":            `t:1: "NTID" is no special register`,
		".blocks 3":               `t:1: no directive is called ".blocks"`,
		".block 1 2 3 4":          "t:1: .block takes the sizes in x, y and z",
		".word 0x0000000d":        "t:1: word 0000000d: no instruction has the function code 13",
		".word 0x24000000":        "t:1: word 24000000: no instruction has the opcode 9",
		".word 0x24000000 2":      "t:1: .word takes the word of one instruction",
		"BAR r1":                  "t:1: BAR takes 0 operands, 1 are given",
		strings.Repeat("X\n", 30): "t:20: no instruction",
	} {
		if _, err := Assemble("t", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestWhatTheMachineCannotExecuteIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "t: no instruction",
		"NOP":                                  "t:1: the program runs on behind its last instruction, NOP",
		"SSY 2\nEXIT":                          "t:1: SSY 2: the label is address 2, outside the program's 2 instructions",
		"BEQ r1, 1024\nEXIT":                   "t:1: BEQ r1, 1024: the label is address 1024",
		".block 512\nEXIT":                     "has 16 warps; the four bits of WARP hold at most 15",
		".block 1024 1024 1024\nEXIT":          "the four bits of WARP hold at most 15",
		".block 64\n.warps 1\nEXIT":            "WARP is 1, and a thread block of 64 threads has 2 of the machine's warps of 32 threads",
		".grid 0\nEXIT":                        "the grid has 0 in x",
		".registers 0\nEXIT":                   "0 registers per thread",
		".registers 4\nMVI r4, 1\nEXIT":        "t:2: MVI r4, 1: r4 is not one of the thread's 4 registers",
		"LDS r1, 28\nLDS r1, 26\nEXIT":         "t:2: LDS r1, 26: selector 26 reads nothing",
		".params 1 2 3 4 5 6 7 8 9\nEXIT":      "9 parameters; the machine has room for 8 (NUM_PARAMS)",
		strings.Repeat("NOP\n", 1024) + "EXIT": "1025 instructions; the machine has room for 1024 (I_ADDR_WIDTH)",
		".const" + strings.Repeat(" 1", 257) + "\nEXIT": "257 words of constant memory; the machine has room for 256",
		".data" + strings.Repeat(" 1", 1025) + "\nEXIT": "1025 words of shared memory",
	} {
		k, err := Assemble("t", text)
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if err := k.Check(Reference); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

func FuzzAssemble(f *testing.F) {
	for _, e := range every {
		f.Add(e.text)
	}
	f.Add(".grid 2\n.block 64\n.data 1 2\nloop: SUB r1, r1, r2\nBNE r1, loop\nEXIT")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := Assemble("t", text)
		if err != nil {
			return
		}
		_ = k.Check(Reference)
		again, err := Assemble("t", k.Disassemble())
		if err != nil {
			t.Fatalf("%v\n%s", err, k.Disassemble())
		}
		if got, want := fmt.Sprint(again.Words(), again.Grid, again.Block, again.Data, again.Constants, again.Parameters),
			fmt.Sprint(k.Words(), k.Grid, k.Block, k.Data, k.Constants, k.Parameters); got != want {
			t.Fatalf("disassembled and assembled again: %s, want %s", got, want)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, e := range every {
		f.Add(e.word)
	}
	f.Fuzz(identity)
}
