// SPDX-License-Identifier: Apache-2.0

package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// module is a PTX module on the device; its kernels are attributes.
type module struct {
	path    string
	source  *ptx.Module
	loaded  *emulator.Module
	kernels map[string]*kernel
}

// kernel is a kernel of a module, ready to be launched.
type kernel struct {
	name   string
	source *ptx.Module
	loaded *emulator.LoadedKernel
}

// gpu.module(path, macros=None) loads a PTX file, or compiles CUDA C with values for
// macros; its place is relative to the program.
func (r *run) gpuLoadModule(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var values *starlark.Dict
	if err := unpack(args, kwargs, "path", &name, "macros?", &values); err != nil {
		return nil, err
	}
	var macros []Macro
	var err error
	if values != nil {
		if macros, err = macrosOf(values); err != nil {
			return nil, err
		}
	}
	key := name + "\x00" + (&KernelSource{Macros: macros}).variant()
	if m := r.modules[key]; m != nil {
		return m, nil
	}
	if path.IsAbs(name) {
		return nil, fmt.Errorf("%s is outside the host program's folder: copy the file into the folder and name it from there", name)
	}
	file := r.besideProgram(name)
	var text []byte
	if values != nil {
		text, file, err = r.compile(file, macros)
	} else {
		text, err = readFile(r.program.files, file)
	}
	if err != nil {
		return nil, err
	}
	source, err := ptx.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if err := r.noteWarnings(source); err != nil {
		return nil, err
	}
	loaded, err := r.device.LoadModule(source)
	if err != nil {
		return nil, err
	}
	if !r.gate.enter() {
		return nil, errors.New("the run has ended")
	}
	defer r.gate.leave()
	sum := sha256.Sum256(text)
	r.sink.UpdateHeader(func(h *trace.Header) {
		h.PTX = append(h.PTX, trace.SourceDigest{Name: file, Digest: hex.EncodeToString(sum[:])})
	})
	m := &module{path: name, source: source, loaded: loaded, kernels: map[string]*kernel{}}
	r.modules[key] = m
	return m, nil
}

// noteWarnings keeps a module's warnings for the result, or refuses the module.
func (r *run) noteWarnings(m *ptx.Module) error {
	if !r.options.Strict {
		r.result.ModuleWarnings = append(r.result.ModuleWarnings, m.Warnings...)
		return nil
	}
	return ptx.Strict(m)
}

func (m *module) String() string        { return fmt.Sprintf("module(%q)", m.path) }
func (m *module) Type() string          { return "module" }
func (m *module) Freeze()               {}
func (m *module) Truth() starlark.Bool  { return true }
func (m *module) Hash() (uint32, error) { return starlark.String(m.path).Hash() }

// Attr finds a kernel.
func (m *module) Attr(name string) (starlark.Value, error) {
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	loaded, err := m.loaded.Kernel(name)
	if err != nil {
		return nil, err
	}
	k := &kernel{name: name, source: m.source, loaded: loaded}
	m.kernels[name] = k
	return k, nil
}

// AttrNames lists the kernels.
func (m *module) AttrNames() []string {
	names := make([]string, len(m.source.Kernels))
	for i, k := range m.source.Kernels {
		names[i] = k.Name
	}
	return names
}

func (k *kernel) String() string        { return fmt.Sprintf("kernel(%q)", k.name) }
func (k *kernel) Type() string          { return "kernel" }
func (k *kernel) Freeze()               {}
func (k *kernel) Truth() starlark.Bool  { return true }
func (k *kernel) Hash() (uint32, error) { return starlark.String(k.name).Hash() }
