// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/warptape/warptape/frontend/cuda/fatbin"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// module is an image that the program brought; it is loaded when something of it is used.
type module struct {
	name  string
	image []byte
	// unlinked modules of a program become one, in which renamed names have others.
	unlinked bool
	renamed  map[string]string
	source   *ptx.Module
	loaded   *emulator.Module
	err      error
	tried    bool
	// compiled is what it was made of, if here; offsets is its variant that heeds the
	// offsets of launches.
	compiled *CompileRequest
	offsets  *module
}

// kernel is a kernel that the program has found.
type kernel struct {
	name   string
	loaded *emulator.LoadedKernel // nil when its module was unloaded, whose error says so
	module *module
	number uint64 // of the session's kernels
	// offsets is its variant that heeds the offsets of launches.
	offsets *kernel
	// index is the sink's number, -1 before the first launch.
	index int
}

const (
	maxModules = 1 << 16
	maxKernels = 1 << 20
	// maxImageBytes bounds the images that wait for their first use, together.
	maxImageBytes = 2 << 30
)

func (s *session) addModule(q *wire.Module) ([]byte, error) {
	if len(s.modules) >= maxModules {
		return nil, refuse(errMemory, "more than %d modules", maxModules)
	}
	if s.imageBytes += int64(len(q.Image)); s.imageBytes > maxImageBytes {
		s.imageBytes -= int64(len(q.Image))
		return nil, refuse(errMemory, "modules of more than %d bytes together that are not loaded yet", int64(maxImageBytes))
	}
	s.modules = append(s.modules, &module{name: fmt.Sprintf("%s.%d.ptx", s.program, len(s.modules)), image: q.Image, unlinked: fatbin.Unlinked(q.Image)})
	return wire.AppendNumbers(nil, uint64(len(s.modules)-1)), nil
}

// module gives a loaded module.
func (s *session) module(id uint64) (*module, error) {
	if id >= uint64(len(s.modules)) {
		return nil, refuse(errInvalidHandle, "there is no module %d", id)
	}
	m := s.modules[id]
	if !m.tried {
		if m.unlinked {
			s.link()
		} else {
			m.tried = true
			m.err = s.load(m)
			s.forget(m)
		}
	}
	return m, m.err
}

// forget lets go of a module's image.
func (s *session) forget(m *module) {
	s.imageBytes -= int64(len(m.image))
	m.image = nil
}

func (s *session) load(m *module) error {
	text, err := fatbin.PTX(m.image)
	if err != nil {
		status := uint32(errInvalidImage)
		if errors.Is(err, fatbin.ErrNoPTX) {
			status = errNoImage
		}
		return refuse(status, "%s: %w", m.name, err)
	}
	return s.loadText(m, text)
}

// link makes one module of all unlinked ones that are not yet part of another: objects of
// a program have told theirs before its main function begins.
func (s *session) link() {
	whole := &module{name: s.program + ".linked.ptx"}
	var parts []*module
	var texts []ptx.Unlinked
	for _, m := range s.modules {
		if !m.unlinked || m.tried {
			continue
		}
		text, err := fatbin.PTX(m.image)
		if err != nil && whole.err == nil {
			whole.err = refuse(errInvalidImage, "%s: %w", m.name, err)
		}
		parts, texts = append(parts, m), append(texts, ptx.Unlinked{File: m.name, Text: text})
	}
	var renamed []map[string]string
	if whole.err == nil {
		var text []byte
		var err error
		if text, renamed, err = ptx.Merge(texts); err != nil {
			whole.err = refuse(errInvalidPTX, "%w", err)
		} else {
			whole.err = s.loadText(whole, text)
		}
	}
	for i, m := range parts {
		m.tried = true
		s.forget(m)
		m.source, m.loaded, m.err = whole.source, whole.loaded, whole.err
		if renamed != nil {
			m.renamed = renamed[i]
		}
	}
}

// inText is the name that something of the module has in the loaded text.
func (m *module) inText(name string) string {
	if other := m.renamed[name]; other != "" {
		return other
	}
	return name
}

func (s *session) loadText(m *module, text []byte) (err error) {
	if m.source, err = ptx.Parse(m.name, text); err != nil {
		return refuse(errInvalidPTX, "%w", err)
	}
	if m.loaded, err = s.device.LoadModule(m.source); err != nil {
		return refuse(errInvalidPTX, "%w", err)
	}
	sum := sha256.Sum256(text)
	s.sink.UpdateHeader(func(h *trace.Header) {
		h.PTX = append(h.PTX, trace.SourceDigest{Name: m.name, Digest: hex.EncodeToString(sum[:])})
	})
	return nil
}

