// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// The versions of the tracer that can be read and written.
const (
	oldestVersion = 3
	newestVersion = 6
	// typedVersion is the first that names the files of registers.
	typedVersion = 6
)

// header is the head of a kernel file.
type header struct {
	name                  string
	grid, block           trace.Dim3
	shared, registers     uint32
	stream                uint64
	sharedBase, localBase uint64 // of the generic windows
	version               uint64 // of the tracer
	lineInfo              bool
}

// set takes one "key = value" line; keys that do not matter here are passed over.
func (h *header) set(key, value string) (err error) {
	number := func(bits int) (n uint64) {
		n, err = strconv.ParseUint(value, 0, bits)
		return n
	}
	switch key {
	case "kernel name":
		h.name = value
	case "grid dim":
		h.grid, err = parseDim(value)
	case "block dim":
		h.block, err = parseDim(value)
	case "shmem":
		h.shared = uint32(number(32))
	case "nregs":
		h.registers = uint32(number(32))
	case "cuda stream id":
		h.stream = number(64)
	case "shmem base_addr":
		h.sharedBase = number(64)
	case "local mem base_addr":
		h.localBase = number(64)
	case "accelsim tracer version":
		h.version = number(32)
	case "enable lineinfo":
		h.lineInfo = number(32) != 0
	}
	if err != nil {
		return fmt.Errorf("header %s = %.60q: not a number of the kind that belongs there", key, value)
	}
	return nil
}

func (h *header) check() error {
	switch {
	case h.version < oldestVersion || h.version > newestVersion:
		return fmt.Errorf("accelsim tracer version %d: versions %d to %d can be read; trace the program with one of them", h.version, oldestVersion, newestVersion)
	case h.name == "":
		return fmt.Errorf("the header has no kernel name")
	}
	return nil
}

// parseDim reads (x,y,z).
func parseDim(text string) (d trace.Dim3, err error) {
	parts := strings.Split(strings.Trim(text, "() "), ",")
	if len(parts) != 3 {
		return d, strconv.ErrSyntax
	}
	for i, to := range []*uint32{&d.X, &d.Y, &d.Z} {
		n, err := strconv.ParseUint(strings.TrimSpace(parts[i]), 10, 32)
		if err != nil {
			return d, err
		}
		*to = uint32(n)
	}
	return d, nil
}
