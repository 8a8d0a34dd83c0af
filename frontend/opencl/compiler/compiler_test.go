// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func TestOptionsOfBuilds(t *testing.T) {
	for text, want := range map[string][]string{
		"":                               {"-cl-std=CL1.2"},
		" -D A=1  -DB -I inc -I/abs\t-w": {"-DA=1", "-DB", "-I/home/inc", "-I/abs", "-w", "-cl-std=CL1.2"},
		`-D S="a b" -D 'T=c d'`:          {"-DS=a b", "-DT=c d", "-cl-std=CL1.2"},
		"-cl-std=CL1.1 -cl-fast-relaxed-math -cl-nv-verbose -cl-nv-maxrregcount=32": {"-cl-std=CL1.1", "-cl-fast-relaxed-math"},
	} {
		o, err := parse(text, "/home")
		if err != nil || !reflect.DeepEqual(o.front, want) {
			t.Errorf("%q: %+v, %v", text, o, err)
		}
	}
	// What would have clang load, write or run something is no option of a build.
	for _, text := range []string{"-fplugin=x.so", "-o /etc/x", "-Xclang -load", "@file", "-include x", "-D", "-cl-std=CL2.0", `-D "A`, "program.cl", "-D A\x00"} {
		if _, err := parse(text, "/home"); !errors.Is(err, errOptions) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCalledKernelsGetAFunction(t *testing.T) {
	const other = "define spir_kernel void @other(ptr %0) !dbg !3 {\n  ret void\n}\n"
	if got := callable(other); got != other {
		t.Errorf("a module without calls becomes %q", got)
	}
	const module = other + `define dso_local spir_kernel void @leaf(ptr byval(%struct.s) align 4 %0, i32 noundef %1) local_unnamed_addr #0 !dbg !7 !kernel_arg_addr_space !6 {
  store i32 %1, ptr %0
  ret void
}
define spir_kernel void @root() #0 !dbg !9 {
  tail call spir_kernel void @leaf(ptr byval(%struct.s) align 4 null, i32 1) #3
  call spir_kernel void @elsewhere(i32 1)
  ret void
}
`
	const want = other + `define dso_local spir_kernel void @leaf(ptr byval(%struct.s) align 4 %0, i32 noundef %1) local_unnamed_addr #0 !kernel_arg_addr_space !6 {
  call void @leaf.body(ptr byval(%struct.s) align 4 %0, i32 noundef %1)
  ret void
}

define internal void @leaf.body(ptr byval(%struct.s) align 4 %0, i32 noundef %1) convergent alwaysinline nounwind !dbg !7 {
  store i32 %1, ptr %0
  ret void
}
define spir_kernel void @root() #0 !dbg !9 {
  tail call void @leaf.body(ptr byval(%struct.s) align 4 null, i32 1) #3
  call spir_kernel void @elsewhere(i32 1)
  ret void
}
`
	if got := callable(module); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func FuzzOptions(f *testing.F) {
	f.Add(`-D A="x y" -I. -cl-mad-enable`)
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parse(text, "/home")
		if err != nil {
			return
		}
		for _, w := range o.front {
			if !strings.HasPrefix(w, "-D") && !strings.HasPrefix(w, "-I") && !strings.HasPrefix(w, "-U") && !strings.Contains(strings.Join(passed, " "), w) {
				t.Errorf("%q gives %q", text, w)
			}
		}
	})
}

