// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"slices"
	"strings"
	"testing"
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
