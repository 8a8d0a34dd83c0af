// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/cuda/blas"
	"github.com/warptape/warptape/frontend/cuda/fft"
)

// library is one with kernels of its own in the place of a library of NVIDIA's. It is built when the
// first program links it, as its kernels take the compiler half a minute. It then lies in the folder
// of the runtime library, where all builds find it.
type library struct {
	name    string // NVIDIA's
	file    string
	aliases []string
	source  fs.FS
	section string // of docs/cuda.md
}

var libraries = []library{
	{"cuBLAS", blas.Library, blas.Aliases, blas.Source(), "Vectors and matrices"},
	{"cuFFT", fft.Library, fft.Aliases, fft.Source(), "Fourier transforms"},
}

// word is the name by which a linker's option asks for the library.
func (l *library) word() string {
	return strings.TrimSuffix(strings.TrimPrefix(l.file, "lib"), ".so")
}

// staticNames are the options' words that ask for the static library, which is the shared one's name here.
func (l *library) staticNames() []string {
	return []string{l.word() + "_static", l.word() + "_static_nocallback"}
}

// linkedBy reports whether options of a linker ask for the library.
func (l *library) linkedBy(options []string) bool {
	return slices.ContainsFunc(append(l.staticNames(), l.word()), func(word string) bool { return slices.Contains(options, "-l"+word) })
}

// addLibraries makes the libraries that a build links, where they are not there yet.
func (b *Builder) addLibraries() error {
	if b.job.DryRun {
		return nil
	}
	for i := range libraries {
		if l := &libraries[i]; l.linkedBy(b.job.Link) {
			if err := b.addLibrary(l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Builder) addLibrary(l *library) error {
	if _, err := os.Stat(filepath.Join(b.Kit.Library, l.file)); err == nil {
		return nil
	}
	fmt.Fprintf(b.Stderr, "warptape cc: building the library in the place of %s, once\n", l.name)
	work, err := os.MkdirTemp(b.Kit.Folder, ".library-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, l.source); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(work, "*.cu"))
	if err != nil {
		return err
	}
	made := filepath.Join(work, l.file)
	// Kernels for sm_50 run on all machines that programs see by default.
	args := append([]string{"-O3", "-std=c++17", "-arch=sm_50", "-shared", "-Xlinker", "-soname=" + l.file, "-o", made}, sources...)
	job, err := ParseArgs(args)
	if err != nil {
		return err
	}
	var messages bytes.Buffer
	inner := Builder{Clang: b.Clang, Kit: b.Kit, Stdout: io.Discard, Stderr: &messages}
	if err := inner.Build(job); err != nil {
		return fmt.Errorf("the library in the place of %s does not build: %w\n%s", l.name, err, messages.Bytes())
	}
	return b.Kit.place(l, work, made)
}

// place puts a library and its other names into their place, the library itself last: builds
// that run at the same time look for it.
func (k *Kit) place(l *library, work, made string) error {
	var all []error
	for _, alias := range l.aliases {
		link := filepath.Join(work, alias)
		all = append(all, os.Symlink(l.file, link), os.Rename(link, filepath.Join(k.Library, alias)))
	}
	for _, name := range l.staticNames() {
		static := filepath.Join(work, name)
		all = append(all, os.WriteFile(static, []byte("INPUT("+l.file+")\n"), 0o666), os.Rename(static, filepath.Join(k.Library, "lib"+name+".a")))
	}
	return errors.Join(append(all, os.Rename(made, filepath.Join(k.Library, l.file)))...)
}
