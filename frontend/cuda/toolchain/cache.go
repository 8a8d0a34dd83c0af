package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/warptape/warptape/frontend/cuda/headers"
	"github.com/warptape/warptape/frontend/cuda/runtime"
	"github.com/warptape/warptape/frontend/native/clang"
)

// Kit is the project's headers and runtime library, as files.
type Kit struct{ Include, Library string }

// LoadKit gives the kit, which the first call makes in the user's cache.
func LoadKit(c *clang.Compiler) (*Kit, error) {
	folder, err := clang.Cached("cuda", digest(c), func(work string) error { return makeKit(c, work) })
	if err != nil {
		return nil, err
	}
	return &Kit{Include: filepath.Join(folder, "include"), Library: filepath.Join(folder, "lib")}, nil
}

// digest is that of the sources and the compiler.
func digest(c *clang.Compiler) string {
	h := sha256.New()
	fmt.Fprintln(h, c.Path, c.Version, runtime.Aliases)
	for _, files := range []fs.FS{headers.Files(), runtime.Source()} {
		fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(files, path)
			fmt.Fprintln(h, path, len(data))
			h.Write(data)
			return err
		})
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

func makeKit(c *clang.Compiler, folder string) error {
	source, include, library := filepath.Join(folder, "source"), filepath.Join(folder, "include"), filepath.Join(folder, "lib")
	if err := errors.Join(os.CopyFS(include, headers.Files()), os.CopyFS(source, runtime.Source()), os.Mkdir(library, 0o755)); err != nil {
		return err
	}
	parts, err := filepath.Glob(filepath.Join(source, "*.c"))
	if err != nil {
		return err
	}
	args := []string{"-O2", "-fPIC", "-shared", "-std=gnu11", "-fvisibility=hidden", "-I" + include,
		"-Wl,-soname," + runtime.Library, "-Wl,-z,defs", "-o", filepath.Join(library, runtime.Library)}
	args = append(append(args, parts...), "-lpthread", "-ldl", "-lm")
	if out, err := exec.Command(c.Path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("the runtime library does not build with %s: %w\n%s", c.Path, err, out)
	}
	for _, alias := range runtime.Aliases {
		if err := os.Symlink(runtime.Library, filepath.Join(library, alias)); err != nil {
			return err
		}
	}
	return os.RemoveAll(source)
}

// run runs a tool, with its messages where the caller's go.
func run(stdout, stderr io.Writer, path string, args ...string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd.Run()
}
