// SPDX-License-Identifier: Apache-2.0

//go:build linux

package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/frontend/cuda/headers"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/tracetest"
)

// bench is a place to compile in, with a cache and headers of its own and without a library.
type bench struct {
	compiler clang.Compiler
	kit      *Kit
	log      string // what the compiler was called with
}

func newBench(t *testing.T) *bench {
	t.Helper()
	found, err := clang.Find()
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(folder, "cache"))
	b := &bench{compiler: *found, kit: &Kit{Folder: folder, Include: filepath.Join(folder, "include")}, log: filepath.Join(folder, "log")}
	b.compiler.CXX = filepath.Join(folder, "clang++")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\nexec '%s' \"$@\"\n", b.log, found.CXX)
	if err := os.WriteFile(b.compiler.CXX, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(b.kit.Include, headers.Files()); err != nil {
		t.Fatal(err)
	}
	return b
}

// compile builds what a command line says. It gives the messages, and whether the last call
// of the compiler had a precompiled header.
func (b *bench) compile(t *testing.T, args ...string) (messages string, precompiled bool, err error) {
	t.Helper()
	job, err := ParseArgs(args)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = (&Builder{Clang: &b.compiler, Kit: b.kit, Stdout: &out, Stderr: &out}).Build(job)
	log, _ := os.ReadFile(b.log)
	calls := strings.Split(strings.TrimSpace(string(log)), "\n")
	return out.String(), strings.Contains(calls[len(calls)-1], "-include-pch"), err
}

