// SPDX-License-Identifier: Apache-2.0

// Package kernels compiles variants of kernels for host programs, by clang, and keeps them
// in the user's cache.
package kernels

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/traces"
)

// find looks for the compiler once.
var find = sync.OnceValues(func() (*clang.Compiler, error) { return clang.FindPreferring(traces.Compiler) })

// Compile makes PTX of a kernel as traces/Makefile does. It is a host.Options.Compile.
// Without a clang the error says how to get one.
func Compile(ctx context.Context, s *host.KernelSource) (*host.CompiledKernel, error) {
	compiler, err := find()
	if err != nil {
		return nil, err
	}
	made := &host.CompiledKernel{Compiler: fmt.Sprintf("clang %d", compiler.Release)}
	file := cached(compiler, s)
	if file != "" {
		if made.PTX, err = os.ReadFile(file); err == nil {
			return made, nil
		}
	}
	if made.PTX, err = compile(ctx, compiler, s); err != nil {
		return nil, err
	}
	keep(file, made.PTX)
	return made, nil
}

func options(s *host.KernelSource) []string {
	list := traces.CompilerOptions()
	for _, m := range s.Macros {
		list = append(list, fmt.Sprintf("-D%s=%d", m.Name, m.Value))
	}
	return list
}

func compile(ctx context.Context, compiler *clang.Compiler, s *host.KernelSource) ([]byte, error) {
	work, err := os.MkdirTemp("", "warptape-kernel-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	source := path.Base(s.File)
	for name, text := range map[string][]byte{"warptape.h": traces.Header, source: s.Text} {
		if err := os.WriteFile(filepath.Join(work, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	command := exec.CommandContext(ctx, compiler.Path, append(options(s), "-nostdinc", "-include", "warptape.h", "-o", "kernel.ptx", "./"+source)...)
	command.Dir = work
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if said.Len() > 0 {
			err = errors.New(strings.TrimSpace(said.String()))
		}
		return nil, fmt.Errorf("clang %d: %w", compiler.Release, err)
	}
	return os.ReadFile(filepath.Join(work, "kernel.ptx"))
}

// cached is the file that holds the result, named by all that it depends on; empty where
// the user has no folder for such files.
func cached(compiler *clang.Compiler, s *host.KernelSource) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{compiler.Path, compiler.Version, strings.Join(options(s), " "), string(traces.Header), path.Base(s.File), string(s.Text)} {
		fmt.Fprintf(h, "%d\x00%s", len(part), part)
	}
	return filepath.Join(folder, "warptape", "kernels", hex.EncodeToString(h.Sum(nil))+".ptx")
}

// keep puts the result into the cache. A cache that cannot be written costs time only.
func keep(file string, ptx []byte) {
	if file == "" || os.MkdirAll(filepath.Dir(file), 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".kernel-")
	if err != nil {
		return
	}
	_, err = f.Write(ptx)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
}