func TestKernelsAreDescribed(t *testing.T) {
	const module = `define dso_local spir_kernel void @k(ptr addrspace(1) %0, i32 %1) #1 !dbg !15 !kernel_arg_addr_space !16 !kernel_arg_access_qual !17 !kernel_arg_type !18 !kernel_arg_base_type !20 !kernel_arg_type_qual !19 !kernel_arg_name !21 !reqd_work_group_size !22 {
define internal float @helper(float %0) {
define void @other() !kernel_arg_addr_space !30 {
!16 = !{i32 1, i32 0}
!17 = !{!"none", !"none"}
!18 = !{!"float*", !"struct a, b"}
!19 = !{!"const volatile", !""}
!20 = !{!"float*", !"struct c"}
!21 = !{!"in", !"n"}
!22 = !{i32 64, i32 2, i32 1}
!30 = !{}
`
	const want = "//#kernel\tk\t64\t2\t1\t0\t0\t0\n//#argument\t1\tnone\tconst volatile\tfloat*\tin\tfloat*\n//#argument\t0\tnone\t\tstruct a, b\tn\tstruct c\n//#kernel\tother\t0\t0\t0\t0\t0\t0\n"
	if got := string(describe(module)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("define void @k() !kernel_arg_addr_space !0 {\n!0 = !{i32 1, !\"a\"}\n")
	f.Fuzz(func(_ *testing.T, module string) { describe(module) })
}

// build compiles a text, in a cache of the test's own.
func build(t *testing.T, l *Lazy, q *recorder.CompileRequest) *recorder.Compiled {
	t.Helper()
	c, err := clang.Find()
	if err == nil {
		_, err = findLibrary(c)
	}
	if err != nil {
		t.Skip(err)
	}
	out, err := l.Compile(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Sixteen bytes are loaded one by one where their address may be odd.
func TestVectorsOfBytesHaveAnyAddress(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var l Lazy
	for _, space := range []string{"__global", "__local", "__constant"} {
		out := build(t, &l, &recorder.CompileRequest{Compile: wire.Compile{Folder: t.TempDir(), Inputs: [][]byte{[]byte(`__kernel void k(` + space + ` uchar *p, __global uchar16 *out) {
  int i = get_global_id(0);
  out[i] = vload16(0, p + 17 * i) + vload16(1, (` + space + ` char *)p + i).s0;
}`)}}})
		if wide := regexp.MustCompile(`ld\.(global|shared|const)(\.nc)?\.v[24]`).FindString(string(out.Output)); wide != "" {
			t.Errorf("%s: %s loads bytes that may have any address", space, wide)
		}
		if n := len(regexp.MustCompile(`ld\.(global|shared|const)(\.nc)?\.[us]8`).FindAllString(string(out.Output), -1)); n < 16 {
			t.Errorf("%s: %d loads of a byte:\n%s", space, n, out.Output)
		}
	}
}

// What one work item stores to restricted memory before a barrier, others load behind it: LLVM keeps a value in a
// register across the barrier where nothing but the barrier could change the memory.
func TestBarriersChangeRestrictedMemory(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var l Lazy
	out := build(t, &l, &recorder.CompileRequest{Compile: wire.Compile{Folder: t.TempDir(), Inputs: [][]byte{[]byte(`__kernel void k(__global int *restrict now, __global int *restrict out) {
  int was = now[0], first = get_local_id(0) == 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (first) now[0] = was + 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_local_id(0)] = now[0];
}
`)}}})
	text := string(out.Output)
	behind := text[strings.LastIndex(text, "bar")+1:]
	if !out.OK || strings.Count(text, "bar.sync") != 2 || !strings.Contains(behind, "ld.global") {
		t.Errorf("%v %s: no load behind the second barrier:\n%s", out.OK, out.Log, text)
	}
}

// The same program comes from the cache, until a header of it changes; the same program
// that heeds offsets reads the driver's registers, and the usual one does not.
func TestProgramsAreKeptUnderTheirDigest(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	header := filepath.Join(folder, "n.h")
	write := func(text string) {
		if err := os.WriteFile(header, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("#define N 41\n")
	var l Lazy
	q := &recorder.CompileRequest{Compile: wire.Compile{Folder: folder, Inputs: [][]byte{[]byte("#include \"n.h\"\n__kernel void k(__global int *p) { p[get_global_id(0)] = N; }\n")}}}
	first := build(t, &l, q)
	if !first.OK || !strings.Contains(string(first.Output), ", 41;") || strings.Contains(string(first.Output), "envreg") {
		t.Fatalf("%v %s\n%s", first.OK, first.Log, first.Output)
	}
	if _, err := ptx.Parse("k.ptx", first.Output); err != nil {
		t.Error(err)
	}
	if again := build(t, &l, q); string(again.Output) != string(first.Output) {
		t.Error("the second output differs")
	}
	write("#define N 42\n")
	if second := build(t, &l, q); !strings.Contains(string(second.Output), ", 42;") {
		t.Errorf("after a change of the header: %s", second.Output)
	}
	q.Offsets = true
	if other := build(t, &l, q); !strings.Contains(string(other.Output), "%envreg3") {
		t.Errorf("with offsets: %s", other.Output)
	}
	for _, name := range []string{"../x.h", "/x.h"} {
		bad := &recorder.CompileRequest{Compile: wire.Compile{Inputs: q.Inputs, Names: []string{name}, Headers: [][]byte{nil}}}
		if out := build(t, &l, bad); out.OK || !strings.Contains(out.Log, name) {
			t.Errorf("header %q: %v %s", name, out.OK, out.Log)
		}
	}
	broken := build(t, &l, &recorder.CompileRequest{Compile: wire.Compile{Stage: wire.StageLink, Inputs: [][]byte{[]byte("BC\xc0\xde nonsense")}}})
	if broken.OK || broken.Log == "" {
		t.Errorf("an object of nonsense: %v %q", broken.OK, broken.Log)
	}
}

func TestWithoutLibclcTheErrorSaysWhatToInstall(t *testing.T) {
	c := &clang.Compiler{Resources: t.TempDir(), Release: 19}
	for _, place := range libraryPlaces(c)[2:] {
		if _, err := os.Stat(filepath.Join(place, libraryFile)); err == nil {
			t.Skip("it is here")
		}
	}
	if _, err := findLibrary(c); err == nil || !strings.Contains(err.Error(), "apt install libclc-19") {
		t.Error(err)
	}
}
