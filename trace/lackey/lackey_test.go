// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// A loop that sums an array, with a call before it, as objdump prints it.
const disassembly = `
prog:     file format elf64-x86-64

0000000000401000 <main>:
  401000:	48 83 ec 08          	sub    $0x8,%rsp
  401004:	e8 07 00 00 00       	call   401010 <kernel>
  401009:	48 83 c4 08          	add    $0x8,%rsp
  40100d:	c3                   	ret

0000000000401010 <kernel>:
  401010:	48 8b 14 c6          	mov    (%rsi,%rax,8),%rdx
  401014:	48 01 10             	add    %rdx,(%rax)
  401017:	48 39 f8             	cmp    %rdi,%rax
  40101a:	75 f4                	jne    401010 <kernel>
  40101c:	48 b8 ef cd ab 89 67 	movabs $0x123456789abcdef,%rax
  401023:	45 23 01
  401026:	c3                   	ret
`

const capture = `==7== Lackey, an example Valgrind tool
I  00401000,4
I  00401004,5
 S 1fff000670,8
I  00401010,4
 L 00500000,8
I  00401014,3
 M 00600000,8
I  00401017,3
I  0040101a,2
I  00401010,4
 L 00500008,8
I  00401014,3
 M 00600000,8
I  00401017,3
I  0040101a,2
I  0040101c,10
I  00401026,1
 L 1fff000670,8
I  00401009,4
I  0040100d,1
 L 1fff000678,8
==7==
==7== Exit code:       0
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func imported(t *testing.T, c Capture) *wtape.Reader {
	t.Helper()
	output := filepath.Join(t.TempDir(), "out.wtape")
	if err := Import([]Capture{c}, output, Options{Tool: "test", PageBytes: 4096}); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestACaptureBecomesAThread(t *testing.T) {
	r := imported(t, Capture{Path: write(t, "a", capture), Disassembly: write(t, "d", disassembly)})
	want := trace.CPUTotals{Threads: 1, Instructions: 14, Branches: 5, TakenBranches: 4, Loads: 6, Stores: 3}
	if diff := cmp.Diff(want, r.Totals().CPU); diff != "" {
		t.Error(diff)
	}
	s, err := statistics.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]uint64{"call": 1, "conditional": 2, "return": 2}, s.CPU.ByBranch); diff != "" {
		t.Error(diff)
	}
	if r.Header().Arguments[trace.CPUPageBytes] != "4096" {
		t.Errorf("arguments %v", r.Header().Arguments)
	}
}

func TestAFunctionIsCutOutUntilItReturns(t *testing.T) {
	r := imported(t, Capture{Path: write(t, "a", capture), Disassembly: write(t, "d", disassembly), Function: "kernel"})
	if got := r.Totals().CPU.Instructions; got != 10 {
		t.Errorf("%d instructions, want 10", got)
	}
	r = imported(t, Capture{Path: write(t, "a", capture), Disassembly: write(t, "d", disassembly), Function: "kernel", Skip: 3, Max: 4})
	if got := r.Totals().CPU; got.Instructions != 4 || got.Loads != 2 || got.Stores != 1 {
		t.Errorf("%+v", got)
	}
}

// Registers by the manual of the instruction set: what is read and what is written.
func TestRegistersOfInstructions(t *testing.T) {
	const r8, xmm0, xmm1 = 11, firstVector, firstVector + 1
	for text, want := range map[string]struct{ reads, writes []uint8 }{
		"mov    (%rsi,%rcx,8),%rdx":      {[]uint8{rsi, rcx}, []uint8{rdx}},
		"mov    %rdx,-0x78(%rsp,%rsi,8)": {[]uint8{rdx, stackPointer, rsi}, nil},
		"add    %eax,%edx":               {[]uint8{rax, rdx}, []uint8{flags, rdx}},
		"lea    0x4(%rdi,%r8,1),%eax":    {[]uint8{rdi, r8}, []uint8{rax}},
		"cmp    %rdi,0x8(%rax)":          {[]uint8{rdi, rax}, []uint8{flags}},
		"test   %al,%al":                 {[]uint8{rax}, []uint8{flags}},
		"xor    %eax,%eax":               {nil, []uint8{flags, rax}},
		"pxor   %xmm0,%xmm0":             {nil, []uint8{xmm0}},
		"addsd  0x8(%rax),%xmm1":         {[]uint8{rax, xmm1}, []uint8{xmm1}},
		"mulsd  %xmm0,%xmm1":             {[]uint8{xmm0, xmm1}, []uint8{xmm1}},
		"movhpd (%rax),%xmm1":            {[]uint8{rax, xmm1}, []uint8{xmm1}},
		"movsd  (%rdi),%xmm0":            {[]uint8{rdi}, []uint8{xmm0}},
		"movsd  %xmm0,(%rsi)":            {[]uint8{xmm0, rsi}, nil},
		"movslq (%rsi,%rax,4),%rcx":      {[]uint8{rsi, rax}, []uint8{rcx}},
		"cmovle %edx,%eax":               {[]uint8{flags, rdx, rax}, []uint8{rax}},
		"sete   %cl":                     {[]uint8{flags}, []uint8{rcx}},
		"idivl  0x10(%rsi)":              {[]uint8{rsi, rax, rdx}, []uint8{rax, rdx, flags}},
		"imul   $0x9,%rdx,%rax":          {[]uint8{rdx, rax}, []uint8{flags, rax}},
		"push   %rbp":                    {[]uint8{stackPointer, rbp}, []uint8{stackPointer}},
		"pop    %rbp":                    {[]uint8{stackPointer}, []uint8{rbp, stackPointer}},
		"ret":                            {[]uint8{stackPointer}, []uint8{instructionPointer, stackPointer}},
		"jne    401010 <kernel>":         {[]uint8{instructionPointer, flags}, []uint8{instructionPointer}},
		"jmp    *0x48(,%rax,8)":          {[]uint8{indirect, rax}, []uint8{instructionPointer}},
		"rep stos %rax,%es:(%rdi)":       {[]uint8{rdi, rsi, rcx, rax}, []uint8{rdi, rsi, rcx}},
		"nopw   %cs:0x0(%rax,%rax,1)":    {nil, nil},
		"cltq":                           {[]uint8{rax}, []uint8{rax}},
		"vaddsd %xmm0,%xmm1,%xmm0":       {[]uint8{xmm0, xmm1}, []uint8{xmm0}},
		"lock cmpxchg %rdx,(%rdi)":       {[]uint8{rdx, rdi, rax}, []uint8{rax, flags}},
		"xchg   %rax,%rdx":               {[]uint8{rax, rdx}, []uint8{rax, rdx}},
		"cs nopw 0x0(%rax,%rax,1)":       {nil, nil},
		"movzbl %ah,%ecx # comment":      {[]uint8{rax}, []uint8{rcx}},
		"shl    $0x3,%rax":               {[]uint8{rax}, []uint8{flags, rax}},
		"adc    %rdx,%rcx":               {[]uint8{flags, rdx, rcx}, []uint8{flags, rcx}},
		"cvtsi2sd %eax,%xmm0":            {[]uint8{rax}, []uint8{xmm0}},
		"mov    %fs:0x28,%rax":           {nil, []uint8{rax}},
		"call   *0x8(%rax)":              {[]uint8{instructionPointer, stackPointer, indirect, rax}, []uint8{instructionPointer, stackPointer}},
		"psubd  %xmm1,%xmm0":             {[]uint8{xmm1, xmm0}, []uint8{xmm0}},
		"popcnt %rdx,%rcx":               {[]uint8{rdx}, []uint8{flags, rcx}},
		"popf":                           {[]uint8{stackPointer}, []uint8{flags, stackPointer}},
		"cqto":                           {[]uint8{rax}, []uint8{rdx}},
		"rdtsc":                          {nil, []uint8{rax, rdx}},
		"mul    %rcx":                    {[]uint8{rcx, rax, rdx}, []uint8{rax, rdx, flags}},
		"lods   %ds:(%rsi),%rax":         {[]uint8{rdi, rsi, rcx, rax}, []uint8{rdi, rsi, rcx, rax}},
		"leave":                          {[]uint8{rbp}, []uint8{rbp, stackPointer}},
	} {
		in := decode(text)
		if diff := cmp.Diff(want.reads, members(in.Sources)); diff != "" {
			t.Errorf("%s reads %s", text, diff)
		}
		if diff := cmp.Diff(want.writes, members(in.Destinations)); diff != "" {
			t.Errorf("%s writes %s", text, diff)
		}
	}
}

func members(list [trace.CPUOperands]uint8) (out []uint8) {
	for _, r := range list {
		if r != 0 {
			out = append(out, r)
		}
	}
	return out
}

func TestKindsOfBranches(t *testing.T) {
	for text, want := range map[string]trace.CPUBranch{
		"jmp    401010 <a>": trace.CPUDirectJump, "jmp    *%rax": trace.CPUIndirectJump, "jmp    *0x2000(%rip)        # 60 <x>": trace.CPUIndirectJump,
		"je     401010 <a>": trace.CPUConditional, "jrcxz  401010 <a>": trace.CPUConditional, "call   401010 <a>": trace.CPUCall,
		"call   *%rdx": trace.CPUIndirectCall, "bnd ret": trace.CPUReturn, "repz ret": trace.CPUReturn, "nop": trace.CPUNoBranch,
	} {
		in := decode(text)
		if got := in.BranchKind(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestBadCapturesAreRefusedWithTheirLine(t *testing.T) {
	good := write(t, "d", disassembly)
	many := "I  00401010,4\n" + strings.Repeat(" L 00500000,8\n", 5) + "== Exit code: 0\n"
	for want, c := range map[string]Capture{
		"is cut off":                          {Path: write(t, "a", capture[:300])},
		"line 3: \"hello world\" is not lack": {Path: write(t, "a", "==1==\nI  00401010,4\nhello world\nI  00401010,4\n")},
		"line 1: an access comes before":      {Path: write(t, "a", " L 00500000,8\nI  00401010,4\n")},
		"401099 is not in the disassembly":    {Path: write(t, "a", "I  00401099,4\n== Exit code: 0\n")},
		"makes more than 4 accesses":          {Path: write(t, "a", many)},
		"holds no instruction":                {Path: write(t, "a", "== Exit code: 0\n")},
		"no function absent":                  {Path: write(t, "a", capture), Function: "absent"},
		"function kernel is never called":     {Path: write(t, "a", "I  00401000,4\n== Exit code: 0\n"), Function: "kernel"},
		"no such file":                        {Path: filepath.Join(t.TempDir(), "absent")},
		"no instruction in it":                {Path: write(t, "a", capture), Disassembly: write(t, "d", "nothing\n")},
		"line 1: address \"zz\"":              {Path: write(t, "a", capture), Disassembly: write(t, "d", "  zz:\t90\tnop\n")},
	} {
		if c.Disassembly == "" {
			c.Disassembly = good
		}
		output := filepath.Join(t.TempDir(), "out.wtape")
		err := Import([]Capture{c}, output, Options{Tool: "test", PageBytes: 4096})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if left, _ := os.ReadDir(filepath.Dir(output)); len(left) != 0 {
			t.Errorf("%s: left %v behind", want, left)
		}
	}
}

// Nothing panics, and what is taken can be read again.
func FuzzCapture(f *testing.F) {
	f.Add(capture, disassembly, "kernel")
	f.Add(capture[:200], disassembly[:150], "")
	f.Add("I  1,2\n M 3,4\n== Exit code:", "0 <f>:\n 1:\t90\tlock xchg %st(1),(%rax,,", "f")
	f.Fuzz(func(t *testing.T, text, code, function string) {
		d, err := ReadDisassembly(strings.NewReader(code))
		if err != nil {
			return
		}
		var file bytes.Buffer
		w, err := wtape.NewWriter(&file, "fuzz", trace.Header{}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if err := Read(w, strings.NewReader(text), d, &Capture{Function: function}); err != nil {
			return
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if err := verification.Verify(r); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkImport isolates parsing of lackey's text and encoding.
func BenchmarkImport(b *testing.B) {
	body := capture[strings.Index(capture, "I  00401010"):strings.Index(capture, "I  0040101c")]
	text := strings.Repeat(body, 2000) + "== Exit code: 0\n"
	d, err := ReadDisassembly(strings.NewReader(disassembly))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		w, err := wtape.NewWriter(&bytes.Buffer{}, "bench", trace.Header{}, wtape.Options{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		if err := Read(w, strings.NewReader(text), d, &Capture{}); err != nil {
			b.Fatal(err)
		}
		w.Abort()
	}
}
