// SPDX-License-Identifier: Apache-2.0

// Package info sums up a trace file: what it holds, and what takes how many bytes.
package info

import (
	"context"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/wtape"
)

// Report describes a trace. All sizes are in bytes.
type Report struct {
	Path   string       `json:"path"`
	Digest string       `json:"digest"` // lower-case hex SHA-256 of the content
	Header trace.Header `json:"header"`
	Totals trace.Totals `json:"totals"`
	Kernel []Kernel     `json:"kernels"`
	Launch []Launch     `json:"launches"`
	Events int          `json:"events"`
	// Sampling is nil unless the trace is a sample that says what it stands for.
	Sampling *trace.Sampling `json:"sampling,omitempty"`

	FileBytes               int64   `json:"file_bytes"`
	Chunks                  int     `json:"chunks"`
	BytesPerWarpInstruction float64 `json:"bytes_per_warp_instruction"` // file bytes over stored warp instructions
	// StoredBytes is the compressed size by kind of frame, RawBytes the
	// uncompressed size of the chunks by kind of column.
	StoredBytes FrameSizes  `json:"stored_bytes"`
	RawBytes    ColumnSizes `json:"raw_bytes"`
	// CPU describes the CPU threads.
	CPU []CPUThread `json:"cpu_threads,omitempty"`
}

// CPUThread sums up one CPU thread.
type CPUThread struct {
	Instructions uint64 `json:"instructions"`
	Chunks       int    `json:"chunks"`
	StoredBytes  int64  `json:"stored_bytes"`
	RawBytes     int64  `json:"raw_bytes"` // before compression
}

// Kernel sums up one kernel.
type Kernel struct {
	Name               string   `json:"name"`
	File               string   `json:"file"`
	Digest             string   `json:"digest"`
	Instructions       int      `json:"instructions"`
	Blocks             int      `json:"basic_blocks"`
	RegistersPerThread uint32   `json:"registers_per_thread"`
	SharedBytes        uint32   `json:"shared_bytes"`
	TimingDependent    []string `json:"timing_dependent,omitempty"`
}

// Launch sums up one launch.
type Launch struct {
	Kernel           string     `json:"kernel"`
	Grid             trace.Dim3 `json:"grid"`             // thread blocks
	Block            trace.Dim3 `json:"block"`            // threads
	Cluster          trace.Dim3 `json:"cluster,omitzero"` // thread blocks, without clusters absent
	Stream           uint32     `json:"stream"`
	StoredBlocks     uint64     `json:"stored_blocks"` // thread blocks in the trace
	WarpInstructions uint64     `json:"warp_instructions"`
	StoredBytes      int64      `json:"stored_bytes"`
}

// FrameSizes are compressed sizes with frame headers.
type FrameSizes struct {
	Chunks   int64 `json:"chunks"`
	Kernels  int64 `json:"kernels"`
	Timeline int64 `json:"timeline"`
	CPU      int64 `json:"cpu,omitzero"`
	Other    int64 `json:"other"` // header, summary, index, footer
}

// ColumnSizes are uncompressed sizes of chunk columns.
type ColumnSizes struct {
	Warps     int64 `json:"warps"` // which sequences each warp uses
	Paths     int64 `json:"paths"`
	Masks     int64 `json:"masks"`
	Guards    int64 `json:"guards"`
	Addresses int64 `json:"addresses"` // kinds, residuals, strides, shapes
	Lanes     int64 `json:"lanes"`     // explicit lane addresses
}

// Gather gathers the report; it reads every chunk for the column sizes and checks the
// digest.
func Gather(r *wtape.Reader) (*Report, error) {
	if err := r.CheckDigest(context.Background()); err != nil {
		return nil, err
	}
	info := &Report{
		Path: r.Name(), Digest: r.Digest(), Header: r.Header(), Totals: r.Totals(),
		Events: len(r.Timeline()), Sampling: r.Sampling(), FileBytes: r.Size(), Chunks: len(r.Chunks()),
	}
	for i := range r.Kernels() {
		k := &r.Kernels()[i]
		info.Kernel = append(info.Kernel, Kernel{
			Name: k.Name, File: k.File, Digest: k.Digest, Instructions: len(k.Instructions), Blocks: len(k.Blocks),
			RegistersPerThread: k.RegistersPerThread, SharedBytes: k.SharedBytes, TimingDependent: k.TimingDependent,
		})
	}
	for i := range r.Launches() {
		l := &r.Launches()[i]
		info.Launch = append(info.Launch, Launch{Kernel: r.Kernels()[l.Kernel].Name, Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Stream: l.Stream})
	}
	info.addFrames(r.Content())
	if err := info.addColumns(r.Content()); err != nil {
		return nil, err
	}
	return info, nil
}

func (info *Report) addFrames(c *content.Content) {
	stored := uint64(0)
	for i := range c.File.Index.Chunks {
		chunk := &c.File.Index.Chunks[i]
		l := &info.Launch[chunk.Launch]
		l.StoredBlocks += uint64(chunk.Blocks)
		l.WarpInstructions += chunk.WarpInstructions
		l.StoredBytes += chunk.Length
		info.StoredBytes.Chunks += chunk.Length
		stored += chunk.WarpInstructions
	}
	if stored > 0 {
		info.BytesPerWarpInstruction = float64(c.File.Size) / float64(stored)
	}
	for _, o := range c.File.Index.Others {
		switch o.Kind {
		case wtapepb.FrameKind_FRAME_KIND_KERNEL:
			info.StoredBytes.Kernels += o.Length
		case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
			info.StoredBytes.Timeline += o.Length
		}
	}
	info.addCPU(c)
	s := &info.StoredBytes
	s.Other = c.File.Size - s.Chunks - s.Kernels - s.Timeline - s.CPU
}

func (info *Report) addCPU(c *content.Content) {
	info.CPU = make([]CPUThread, c.Totals.CPU.Threads)
	for i := range c.File.Index.CPU {
		chunk := &c.File.Index.CPU[i]
		t := &info.CPU[chunk.Thread]
		t.Instructions += uint64(chunk.Instructions)
		t.Chunks++
		t.StoredBytes += chunk.Length
		t.RawBytes += chunk.RawBytes
		info.StoredBytes.CPU += chunk.Length
	}
}

func (info *Report) addColumns(all *content.Content) error {
	var c content.Chunk
	for i := range all.File.Index.Chunks {
		if err := all.ReadChunkNumber(i, &c); err != nil {
			return err
		}
		m, sizes := &c.Decoded.Columns, &info.RawBytes
		sizes.Warps += int64(len(m.WarpPath) + len(m.WarpMasks) + len(m.WarpGuards) + len(m.BlockGap))
		sizes.Paths += m.Paths.Bytes()
		sizes.Masks += m.Masks.Bytes()
		sizes.Guards += m.Guards.Bytes()
		for j := range m.Streams {
			s := &m.Streams[j]
			sizes.Addresses += int64(len(s.Kind) + len(s.Residual) + len(s.Stride) + len(s.Shape))
			sizes.Lanes += int64(len(s.Lanes) + len(s.LaneClass) + len(s.LaneCoded) + len(s.LaneOpen) + len(s.LaneSymbols))
		}
	}
	return nil
}
