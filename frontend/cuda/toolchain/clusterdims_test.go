// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
)

// What clang 19 prints of three kernels. One has an annotation of another kind.
const annotated = `@.str = private unnamed_addr constant [22 x i8] c"warptape_cluster_dims\00", section "llvm.metadata"
@.str1 = private unnamed_addr constant [5 x i8] c"a.cu\00", section "llvm.metadata"
@.str2 = private unnamed_addr constant [6 x i8] c"other\00", section "llvm.metadata"
@.args = private unnamed_addr constant { i32 } { i32 4 }, section "llvm.metadata"
@.args2 = private unnamed_addr constant { i32, i32, i64 } { i32 2, i32 3, i64 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [3 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @_Z1jPi, ptr @.str, ptr @.str1, i32 3, ptr @.args }, { ptr, ptr, ptr, i32, ptr } { ptr @_Z1kPi, ptr @.str2, ptr @.str1, i32 4, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @"$two", ptr @.str, ptr @.str1, i32 4, ptr @.args2 }], section "llvm.metadata"
`

func TestSizesOfClustersInAnnotations(t *testing.T) {
	got, err := clusterDims([]byte(annotated))
	if want := []clusterOf{{"_Z1jPi", [3]uint64{4, 1, 1}}, {"$two", [3]uint64{2, 3, 1}}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, args := range []string{"{ i32 0 }", "{ i32 -2 }", "zeroinitializer", "{ i32 1, i32 1, i32 1, i32 1 }"} {
		if _, err := clusterDims([]byte(strings.Replace(annotated, "{ i32 4 }", args, 1))); err == nil || !strings.Contains(err.Error(), "_Z1jPi") {
			t.Errorf("%s: %v", args, err)
		}
	}
	if got, err := clusterDims([]byte(strings.ReplaceAll(annotated, "warptape_cluster_dims", "nothing"))); err != nil || got != nil {
		t.Errorf("no annotation of ours: %v, %v", got, err)
	}
}

// The directive stands behind the parameters of the definition; declarations stay as they are.
func TestSizesOfClustersInPTX(t *testing.T) {
	const code = ".visible .entry f\n(\n\t.param .u64 f_param_0\n)\n;\n.visible .entry f2()\n{\n}\n.visible .entry f(\n\t.param .u64 f_param_0\n)                   // @f\n.maxntid 128, 1, 1\n{\n}\n"
	got, err := withClusters([]byte(code), []clusterOf{{"f", [3]uint64{2, 1, 1}}, {"f2", [3]uint64{1, 4, 1}}, {"gone", [3]uint64{2, 2, 2}}})
	want := strings.Replace(code, "// @f\n", "// @f\n.reqnctapercluster 2, 1, 1\n", 1)
	want = strings.Replace(want, "f2()\n", "f2()\n.reqnctapercluster 1, 4, 1\n", 1)
	if err != nil || string(got) != want {
		t.Errorf("%v:\n%s", err, got)
	}
	if _, err := withClusters([]byte(".entry f("), []clusterOf{{"f", [3]uint64{2, 1, 1}}}); err == nil {
		t.Error("a text that is cut off is taken")
	}
}

func TestFilesOfAListForMake(t *testing.T) {
	got := prerequisites([]byte("device.o: /a/b.cu /a/with\\ space.h \\\n  /a/c.h\n"))
	if want := []string{"/a/b.cu", "/a/with space.h", "/a/c.h"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The first architecture with clusters takes the sizes, and the one before refuses them.
func TestSizesOfClustersNeedAnArchitectureWithClusters(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"a.cu":    "__global__ void __cluster_dims__(4) j(int *);",
		"list.d":  "device.o: " + path("a.cu") + "\n",
		"code.ll": annotated,
		"clang":   "#!/bin/sh\nfor a; do case $last in -o) cp " + path("code.ll") + " \"$a\";; esac; last=$a; done\n",
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const code = ".visible .entry _Z1jPi(\n\t.param .u64 p\n)\n{\n}\n"
	for arch, ok := range map[int]bool{89: false, 90: true, 100: true} {
		if err := os.WriteFile(path("device.ptx"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		b := &Builder{Clang: &clang.Compiler{CXX: path("clang")}, Kit: &Kit{Include: "/kit"}, Stdout: io.Discard, Stderr: io.Discard, work: folder, job: &Job{Arch: arch}}
		err := b.addClusters(nil, nil, &Input{Path: path("a.cu")}, path("device.ptx"), path("list.d"))
		got, readErr := os.ReadFile(path("device.ptx"))
		if readErr != nil {
			t.Fatal(readErr)
		}
		if (err == nil) != ok || bytes.Contains(got, []byte(".reqnctapercluster 4, 1, 1")) != ok || err != nil && !strings.Contains(err.Error(), "-arch=sm_90") {
			t.Errorf("sm_%d: %v\n%s", arch, err, got)
		}
	}
}

// A list that is asked for with -MF and has no name goes where it goes without -MF.
func TestAListForMakeWithoutANameGoesBesideTheOutput(t *testing.T) {
	for _, host := range [][]string{{"-MD"}, {"-MD", "-MF"}} {
		b := &Builder{job: &Job{Host: host, Stage: StageObject}}
		if path, options := b.dependencyFile(&Input{Path: "a.cu"}, "out/b.o"); path != "out/b.d" || !slices.Equal(options, []string{"-MF", "out/b.d"}) {
			t.Errorf("%q: %s, %q", host, path, options)
		}
	}
}
