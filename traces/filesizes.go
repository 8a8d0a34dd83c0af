// SPDX-License-Identifier: Apache-2.0

package traces

import (
	"bytes"
	_ "embed" // for the file of sizes
	"encoding/json"
	"fmt"
)

// FileSizesFile is the generated file with how large the workloads' traces are,
// relative to this package's folder.
const FileSizesFile = "sizes.json"

//go:embed sizes.json
var fileSizesText []byte

// FileSizes is what recording and exporting every workload's small size gave.
type FileSizes struct {
	// Workloads are in the order of their names.
	Workloads []FileSize `json:"workloads"`
}

// FileSize is of one workload at size small, recorded with the seed CatalogueSeed.
// All sizes are in bytes.
type FileSize struct {
	Name string `json:"name"`
	// Digest is the Workload.Digest that was measured, and TinyBytes the file of its
	// size tiny at the default level: it changes when the format or its encoder does.
	Digest    string `json:"digest"`
	TinyBytes int64  `json:"tiny_bytes"`

	WarpInstructions uint64 `json:"warp_instructions"`
	// File is the trace at the default level, Stream its chunks alone: what the warps
	// did, which is what Accel-Sim files hold. Fast and Small are the other levels.
	File   int64 `json:"file"`
	Stream int64 `json:"stream"`
	Fast   int64 `json:"fast"`
	Small  int64 `json:"small"`
	// NoExport says why there is no Accel-Sim export; empty where there is one.
	NoExport string `json:"no_export,omitempty"`
	// Text is the Accel-Sim export; the others are all of it through one run of
	// gzip -9, xz -9 and zstd -3.
	Text int64 `json:"text"`
	Gzip int64 `json:"gzip"`
	XZ   int64 `json:"xz"`
	Zstd int64 `json:"zstd"`
	// DecodeRate is in million warp instructions per second on one core of the
	// machine that measured.
	DecodeRate float64 `json:"decode_rate"`
}

// ReadFileSizes reads the file that this package was built with.
func ReadFileSizes() (*FileSizes, error) { return ParseFileSizes(FileSizesFile, fileSizesText) }

// ParseFileSizes reads such a file; name stands for it in errors.
func ParseFileSizes(name string, text []byte) (*FileSizes, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	s := new(FileSizes)
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w; regenerate it with 'make sizes'", name, err)
	}
	return s, nil
}

// Find returns the entry of a workload, nil if there is none.
func (s *FileSizes) Find(name string) *FileSize {
	for i := range s.Workloads {
		if s.Workloads[i].Name == name {
			return &s.Workloads[i]
		}
	}
	return nil
}

// Text is the content of the file.
func (s *FileSizes) Text() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
