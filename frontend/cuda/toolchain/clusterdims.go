// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The compiler has no attribute for __cluster_dims__. The headers make it an annotation, whose
// numbers the compiler computes, and which its PTX does not have. So files with the word are
// compiled to the compiler's own language as well, and the annotations become .reqnctapercluster
// in the PTX (PTX ISA 11.7).

const clusterWord = "__cluster_dims__"

// clusterArch is the first architecture with clusters.
const clusterArch = 90

// addClusters adds the sizes of clusters to the PTX of a file. args and own are those of its
// compilation, and list names the files that it has read.
func (b *Builder) addClusters(args, own []string, in *Input, target, list string) error {
	if b.job.DryRun || !b.hasClusters(list) {
		return nil
	}
	file := filepath.Join(b.work, "clusters.ll")
	all := slices.Concat(args, own, []string{"-w", "-emit-llvm", "-o", file, in.Path}, b.overlay.options())
	if err := b.runSaying(b.Stderr, b.Clang.CXX, all...); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	clusters, err := clusterDims(text)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	if len(clusters) == 0 {
		return nil
	}
	if b.job.Arch < clusterArch {
		return fmt.Errorf("%s: kernel %s has %s, which needs compute capability 9.0: build with -arch=sm_90", in.Path, clusters[0].kernel, clusterWord)
	}
	code, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	if code, err = withClusters(code, clusters); err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	return os.WriteFile(target, code, 0o666)
}

// hasClusters reports whether one of the program's files in a list for make has the word.
func (b *Builder) hasClusters(list string) bool {
	text, err := os.ReadFile(list)
	if err != nil {
		return false
	}
	for _, path := range prerequisites(text) {
		if b.ours(path) {
			continue
		}
		if file, err := os.ReadFile(path); err == nil && bytes.Contains(file, []byte(clusterWord)) {
			return true
		}
	}
	return false
}

// prerequisites are the files behind the target of a list for make. There a backslash precedes
// a space of a name, and the end of a line that goes on.
func prerequisites(list []byte) (paths []string) {
	_, rest, _ := strings.Cut(strings.ReplaceAll(string(list), "\\\n", " "), ": ")
	for _, path := range strings.Fields(strings.ReplaceAll(rest, `\ `, "\x00")) {
		paths = append(paths, strings.ReplaceAll(path, "\x00", " "))
	}
	return paths
}

// clusterOf is the size of a kernel's clusters in thread blocks.
type clusterOf struct {
	kernel string
	dims   [3]uint64
}

var (
	annotationName = lazily(`(?m)^(@[\w.$]+|@"[^"]+") = .*c"warptape_cluster_dims\\00"`)
	annotationArgs = lazily(`(?m)^(@[\w.$]+) = private unnamed_addr constant \{[^}]*\} (\{[^}]*\}|zeroinitializer), section "llvm.metadata"`)
	annotations    = lazily(`\{ ptr (@[\w.$]+|@"[^"]+"), ptr (@[\w.$]+), ptr @[\w.$]+, i32 \d+, ptr (@[\w.$]+|null) \}`)
	constant       = lazily(`i\d+ (-?\d+)`)
)

// clusterDims finds the annotations in a text of the compiler.
func clusterDims(text []byte) (list []clusterOf, err error) {
	name := annotationName().FindSubmatch(text)
	if name == nil {
		return nil, nil
	}
	args := map[string]string{}
	for _, m := range annotationArgs().FindAllSubmatch(text, -1) {
		args[string(m[1])] = string(m[2])
	}
	for _, m := range annotations().FindAllSubmatch(text, -1) {
		if !bytes.Equal(m[2], name[1]) {
			continue
		}
		c := clusterOf{strings.Trim(string(m[1][1:]), `"`), [3]uint64{1, 1, 1}}
		numbers := constant().FindAllStringSubmatch(args[string(m[3])], -1)
		if len(numbers) < 1 || len(numbers) > 3 {
			return nil, fmt.Errorf("kernel %s: %s takes one to three numbers above zero", c.kernel, clusterWord)
		}
		for i, n := range numbers {
			if c.dims[i], err = strconv.ParseUint(n[1], 10, 32); err != nil || c.dims[i] == 0 {
				return nil, fmt.Errorf("kernel %s: %s has %s; it takes one to three numbers above zero", c.kernel, clusterWord, n[1])
			}
		}
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list, nil
}

// withClusters adds the directive to the kernels of a text, behind their parameters.
func withClusters(code []byte, clusters []clusterOf) ([]byte, error) {
	for _, c := range clusters {
		// Declarations have the bracket on a line of its own.
		at := bytes.Index(code, []byte(".entry "+c.kernel+"("))
		if at < 0 {
			continue // a template that only the host's side instantiates
		}
		end := bytes.IndexByte(code[at:], ')')
		line := bytes.IndexByte(code[at+max(end, 0):], '\n')
		if end < 0 || line < 0 {
			return nil, fmt.Errorf("kernel %s: its PTX has no end of the parameters", c.kernel)
		}
		next := at + end + line + 1
		directive := fmt.Sprintf(".reqnctapercluster %d, %d, %d\n", c.dims[0], c.dims[1], c.dims[2])
		code = slices.Concat(code[:next], []byte(directive), code[next:])
	}
	return code, nil
}
