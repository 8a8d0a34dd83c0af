// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/packed"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/wtape"
)

// exampleTrace records one launch of a kernel with every kind of address pattern.
func exampleTrace(t *testing.T) *wtape.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.wtape")
	w, err := wtape.Create(path, trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	register := func(n uint16) trace.Operand {
		return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: n, Words: 1}}
	}
	k := &trace.Kernel{Name: "a kernel", RegistersPerThread: 300, SharedBytes: 16, Blocks: []trace.BasicBlock{{Count: 4, PostDominator: trace.NoBlock}},
		Instructions: []trace.Instruction{
			{Opcode: "mad", Class: trace.ClassIntMad, Destinations: 1, Operands: []trace.Operand{register(290), register(1), register(2), register(3)}},
			{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 8, Destinations: 1,
				Operands: []trace.Operand{register(4), {Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{Number: 9, Words: 2}}}},
			{Opcode: "st", Class: trace.ClassStore, Space: trace.SpaceShared, LaneBytes: 1, Operands: []trace.Operand{register(4)},
				Guard: trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate}}},
			{Opcode: "ret", Class: trace.ClassExit},
		}}
	_, err = w.AddKernel(k)
	if err == nil {
		_, err = w.AddEvent(trace.HostEvent{Kind: trace.EventCopyToDevice, Address: 0x7000, Bytes: 12})
	}
	if err == nil {
		_, err = w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 2, Y: 2, Z: 1}, Block: trace.Dim3{X: 48, Y: 1, Z: 1}, DynamicSharedBytes: 4})
	}
	for block := range uint64(4) {
		w.BeginBlock(block)
		for warp, lanes := range []uint32{0xffffffff, 0xffff} {
			w.Visit(warp, 0, lanes)
			guard := []uint32{0, 1, 0x5a5a, 0xffff}[block]
			w.Guard(warp, guard)
			w.Access(warp, lanes, pattern(block))
			w.Access(warp, guard, pattern(block))
		}
		err = errors.Join(err, w.EndBlock())
	}
	if err := errors.Join(err, w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// pattern is a stride, an irregular one, or one with differences beyond 32 bits.
func pattern(n uint64) *[trace.WarpSize]uint64 {
	var a [trace.WarpSize]uint64
	for l := range uint64(trace.WarpSize) {
		a[l] = 0x7f0000000000 + []uint64{8 * l, l * l * 24 % 1000, l << 40, 4096 - 16*l}[n]
	}
	return &a
}

// The grammar of a line without the address part: PC, mask, destinations, opcode,
// sources, width, and what follows it.
var lineGrammar = regexp.MustCompile(`^[0-9a-f]{4,} ([0-9a-f]{8}) (?:0|1 R\d+) [A-Z][A-Z0-9_]*(?:\.[A-Z0-9]+)* (?:0|1 R\d+|2(?: R\d+){2}|3(?: R\d+){3}|4(?: R\d+){4}) (\d+)( .*)$`)

func checkLine(line string) error {
	m := lineGrammar.FindStringSubmatch(line)
	if m == nil {
		return errors.New("not in the grammar")
	}
	mask, err := strconv.ParseUint(m[1], 16, 32)
	if err != nil {
		return err
	}
	active := strings.Count(strconv.FormatUint(mask, 2), "1")
	want := ` 0` // the immediate
	if m[2] != "0" {
		deltas := fmt.Sprintf(`(?: -?\d+){%d}`, max(0, active-1))
		want = fmt.Sprintf(`(?: 0(?: 0x[0-9a-f]+){%d}| 1 0x[0-9a-f]+ -?\d+| 2 0x[0-9a-f]+%s) 0`, active, deltas)
	}
	if ok, err := regexp.MatchString("^"+want+"$", m[3]); err != nil || !ok {
		return fmt.Errorf("%q does not match %s (%v)", m[3], want, err)
	}
	return nil
}

func TestExportedFilesSatisfyTheGrammar(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x")
	if err := Export(exampleTrace(t), folder, ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(folder, "kernelslist.g"))
	if err != nil || string(list) != "MemcpyHtoD,0x0000000000007000,12\nkernel-1.traceg\n" {
		t.Fatalf("list %q, %v", list, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "kernel-1.traceg"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\n#traces format")
	for _, want := range []string{"-kernel name = a_kernel\n", "-kernel id = 1\n", "-grid dim = (2,2,1)\n", "-block dim = (48,1,1)\n", "-shmem = 20\n", "-nregs = 300\n", "-binary version = 70\n"} {
		if !strings.Contains(head, want) {
			t.Errorf("the header has no %q", want)
		}
	}
	blocks, left, modes := 0, 0, map[string]int{}
	for _, line := range strings.Split(body, "\n")[1:] {
		switch {
		case line == "" || line == "#BEGIN_TB" || line == "#END_TB" || strings.HasPrefix(line, "warp = "):
		case strings.HasPrefix(line, "thread block = "):
			if want := fmt.Sprintf("thread block = %d,%d,0", blocks%2, blocks/2); line != want {
				t.Errorf("%q, want %q", line, want)
			}
			blocks++
		case strings.HasPrefix(line, "insts = "):
			if left != 0 {
				t.Errorf("%d instructions are missing before %q", left, line)
			}
			left, _ = strconv.Atoi(line[len("insts = "):])
		default:
			left--
			if err := checkLine(line); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			if fields := strings.Fields(line); strings.HasPrefix(fields[4], "LDG") {
				modes[fields[8]]++
			}
		}
	}
	if blocks != 4 || left != 0 || modes["0"] == 0 || modes["1"] == 0 || modes["2"] == 0 {
		t.Errorf("%d thread blocks, %d instructions missing, address modes %v", blocks, left, modes)
	}
}

func TestCompressedFilesHoldTheSameText(t *testing.T) {
	r := exampleTrace(t)
	var plainText []byte
	for _, suffix := range packed.Suffixes {
		folder := filepath.Join(t.TempDir(), "x")
		if err := Export(r, folder, ExportOptions{Compression: suffix}); err != nil {
			t.Fatal(err)
		}
		in, err := packed.Open(filepath.Join(folder, "kernel-1.traceg"+suffix))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		if plainText == nil {
			plainText = text
		}
		if string(text) != string(plainText) {
			t.Errorf("%s: other text than without compression", suffix)
		}
	}
}
