package trace

import (
	"context"

	"github.com/warptape/warptape/proto/wtapepb"
)

// InfoReport describes a trace. All sizes are in bytes.
type InfoReport struct {
	Path   string       `json:"path"`
	Digest string       `json:"digest"` // lower-case hex SHA-256 of the content
	Header Header       `json:"header"`
	Totals Totals       `json:"totals"`
	Kernel []KernelInfo `json:"kernels"`
	Launch []LaunchInfo `json:"launches"`
	Events int          `json:"events"`
	// Sampling is nil unless the trace is a sample that says what it stands for.
	Sampling *Sampling `json:"sampling,omitempty"`

	FileBytes               int64   `json:"file_bytes"`
	Chunks                  int     `json:"chunks"`
	BytesPerWarpInstruction float64 `json:"bytes_per_warp_instruction"` // file bytes over stored warp instructions
	// StoredBytes is the compressed size by kind of frame, RawBytes the
	// uncompressed size of the chunks by kind of column.
	StoredBytes FrameSizes  `json:"stored_bytes"`
	RawBytes    ColumnSizes `json:"raw_bytes"`
	// CPU describes the CPU threads.
	CPU []CPUThreadInfo `json:"cpu_threads,omitempty"`
}

// CPUThreadInfo sums up one CPU thread.
type CPUThreadInfo struct {
	Instructions uint64 `json:"instructions"`
	Chunks       int    `json:"chunks"`
	StoredBytes  int64  `json:"stored_bytes"`
	RawBytes     int64  `json:"raw_bytes"` // before compression
}

// KernelInfo sums up one kernel.
type KernelInfo struct {
	Name               string   `json:"name"`
	File               string   `json:"file"`
	Digest             string   `json:"digest"`
	Instructions       int      `json:"instructions"`
	Blocks             int      `json:"basic_blocks"`
	RegistersPerThread uint32   `json:"registers_per_thread"`
	SharedBytes        uint32   `json:"shared_bytes"`
	TimingDependent    []string `json:"timing_dependent,omitempty"`
}

// LaunchInfo sums up one launch.
type LaunchInfo struct {
	Kernel           string `json:"kernel"`
	Grid             Dim3   `json:"grid"`  // thread blocks
	Block            Dim3   `json:"block"` // threads
	Stream           uint32 `json:"stream"`
	StoredBlocks     uint64 `json:"stored_blocks"` // thread blocks in the trace
	WarpInstructions uint64 `json:"warp_instructions"`
	StoredBytes      int64  `json:"stored_bytes"`
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

// Info gathers the report; it reads every chunk for the column sizes and checks the
// digest.
func Info(r *Reader) (*InfoReport, error) {
	if err := r.CheckDigest(context.Background()); err != nil {
		return nil, err
	}
	info := &InfoReport{
		Path: r.name, Digest: r.Digest(), Header: r.Header(), Totals: r.totals,
		Events: len(r.timeline), Sampling: r.sampling, FileBytes: r.size, Chunks: len(r.index.chunks),
	}
	for i := range r.kernels {
		k := &r.kernels[i]
		info.Kernel = append(info.Kernel, KernelInfo{
			Name: k.Name, File: k.File, Digest: k.Digest, Instructions: len(k.Instructions), Blocks: len(k.Blocks),
			RegistersPerThread: k.RegistersPerThread, SharedBytes: k.SharedBytes, TimingDependent: k.TimingDependent,
		})
	}
	for i := range r.launches {
		l := &r.launches[i]
		info.Launch = append(info.Launch, LaunchInfo{Kernel: r.kernels[l.Kernel].Name, Grid: l.Grid, Block: l.Block, Stream: l.Stream})
	}
	info.addFrames(r)
	if err := info.addColumns(r); err != nil {
		return nil, err
	}
	return info, nil
}

func (info *InfoReport) addFrames(r *Reader) {
	stored := uint64(0)
	for i := range r.index.chunks {
		c := &r.index.chunks[i]
		l := &info.Launch[c.Launch]
		l.StoredBlocks += uint64(c.Blocks)
		l.WarpInstructions += c.WarpInstructions
		l.StoredBytes += c.Length
		info.StoredBytes.Chunks += c.Length
		stored += c.WarpInstructions
	}
	if stored > 0 {
		info.BytesPerWarpInstruction = float64(r.size) / float64(stored)
	}
	for _, o := range r.index.others {
		switch o.kind {
		case wtapepb.FrameKind_FRAME_KIND_KERNEL:
			info.StoredBytes.Kernels += o.length
		case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
			info.StoredBytes.Timeline += o.length
		}
	}
	info.addCPU(r)
	s := &info.StoredBytes
	s.Other = r.size - s.Chunks - s.Kernels - s.Timeline - s.CPU
}

func (info *InfoReport) addCPU(r *Reader) {
	info.CPU = make([]CPUThreadInfo, r.CPUThreads())
	for i := range r.index.cpu {
		c := &r.index.cpu[i]
		t := &info.CPU[c.Thread]
		t.Instructions += uint64(c.Instructions)
		t.Chunks++
		t.StoredBytes += c.Length
		t.RawBytes += c.RawBytes
		info.StoredBytes.CPU += c.Length
	}
}

func (info *InfoReport) addColumns(r *Reader) error {
	c := NewChunk()
	for i := range r.index.chunks {
		if err := r.ReadChunk(i, c); err != nil {
			return err
		}
		m, sizes := &c.columns, &info.RawBytes
		sizes.Warps += int64(len(m.warpPath) + len(m.warpMasks) + len(m.warpGuards) + len(m.blockGap))
		sizes.Paths += m.paths.size()
		sizes.Masks += m.masks.size()
		sizes.Guards += m.guards.size()
		for j := range m.streams {
			s := &m.streams[j]
			sizes.Addresses += int64(len(s.kind) + len(s.residual) + len(s.stride) + len(s.shape))
			sizes.Lanes += int64(len(s.lanes) + len(s.laneClass) + len(s.laneCoded) + len(s.laneOpen) + len(s.laneSymbols))
		}
	}
	return nil
}

func (c *sequenceColumns) size() int64 { return int64(len(c.length) + len(c.code) + len(c.value)) }