// unload gives back what a module has: its variables, its text, its kernels. The numbers of the
// module and of its kernels stay, and are refused. Parts of a linked program share one
// module, which stays.
func (s *session) unload(q *wire.Unload) ([]byte, error) {
	if q.Module >= uint64(len(s.modules)) {
		return nil, refuse(errInvalidHandle, "there is no module %d", q.Module)
	}
	m := s.modules[q.Module]
	if m.unlinked {
		return wire.AppendNumbers(nil, 0), nil
	}
	if errors.Is(m.err, errUnloaded) {
		return nil, m.err
	}
	var variables []uint64
	if m.loaded != nil {
		variables = m.loaded.Variables()
		if err := m.loaded.Unload(); err != nil {
			return nil, refuse(errInvalidHandle, "%w", err)
		}
	}
	s.forget(m)
	for _, k := range s.kernels {
		if k.module == m {
			k.loaded = nil
		}
	}
	*m = module{name: m.name, tried: true, err: refuse(errInvalidHandle, "module %d (%s) %w", q.Module, m.name, errUnloaded)}
	return wire.AppendNumbers(wire.AppendNumbers(nil, uint64(len(variables))), variables...), nil
}

var errUnloaded = errors.New("has been unloaded")

// loadable loads a module now, and gives what is wrong with it. Where the device refuses
// what is no slip of the text, the trace says that it lacks the kernels.
func (s *session) loadable(q *wire.Load) ([]byte, error) {
	m, err := s.module(q.Module)
	var c *cudaError
	switch {
	case err == nil:
		return wire.AppendBytes(wire.AppendNumbers(nil, 0), ""), nil
	case !errors.As(err, &c):
		return nil, err
	}
	s.explain(err)
	if m != nil && m.source != nil {
		for _, k := range m.source.Kernels {
			s.refused(k.Name)
		}
	}
	return wire.AppendBytes(wire.AppendNumbers(nil, uint64(c.status)), err.Error()), nil
}

// function finds a kernel.
func (s *session) function(q *wire.Function) ([]byte, error) {
	m, err := s.module(q.Module)
	if err != nil {
		if !errors.Is(err, errUnloaded) {
			s.refused(q.Name)
		}
		return nil, err
	}
	return s.addKernel(m, q.Name)
}

// addKernel adds a kernel of a module, and describes it.
func (s *session) addKernel(m *module, name string) ([]byte, error) {
	if len(s.kernels) >= maxKernels {
		return nil, refuse(errMemory, "more than %d kernels", maxKernels)
	}
	loaded, err := m.loaded.Kernel(m.inText(name))
	switch {
	case err != nil && m.source.Kernel(m.inText(name)) != nil: // it is there, and refused
		s.refused(name)
		return nil, refuse(errInvalidPTX, "%w", err)
	case err != nil:
		return nil, refuse(errNotFound, "%w", err)
	}
	s.kernels = append(s.kernels, &kernel{name: name, loaded: loaded, module: m, number: uint64(len(s.kernels)), index: -1})
	static, source := loaded.Static(), m.source.Kernel(m.inText(name))
	b := wire.AppendNumbers(nil, uint64(len(s.kernels)-1),
		uint64(static.RegistersPerThread), uint64(static.SharedBytes), uint64(static.LocalBytes), uint64(static.ConstBytes), uint64(static.MaxThreads),
		uint64(m.source.VersionMajor*10+m.source.VersionMinor), target(m.source),
		uint64(source.RequiredCluster[0]), uint64(source.RequiredCluster[1]), uint64(source.RequiredCluster[2]), uint64(source.MaxCluster),
		uint64(loaded.ParamBytes()), uint64(len(loaded.Params())))
	for _, p := range loaded.Params() {
		b = wire.AppendNumbers(b, uint64(p.Offset), uint64(p.Bytes), spaces[p.Pointer])
	}
	return b, nil
}

// spaces are the numbers of what parameters point to; zero says nothing.
var spaces = map[ptx.Space]uint64{ptx.SpaceGlobal: 1, ptx.SpaceConst: 2, ptx.SpaceShared: 3}

// target is the number of a module's architecture, such as 70.
func target(m *ptx.Module) uint64 {
	n := uint64(0)
	for _, t := range m.Targets {
		fmt.Sscanf(t, "sm_%d", &n)
	}
	return n
}

// symbol finds a variable.
func (s *session) symbol(q *wire.Symbol) ([]byte, error) {
	m, err := s.module(q.Module)
	if err != nil {
		return nil, err
	}
	address, bytes, err := m.loaded.Symbol(m.inText(q.Name))
	if err != nil {
		return nil, refuse(errNotFound, "%w", err)
	}
	offset := ^uint64(0) // constants are not shared
	if a := s.device.Global.Find(address, bytes); a != nil {
		offset, _ = s.arena.offset(a.Data)
	}
	return wire.AppendNumbers(nil, address, bytes, offset), nil
}
