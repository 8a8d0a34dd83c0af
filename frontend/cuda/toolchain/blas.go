// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/warptape/warptape/frontend/cuda/blas"
)

// The library in the place of cuBLAS is built when the first program links it, as its kernels take the
// compiler half a minute. It lies beside the runtime library then, where all builds find it.

// blasWords are the words of a linker that ask for it; the static library is the shared one's name.
var blasWords = []string{"-lcublas", "-lcublas_static"}

// addBLAS makes the library for a build that links it.
func (b *Builder) addBLAS() error {
	if b.job.DryRun || !slices.ContainsFunc(b.job.Link, func(o string) bool { return slices.Contains(blasWords, o) }) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(b.Kit.Library, blas.Library)); err == nil {
		return nil
	}
	fmt.Fprintln(b.Stderr, "warptape cc: building the library in the place of cuBLAS, once")
	work, err := os.MkdirTemp(b.Kit.Folder, ".blas-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, blas.Source()); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(work, "*.cu"))
	if err != nil {
		return err
	}
	made := filepath.Join(work, blas.Library)
	// Kernels for sm_50 run on all machines that programs see by default.
	args := append([]string{"-O3", "-std=c++17", "-arch=sm_50", "-shared", "-Xlinker", "-soname=" + blas.Library, "-o", made}, sources...)
	job, err := ParseArgs(args)
	if err != nil {
		return err
	}
	var messages bytes.Buffer
	inner := Builder{Clang: b.Clang, Kit: b.Kit, Stdout: io.Discard, Stderr: &messages}
	if err := inner.Build(job); err != nil {
		return fmt.Errorf("the library in the place of cuBLAS does not build: %w\n%s", err, messages.Bytes())
	}
	return b.Kit.placeBLAS(work, made)
}

// placeBLAS puts the library and its other names into their place, the library itself last: builds
// that run at the same time look for it.
func (k *Kit) placeBLAS(work, made string) error {
	var all []error
	for _, alias := range blas.Aliases {
		link := filepath.Join(work, alias)
		all = append(all, os.Symlink(blas.Library, link), os.Rename(link, filepath.Join(k.Library, alias)))
	}
	static := filepath.Join(work, "libcublas_static.a")
	all = append(all, os.WriteFile(static, []byte("INPUT("+blas.Library+")\n"), 0o666), os.Rename(static, filepath.Join(k.Library, "libcublas_static.a")))
	return errors.Join(append(all, os.Rename(made, filepath.Join(k.Library, blas.Library)))...)
}
