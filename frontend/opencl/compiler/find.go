// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/warptape/warptape/frontend/native/clang"
)

//go:embed source
var sources embed.FS

// libraryVariable names the environment variable that says which libclc to take.
const libraryVariable = "WARPTAPE_LIBCLC"

const (
	target      = "nvptx64--nvidiacl"
	libraryFile = target + ".bc"
)

// Compiler compiles OpenCL C.
type Compiler struct {
	clang *clang.Compiler
	// library is libclc, builtins the project's own functions, by whether they heed
	// offsets.
	library  string
	builtins map[bool]string
	digest   string
}

// libraryPlaces are the folders in which systems have libclc.
func libraryPlaces(c *clang.Compiler) []string {
	return []string{
		filepath.Join(c.Resources, "lib", "libclc"), filepath.Join(c.Resources, "..", "..", "..", "share", "clc"),
		"/usr/lib/clc", "/usr/share/clc", "/usr/lib64/clc", "/usr/local/share/clc", "/usr/local/lib/clc",
	}
}

func findLibrary(c *clang.Compiler) (string, error) {
	if name := os.Getenv(libraryVariable); name != "" {
		if _, err := os.Stat(name); err != nil {
			return "", fmt.Errorf("%s: %w", libraryVariable, err)
		}
		return name, nil
	}
	for _, folder := range libraryPlaces(c) {
		path := filepath.Join(folder, libraryFile)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no libclc (%s) for OpenCL C is here: install it (Debian and Ubuntu: apt install libclc-%d libclc-%d-dev; Fedora: dnf install libclc; Arch: pacman -S libclc), or name the file in %s",
		libraryFile, c.Release, c.Release, libraryVariable)
}

// find finds clang and libclc, and compiles the project's own functions.
func find(ctx context.Context) (*Compiler, error) {
	found, err := clang.Find()
	if err != nil {
		return nil, err
	}
	c := &Compiler{clang: found, builtins: map[bool]string{}}
	if c.library, err = findLibrary(found); err != nil {
		return nil, err
	}
	h := sha256.New()
	fmt.Fprintln(h, found.Digest([]fs.FS{sources}, c.library))
	f, err := os.Open(c.library)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	c.digest = hex.EncodeToString(h.Sum(nil))
	folder, err := clang.Cached("opencl", "builtins-"+c.digest[:24], func(folder string) error { return c.makeBuiltins(ctx, folder) })
	if err != nil {
		return nil, err
	}
	for _, offsets := range []bool{false, true} {
		c.builtins[offsets] = filepath.Join(folder, builtinsFile(offsets))
	}
	return c, nil
}

func builtinsFile(offsets bool) string {
	if offsets {
		return "offsets.bc"
	}
	return "builtins.bc"
}

func (c *Compiler) makeBuiltins(ctx context.Context, folder string) error {
	text, err := sources.ReadFile("source/builtins.cl")
	if err != nil {
		return err
	}
	source := filepath.Join(folder, "builtins.cl")
	if err := os.WriteFile(source, text, 0o666); err != nil {
		return err
	}
	for _, offsets := range []bool{false, true} {
		args := append(c.machine(), "-x", "cl", "-cl-std=CL1.2", "-O2", "-c", "-emit-llvm", "-o", filepath.Join(folder, builtinsFile(offsets)))
		if offsets {
			args = append(args, "-DOFFSETS")
		}
		if out, err := exec.CommandContext(ctx, c.clang.Path, append(args, source)...).CombinedOutput(); err != nil {
			return fmt.Errorf("the functions of OpenCL C do not build with %s: %w\n%s", c.clang.Path, err, out)
		}
	}
	return nil
}

// machine are the options of all that is compiled for the device.
func (c *Compiler) machine() []string {
	return []string{"--target=" + target, "-Xclang", "-target-cpu", "-Xclang", "sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-Wno-unused-command-line-argument"}
}

// Lazy finds the compiler when the first program wants it.
type Lazy struct {
	once     sync.Once
	compiler *Compiler
	err      error
}

func (l *Lazy) get(ctx context.Context) (*Compiler, error) {
	l.once.Do(func() { l.compiler, l.err = find(ctx) })
	return l.compiler, l.err
}

// errOptions is behind complaints about options of a build.
var errOptions = errors.New("invalid option")
