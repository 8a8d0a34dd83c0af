// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/wire"
)

// CompileRequest is a program in OpenCL C, or its objects, to be compiled.
type CompileRequest struct {
	wire.Compile
	// Offsets makes code that heeds the offset of global numbers, which it reads in the
	// driver's registers FirstOffset and the next two.
	Offsets bool
}

// The driver's registers of kernels in OpenCL C: three offsets of global numbers, and how
// many dimensions a launch has. Those of offsets are where NVIDIA's compiler of OpenCL C
// expects them.
const (
	firstOffset   = 3
	dimensionsReg = 31
)

// Compiled is what a compiler has made.
type Compiled struct {
	// OK says that there is an output: PTX with what is known of its kernels in
	// comments, or an object.
	OK bool
	// BadOptions says that the options are at fault.
	BadOptions bool
	Output     []byte
	Log        string
}

// compile compiles OpenCL C, and loads what it makes: what the emulator refuses is in the
// compiler's messages.
func (s *session) compile(q *wire.Compile) ([]byte, error) {
	if s.options.Compile == nil {
		return nil, refuse(errNotSupported, "there is no compiler of OpenCL C here")
	}
	source := q.Stage == wire.StageBuild || q.Stage == wire.StageCompile
	if n := len(q.Inputs); n == 0 || source && n != 1 {
		return nil, refuse(errInvalidValue, "a compilation of %d inputs with %d headers", n, len(q.Names))
	}
	request := &CompileRequest{Compile: *q}
	c, err := s.options.Compile(s.ctx, request)
	if err != nil {
		return nil, refuse(errNoCompiler, "%w", err)
	}
	number := uint64(0)
	if c.OK && (q.Stage == wire.StageBuild || q.Stage == wire.StageLink) {
		if _, err := s.addModule(&wire.Module{Image: c.Output}); err != nil {
			return nil, err
		}
		number = uint64(len(s.modules) - 1)
		s.modules[number].compiled = request
		if _, err := s.module(number); err != nil {
			c.OK, c.Output, c.Log = false, nil, c.Log+err.Error()+"\n"
		}
	}
	ok := uint64(0)
	if c.OK {
		ok = 1
	} else if c.BadOptions {
		ok = 2
	}
	b := wire.AppendBytes(wire.AppendNumbers(nil, ok, number), c.Output)
	return wire.AppendBytes(b, c.Log), nil
}

// withOffsets compiles a module anew so that it heeds offsets.
func (s *session) withOffsets(m *module) ([]byte, error) {
	request := *m.compiled
	request.Offsets = true
	c, err := s.options.Compile(s.ctx, &request)
	if err == nil && !c.OK {
		err = fmt.Errorf("%s", c.Log)
	}
	if err != nil {
		return nil, refuse(errNoCompiler, "code for offsets of global numbers: %w", err)
	}
	return c.Output, nil
}

// binary gives a module's PTX for launches of all kinds.
func (s *session) binary(q *wire.Binary) ([]byte, error) {
	m, err := s.module(q.Module)
	if err != nil {
		return nil, err
	}
	if m.compiled == nil {
		return nil, refuse(errInvalidHandle, "module %d was not compiled here", q.Module)
	}
	text, err := s.withOffsets(m)
	if err != nil {
		return nil, err
	}
	return wire.AppendBytes(nil, text), nil
}

// launchRange launches a kernel of OpenCL C. Of a module that was compiled here a variant
// heeds offsets; the usual one does not read them, as they are zero.
func (s *session) launchRange(q *wire.Range) error {
	if q.Function >= uint64(len(s.kernels)) {
		return refuse(errInvalidFunction, "there is no kernel %d", q.Function)
	}
	k := s.kernels[q.Function]
	if k.loaded == nil {
		return k.module.err
	}
	if q.Offset != [3]uint32{} && k.module.compiled != nil {
		var err error
		if k, err = s.offsetKernel(k); err != nil {
			return err
		}
		q.Function = k.number
	}
	arguments, err := s.constants(k, q)
	if err != nil {
		return err
	}
	launch := q.Launch
	launch.Arguments = arguments
	var environment [32]uint32
	copy(environment[firstOffset:], q.Offset[:])
	environment[dimensionsReg] = q.Dimensions
	return s.launchWith(&launch, environment)
}

// offsetKernel is the variant of a kernel that heeds offsets.
func (s *session) offsetKernel(k *kernel) (*kernel, error) {
	if k.offsets != nil {
		return k.offsets, nil
	}
	m := k.module.offsets
	if m == nil {
		text, err := s.withOffsets(k.module)
		if err != nil {
			return nil, err
		}
		if _, err := s.addModule(&wire.Module{Image: text}); err != nil {
			return nil, err
		}
		number := uint64(len(s.modules) - 1)
		if m, err = s.module(number); err != nil {
			return nil, err
		}
		k.module.offsets = m
	}
	if _, err := s.addKernel(m, k.name); err != nil {
		return nil, err
	}
	k.offsets = s.kernels[len(s.kernels)-1]
	return k.offsets, nil
}

// constants copies the buffers of constant parameters into constant memory, and gives the
// arguments with their places there.
func (s *session) constants(k *kernel, q *wire.Range) ([]byte, error) {
	if len(q.Constants) == 0 {
		return q.Arguments, nil
	}
	arguments := append([]byte(nil), q.Arguments...)
	params := k.loaded.Params()
	var sizes []uint64
	seen := map[uint64]bool{}
	for _, i := range q.Constants {
		if int(i) >= len(params) || params[i].Bytes != 8 || uint64(params[i].Offset)+8 > uint64(len(arguments)) {
			return nil, refuse(errInvalidValue, "kernel %s has no pointer for parameter %d", k.name, i)
		}
		place := arguments[params[i].Offset:]
		address := binary.LittleEndian.Uint64(place)
		if address == 0 {
			continue
		}
		a := s.device.Global.Find(address, 1)
		if a == nil {
			return nil, refuse(errInvalidValue, "parameter %d of kernel %s is no buffer", i, k.name)
		}
		at, err := s.device.ConstantCopy(a.Name, a.Base, a.Bytes)
		if err != nil {
			return nil, refuse(errResources, "parameter %d of kernel %s: %w", i, k.name, err)
		}
		if !seen[a.Base] {
			seen[a.Base] = true
			sizes = append(sizes, a.Bytes)
		}
		binary.LittleEndian.PutUint64(place, at+address-a.Base)
	}
	if err := memory.CheckConstantBuffers(sizes); err != nil {
		return nil, refuse(errResources, "kernel %s: %w", k.name, err)
	}
	return arguments, nil
}
