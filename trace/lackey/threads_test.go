// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

const threadedDisassembly = `
0000000000401000 <work>:
  401000:	48 01 10             	add    %rdx,(%rax)
  401003:	e8 f8 0f 00 00       	call   402000 <capture_mark>
  401008:	f0 48 01 10          	lock add %rdx,(%rax)
  40100c:	87 08                	xchg   %ecx,(%rax)
  40100e:	0f ae f0             	mfence
  401011:	c3                   	ret
0000000000402000 <capture_mark>:
  402000:	0f b6 3f             	movzbl (%rdi),%edi
  402003:	0f b6 36             	movzbl (%rsi),%esi
  402006:	0f b6 12             	movzbl (%rdx),%edx
  402009:	0f b6 09             	movzbl (%rcx),%ecx
  40200c:	c3                   	ret
`

// marked is lackey's output for the call of a mark.
func marked(kind, number int, object uint64) string {
	const origin = 0x600000
	s := "I  00401003,5\n S 1fff000670,8\n"
	for i, a := range []uint64{origin, origin + uint64(kind), origin + uint64(number), object} {
		s += fmt.Sprintf("I  %08x,3\n L %08x,1\n", 0x402000+3*i, a)
	}
	return s + "I  0040200c,1\n L 1fff000670,8\n"
}

func goOn(thread int) string {
	return marked(markThread, thread, 0x600000) + marked(markResume, 0, 0x600000)
}

func importThreads(t *testing.T, text string) (*wtape.Reader, error) {
	t.Helper()
	output := filepath.Join(t.TempDir(), "out.wtape")
	c := Capture{Path: write(t, "a.txt", text), Disassembly: write(t, "a.dis", threadedDisassembly), Threads: true}
	if err := Import([]Capture{c}, output, Options{Tool: "test", PageBytes: 4096}); err != nil {
		return nil, err
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, verification.Verify(r)
}

const (
	one    = "I  00401000,3\n M 00500000,8\n"
	locked = "I  00401008,4\n M 00500000,8\n"
	swap   = "I  0040100c,2\n M 00500008,4\n"
	fence  = "I  0040100e,3\n"
	back   = "I  00401011,1\n L 1fff000678,8\n"
)

func TestMarksTellThreadsApart(t *testing.T) {
	pause, end := marked(markPause, 0, 0x600000), marked(markEnd, 0, 0x600000)
	r, err := importThreads(t, one+ // before the threads
		goOn(1)+one+pause+one+marked(markLock, 0, 0x700000)+
		goOn(0)+locked+pause+marked(markBarrier, 2, 0x700040)+
		goOn(1)+swap+fence+back+pause+marked(markUnlock, 0, 0x700000)+marked(markResume, 0, 0x600000)+back+pause+end+
		goOn(0)+back+pause+end+one)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	c := wtape.NewCPUChunk()
	for i := range r.CPUChunks() {
		if err := r.ReadCPUChunk(i, c); err != nil {
			t.Fatal(err)
		}
		syncs := c.Syncs
		for k, entry := range c.Steps {
			for ; len(syncs) > 0 && int(syncs[0].At) == k; syncs = syncs[1:] {
				got = append(got, fmt.Sprintf("%d %v %x %d", c.Thread, syncs[0].Kind, syncs[0].Object, syncs[0].Threads))
			}
			got = append(got, fmt.Sprintf("%d %x", c.Thread, c.Table[entry].IP))
		}
	}
	want := "0 atomic 500000 0, 0 401008, 0 barrier 700040 2, 0 401011, " +
		"1 401000, 1 lock 700000 0, 1 atomic 500008 0, 1 40100c, 1 fence 0 0, 1 40100e, 1 401011, 1 unlock 700000 0, 1 401011"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if r.Totals().CPU.Syncs != 6 || r.Totals().CPU != (trace.CPUTotals{Threads: 2, Instructions: 7, Branches: 3, TakenBranches: 3, Loads: 6, Stores: 3, Syncs: 6}) {
		t.Errorf("%+v", r.Totals().CPU)
	}
}

func TestBadMarksAreRefused(t *testing.T) {
	pause, end := marked(markPause, 0, 0x600000), marked(markEnd, 0, 0x600000)
	for want, text := range map[string]string{
		"no thread begins in it":                 one,
		"is cut off: 1 of 2 threads have not":    goOn(0) + one + pause + end + goOn(1) + one,
		"goes on after its end":                  goOn(0) + one + pause + end + goOn(0),
		"thread 0 never runs":                    goOn(1) + one + pause + end + one,
		"recording goes on without a thread":     marked(markResume, 0, 0x600000) + one,
		"is of no thread":                        marked(markLock, 0, 0x600000) + one,
		"a mark of kind 99":                      marked(99, 0, 0x600000) + one,
		"makes 0 loads, want 1":                  "I  00402000,3\nI  00402003,3\n" + one,
		"no instruction of CPU thread 0 follows": goOn(0) + one + pause + marked(markLock, 0, 0x700000) + end + one,
	} {
		if _, err := importThreads(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	plain := Capture{Path: write(t, "a.txt", one), Disassembly: write(t, "a.dis", disassembly), Threads: true}
	if err := Import([]Capture{plain}, filepath.Join(t.TempDir(), "o"), Options{}); err == nil || !strings.Contains(err.Error(), "no function capture_mark") {
		t.Errorf("a program without the capture: %v", err)
	}
	if err := Import([]Capture{plain, plain}, filepath.Join(t.TempDir(), "o"), Options{}); err == nil || !strings.Contains(err.Error(), "alone in its trace") {
		t.Errorf("two processes: %v", err)
	}
}
