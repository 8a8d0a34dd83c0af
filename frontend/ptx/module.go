// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Position is a place in PTX text; Line and Column start at 1.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Module is one translation unit of PTX.
type Module struct {
	File string
	Text []byte
	// VersionMajor and VersionMinor are from .version.
	VersionMajor, VersionMinor int
	Targets                    []string // "sm_70", "debug", "texmode_independent"
	AddressSize                int      // bits: 32 or 64
	// Variables are the module-scope variables, in order.
	Variables []*Variable
	// Kernels are the .entry functions with a body, in order.
	Kernels []*Kernel
	// Functions are the .func functions, in order of their first declaration;
	// Function.Number is one more than the index here.
	Functions []*Function
	// SourceFiles maps .file indexes to names.
	SourceFiles map[int]string
	// Warnings say what the module uses that its .version or .target does not have,
	// by position.
	Warnings []Warning
}

// Lockstep reports whether all targets of a module run the lanes of a warp
// together: independent thread scheduling came with sm_70.
func (m *Module) Lockstep() bool {
	for _, target := range m.Targets {
		n, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "af"))
		if err == nil && n >= 70 {
			return false
		}
	}
	return true
}

// Kernel finds an entry by name; nil when there is none.
func (m *Module) Kernel(name string) *Kernel {
	for _, k := range m.Kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Variable is a variable of a state space, at module or kernel scope.
type Variable struct {
	Position
	Name    string
	Space   Space // SpaceTexture for a .texref, which has neither type nor bytes
	Type    Type
	Align   uint32 // bytes, a power of two
	Bytes   uint64 // total size; zero for an unsized extern array
	Initial []byte // initial bytes, at most Bytes long; the rest is zero
	// Relocations are addresses of other variables inside Initial.
	Relocations []Relocation
	Extern      bool
	// Offset is the place of a SpaceArgument variable in the argument area of
	// its function or kernel, in bytes.
	Offset uint64
}

// Relocation stores the address of Symbol plus Addend at Offset of a variable,
// AddressSize bits wide. Generic is set for generic(symbol).
type Relocation struct {
	Offset uint64
	Symbol *Variable
	// Function is set instead of Symbol for a function's address.
	Function *Function
	Addend   int64
	Generic  bool
	// Mask is, for mask(symbol) with a mask such as 0xFF00, the byte of the
	// address that is stored: 2 of them shifted down by 8 bits. Zero stores all.
	Mask uint64
}

// Store writes an address to data in the module's size of addresses, or the byte of it that the mask selects. It
// gives the number of bytes.
func (r *Relocation) Store(data []byte, address uint64, addressSize int) int {
	switch {
	case r.Mask != 0:
		data[0] = byte(address & r.Mask >> bits.TrailingZeros64(r.Mask))
		return 1
	case addressSize == 32:
		binary.LittleEndian.PutUint32(data, uint32(address))
		return 4
	}
	binary.LittleEndian.PutUint64(data, address)
	return 8
}

// Kernel is one .entry.
type Kernel struct {
	Position
	Name   string
	Module *Module
	Params []*Param
	Code
	// Units are, in a kernel that Link has made, the kernel's own instructions
	// and those of each function that it can call; nil else.
	Units []Unit
	// MaxThreads is the product of .maxntid (or .reqntid), zero when not given;
	// RequiredThreads is .reqntid, zeros when not given.
	MaxThreads      uint32
	RequiredThreads [3]uint32
	// MinBlocksPerSM is .minnctapersm and MaxRegisters .maxnreg, zero when not given.
	MinBlocksPerSM, MaxRegisters uint32
	// ExplicitCluster says that the kernel asks for clusters (.explicitcluster or
	// .reqnctapercluster, 11.7). RequiredCluster is .reqnctapercluster, MaxCluster
	// .maxclusterrank; zeros when not given.
	ExplicitCluster bool
	RequiredCluster [3]uint32
	MaxCluster      uint32
}

// Code is the body of a kernel or of a function.
type Code struct {
	// Registers are the virtual registers that the body uses, in order of
	// declaration; Register.Index is the index here. Names in inner scopes may
	// repeat. A declared register that nothing uses is not among them.
	Registers []*Register
	// Variables are those declared in the body (.shared, .local, and .param for
	// the arguments of calls).
	Variables []*Variable
	// Body holds the instructions in order, without labels; Labels point into it.
	Body   []Instruction
	Labels []*Label
	// ArgumentBytes and ArgumentAlign are the size and alignment of the area
	// that holds SpaceArgument variables; scopes that exclude each other share it.
	ArgumentBytes uint64
	ArgumentAlign uint32
	// FirstLine and LastLine delimit the text.
	FirstLine, LastLine int
}

// Param is a kernel parameter in the packed parameter space (5.1.6).
type Param struct {
	Position
	Name   string
	Type   Type
	Align  uint32
	Offset uint32 // bytes from the start of parameter space
	Bytes  uint32 // more than the type's size for by-value arrays
	// Pointer is the space that .ptr names (5.1.6.3); SpaceNone without it,
	// SpaceGeneric where it names none.
	Pointer Space
}

// Label is a branch target. Index is the index in Kernel.Body of the
// instruction that follows it; len(Body) for a label at the end.
type Label struct {
	Position
	Name  string
	Index int
}

// Register is a virtual register.
type Register struct {
	Name  string
	Type  Type
	Index int
}
