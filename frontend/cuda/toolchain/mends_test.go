// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEscapesOfInlinePTX(t *testing.T) {
	for _, c := range []struct {
		name, in, out string
		line, column  int
	}{
		{"a register", `asm("mov.u32 %0, %smid;" : "=r"(a));`, `asm("mov.u32 %0, %%smid;" : "=r"(a));`, 1, 20},
		{"one that is doubled", `asm("mov.u32 %0, %%tid.x; // 5% of" : "=r"(a));`, `asm("mov.u32 %0, %%tid.x; // 5%% of" : "=r"(a));`, 1, 34},
		{"a name in several strings", "f();\nasm(\"{ .reg .pred %p; setp.ne.u32 %p, %1, 0;\"\n\"selp.u32 %0, 1, 2, %p; }\" : \"=r\"(b) : \"r\"(f(a)));\ng(\"%p\");",
			"f();\nasm(\"{ .reg .pred %%p; setp.ne.u32 %%p, %1, 0;\"\n\"selp.u32 %0, 1, 2, %%p; }\" : \"=r\"(b) : \"r\"(f(a)));\ng(\"%p\");", 2, 23},
		{"a longer name stays", `asm("mov %0, %p; mov %1, %pq;" : "=r"(a));`, `asm("mov %0, %%p; mov %1, %pq;" : "=r"(a));`, 1, 16},
		{"a line that is not there", `asm("%x");`, `asm("%x");`, 7, 2},
		{"a column that is not there", `asm("%x");`, `asm("%x");`, 1, 99},
	} {
		if got := mended(c.in, escapes([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestOperandsOfInlinePTXWithoutACommaBetween(t *testing.T) {
	for _, c := range []struct {
		in, out      string
		line, column int
	}{
		{`asm("st [%1], %0;" :: "r"(f(a)) "l"(p) : "memory");`, `asm("st [%1], %0;" :: "r"(f(a)) , "l"(p) : "memory");`, 1, 33},
		{"asm(\"x\" : \"=r\"(a)\n  \"+r\"(b));", "asm(\"x\" : \"=r\"(a)\n  , \"+r\"(b));", 2, 3},
		{`asm("x" :: "r"(a), "l"(p));`, `asm("x" :: "r"(a), "l"(p));`, 1, 20},
		{`f(g(x) "a text");`, `f(g(x) "a text");`, 1, 8},
		{`f(g(x) y);`, `f(g(x) y);`, 1, 8},
		{`f(g(x)`, `f(g(x)`, 3, 1},
	} {
		if got := mended(c.in, commas([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%s became %s", c.in, got)
		}
	}
}

func TestMembersThatATemplateLacks(t *testing.T) {
	for _, c := range []struct {
		in, out      string
		line, column int
	}{
		{"{\n  this->construct(a);", "{\n  [](auto *later) { return later; }(this)->construct(a);", 2, 9},
		{"{ this -> template construct<T>(a);", "{ [](auto *later) { return later; }(this) -> template construct<T>(a);", 1, 20},
		{"{ other->construct(a);", "{ other->construct(a);", 1, 10},
		{"{ a.this_->construct(a);", "{ a.this_->construct(a);", 1, 12},
		{"{ (this)->construct(a);", "{ (this)->construct(a);", 1, 11},
		{"this->x", "this->x", 4, 1},
	} {
		if got := mended(c.in, laterMembers([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%s became %s", c.in, got)
		}
	}
}

func TestAlignasBehindAttributes(t *testing.T) {
	const in = "  __shared__ alignas(alignof(float4)) float a[4];"
	if got := mended(in, alignments([]byte(in), 1, 14)); got != "  __shared__ __align__(alignof(float4)) float a[4];" {
		t.Error(got)
	}
	for _, column := range []int{3, 22, 400} {
		if got := mended(in, alignments([]byte(in), 1, column)); got != in {
			t.Errorf("column %d: %s", column, got)
		}
	}
}

func mended(text string, list []edit) string {
	edits := map[int]edit{}
	for _, e := range list {
		edits[e.at] = e
	}
	return string(edited([]byte(text), edits))
}

func TestSharedMemoryThatIsDevice(t *testing.T) {
	for _, c := range []struct {
		in, out      string
		line, column int
	}{
		{"a;\n  __device__ __shared__ int x[4];", "a;\n             __shared__ int x[4];", 2, 3},
		{"  __shared__ __device__ int x[4];", "  __shared__            int x[4];", 1, 14},
		{"  __device__ int x[4];", "  __device__ int x[4];", 1, 3},
		{"  __device__ int x[4];", "  __device__ int x[4];", 1, 400},
	} {
		if got := mended(c.in, devices([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%q became %q", c.in, got)
		}
	}
}

func TestSharedMemoryOfClassesWithConstructors(t *testing.T) {
	room := func(of, name string) string {
		return "__shared__ __warptape_shared_room<" + of + "> __warptape_room_" + name + "; auto &" + name + " = __warptape_room_" + name + ".value();"
	}
	for _, c := range []struct {
		in, out      string
		line, column int
	}{
		{"{ __shared__ B b; f(b); }", "{ " + room("B", "b") + " f(b); }", 1, 16},
		{"  f();\n  __shared__ cuda::barrier<scope<1, 2>>\n   b ;", "  f();\n  " + room("cuda::barrier<scope<1, 2>>", "b") + "\n", 3, 4},
		{"__shared__ B b[2][ kN ];", room("B[2][ kN ]", "b"), 1, 14},
		{"__shared__ const B<3> *b[2];", room("const B<3> *[2]", "b"), 1, 24},
		{"__shared__ B b, c;", room("B", "b") + " " + room("B", "c"), 1, 14},
		{"__shared__ B b, c;", room("B", "b") + " " + room("B", "c"), 1, 17},
		{"__shared__ unsigned long b,\n c;", room("unsigned long", "b") + " " + room("unsigned long", "c") + "\n", 1, 26},
		{"__shared__ P<int, 2> b, c;", "__shared__ P<int, 2> b, c;", 1, 22},
		{"__shared__ B b, c[2];", "__shared__ B b, c[2];", 1, 14},
		{"__shared__ alignas(8) B b, c;", "__shared__ alignas(8) B b, c;", 1, 25},
		{"__shared__ B b(3);", "__shared__ B b(3);", 1, 14},
		{"__shared__ B b = 3;", "__shared__ B b = 3;", 1, 14},
		{"extern __shared__ B b[];", "extern __shared__ B b[];", 1, 21},
		{"static __shared__ B b;", "static " + room("B", "b"), 1, 21},
		{"__shared__ static B b;", "__shared__ static B b;", 1, 21},
		{"__shared__ alignas(16) B b;", "__shared__ alignas(16) B b;", 1, 26},
		{"B b;", "B b;", 1, 3},
		{"B b;", "B b;", 7, 3},
		{"__shared__ B", "__shared__ B", 1, 12},
	} {
		if got := mended(c.in, rooms([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%q became %q", c.in, got)
		}
	}
}

func TestValuesInDynamicSharedMemory(t *testing.T) {
	reference := func(of, name string) string {
		return "extern __shared__ __align__(1024) unsigned char __warptape_dynamic_shared[]; auto &" + name + " = *reinterpret_cast<" + of + " *>(__warptape_dynamic_shared);"
	}
	for _, c := range []struct {
		in, out      string
		line, column int
	}{
		{"{ extern __shared__ S<A, 2> s; f(s); }", "{ " + reference("S<A, 2>", "s") + " f(s); }", 1, 10},
		{"extern __shared__ S s; f(s);", reference("S", "s") + " f(s);", 1, 8},
		{"f();\nextern\n __shared__ S s\n;", "f();\n" + reference("S", "s") + "\n\n", 3, 2},
		{"extern __shared__ S s[];", "extern __shared__ S s[];", 1, 8},
		{"extern __shared__ S s; g(); __shared__ T t;", "extern __shared__ S s; g(); __shared__ T t;", 1, 29},
		{"__shared__ S s;", "__shared__ S s;", 1, 1},
		{"extern", "extern", 1, 3},
		{"extern __shared__ S s;", "extern __shared__ S s;", 7, 1},
	} {
		if got := mended(c.in, dynamicRoom([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%q became %q", c.in, got)
		}
	}
}

// A compiler that never has enough of the mends ends the build.
func TestEscapesWithoutEnd(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "a.cu")
	if err := os.WriteFile(source, []byte(`asm("`+strings.Repeat("%a ", 100)+`");`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := Builder{overlay: overlay{folder: folder}}
	message := fmt.Sprintf("\x1b[1m%s:1:7: \x1b[0m\x1b[0;1;31merror: \x1b[0m\x1b[1minvalid %% escape in inline assembly string\x1b[0m\n", source)
	plain := colours().ReplaceAll([]byte(message), nil)
	if !b.mend(plain) {
		t.Fatalf("%q names nothing", plain)
	}
	text, err := b.overlay.read(source)
	if err != nil || bytes.Count(text, []byte("%%a ")) != 100 {
		t.Errorf("%s, %v", text, err)
	}
	if b.mend(plain) {
		t.Error("an escape is mended twice")
	}
}

// Messages have colours where a terminal shows them, and nowhere else.
func TestATerminalIsADeviceOfCharacters(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "messages"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !terminal(null) || terminal(file) || terminal(new(bytes.Buffer)) {
		t.Errorf("a device is a terminal: %v, a file: %v, a buffer: %v", terminal(null), terminal(file), terminal(new(bytes.Buffer)))
	}
}