// object compiles into a file of a name, which objects remember, and gives its bytes.
func (b *bench) object(t *testing.T, want bool, args ...string) []byte {
	t.Helper()
	output := filepath.Join(t.TempDir(), "out")
	messages, precompiled, err := b.compile(t, append(args, "-o", output)...)
	if err != nil || messages != "" {
		t.Fatalf("%v\n%s", err, messages)
	}
	if precompiled != want {
		t.Fatalf("%q: a precompiled header was used: %t", args, precompiled)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The second compilation with the same options precompiles its headers, the third finds them.
// Both make what the first made without.
func TestPrecompiledHeadersChangeNoOutput(t *testing.T) {
	tracetest.Nightly(t)
	type build struct{ source, stage, options string }
	var builds []build
	programs, err := filepath.Glob("../programs/testdata/*.cu")
	if err != nil || len(programs) < 20 {
		t.Fatal(programs, err)
	}
	for _, source := range programs {
		name := filepath.Base(source)
		switch name {
		case "refused.cu", "groups.cu", "clusters.cu", "tensors.cu": // compiled from an overlay
			continue
		}
		for _, options := range []string{"-O0 -arch=sm_80", "-O3 -lineinfo -arch=sm_89", "-O2 -rdc=true -arch=sm_80 -DSEVEN=7 -std=c++17 --use_fast_math", "-O3 --mathematics=calls -arch=sm_90 -DNDEBUG -Xcompiler -fopenmp"} {
			if name == "vectors.cu" && !strings.Contains(options, "sm_90") { // its sums need it
				continue
			}
			builds = append(builds, build{source, "-ptx", options}, build{source, "-c", options})
		}
	}
	b := newBench(t)
	for _, c := range tracetest.Draw(t, builds, 1) {
		args := append(strings.Fields(c.options), c.stage, c.source)
		os.RemoveAll(precompiledCache())
		first := b.object(t, false, args...)
		if second := b.object(t, true, args...); !bytes.Equal(first, second) {
			t.Errorf("%q: the output is another with precompiled headers", args)
		}
		if !tracetest.Whole() { // the third finds what the second has made
			continue
		}
		if third := b.object(t, true, args...); !bytes.Equal(first, third) {
			t.Errorf("%q: the output is another with headers that were precompiled before", args)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A precompiled header is not used where another text would be read without it: a folder of
// the program has a file of the same name, or a header has changed. What clang says of an
// error is what it says without.
func TestPrecompiledHeadersAreWhatWouldBeRead(t *testing.T) {
	tracetest.Nightly(t)
	b, folder := newBench(t), t.TempDir()
	own, source, output := filepath.Join(folder, "own"), filepath.Join(folder, "x.cu"), filepath.Join(folder, "x.ptx")
	if err := os.Mkdir(own, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, source, "__global__ void k(float *x) { *x = sqrtf(*x); }\n#ifdef CHANGED\n#error it is changed\n#endif\n")
	args := []string{"-ptx", "-I" + own, source, "-o", output}
	expect := func(precompiled bool, messages string) {
		t.Helper()
		said, got, err := b.compile(t, args...)
		if got != precompiled || (err != nil) != (messages != "") || !strings.Contains(said, messages) {
			t.Errorf("precompiled %t, %v, it says %q, want %t and %q", got, err, said, precompiled, messages)
		}
	}
	expect(false, "")
	expect(true, "")
	write(t, filepath.Join(own, "cmath"), "#define CHANGED\n#include_next <cmath>\n")
	expect(false, "it is changed")
	if err := os.Remove(filepath.Join(own, "cmath")); err != nil {
		t.Fatal(err)
	}
	expect(true, "")
	write(t, filepath.Join(own, "unlike.h"), "")
	expect(true, "")
	header := filepath.Join(b.kit.Include, "cuda_runtime.h")
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	write(t, header, string(text)+"#define CHANGED\n")
	expect(false, "it is changed")
}

// A compilation uses no precompiled header when clang cannot check that one of its options fits.
func TestPrecompiledHeadersNeedPlainOptions(t *testing.T) {
	for line, want := range map[string]bool{
		"-O3 -lineinfo": true, "-O0 -Iinclude -isystem x -std=c++17 -include y.h -w": true, "-Xcompiler -fopenmp,-fPIC,-march=native,-Wall": true,
		"-G": false, "-g": false, "-MD": false, "-MMD -MF list": false, "-Xcompiler -save-temps": false, "-Xcompiler -ivfsoverlay,x": false, "-pg": false,
		"-Xcompiler -nostdinc": false, "-Xcompiler --sysroot=x": false, "-Xcompiler -fplugin=x/y": false, "-Xcompiler -Wp,-MD": false,
	} {
		job, err := ParseArgs(append(strings.Fields(line), "x.cu"))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, got := (&Builder{job: job}).searched(); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}

func TestDependenciesAreReadFromARule(t *testing.T) {
	got := dependencies("a\\ b.o: /usr/x.h \\\n  /a\\ b/c$$d.h \\\n /e\\#f.h\n")
	if want := []string{"/usr/x.h", "/a b/c$d.h", "/e#f.h"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The cache keeps the headers that were used last.
func TestPrecompiledHeadersHaveABound(t *testing.T) {
	cache := t.TempDir()
	for i := range 40 {
		folder := filepath.Join(cache, fmt.Sprint(i))
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		used := time.Unix(int64(1000+i*7%40), 0)
		if err := os.Chtimes(folder, used, used); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxMarks + 10 {
		mark := filepath.Join(cache, fmt.Sprint("mark", i, markSuffix))
		if err := os.WriteFile(mark, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		made := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(mark, made, made); err != nil {
			t.Fatal(err)
		}
	}
	prunePrecompiled(cache, maxPrecompiled-1)
	for i := range maxMarks + 10 {
		mark := filepath.Join(cache, fmt.Sprint("mark", i, markSuffix))
		if _, err := os.Stat(mark); (err == nil) != (i >= 10) {
			t.Errorf("mark %d: %v", i, err)
		}
		os.Remove(mark)
	}
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != maxPrecompiled-1 {
		t.Errorf("%d are left: %v", len(left), err)
	}
	for _, e := range left {
		if info, err := e.Info(); err != nil || info.ModTime().Unix() <= 1000+40-maxPrecompiled {
			t.Errorf("%s is left: %v", e.Name(), err)
		}
	}
}
