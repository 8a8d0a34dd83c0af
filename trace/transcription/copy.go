// SPDX-License-Identifier: Apache-2.0

// Package transcription makes traces of traces: it copies one into a target, slices one, and
// merges several.
package transcription

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/transcriber"
	"github.com/warptape/warptape/trace/wtape"
)

// Target takes what Copy copies; *Writer is one. Its methods are those of Writer.
type Target interface {
	AddKernel(*trace.Kernel) (int, error)
	AddEvent(trace.HostEvent) (int, error)
	BeginLaunch(l trace.Launch, after ...int) (int, error)
	BeginBlock(block uint64)
	Visit(warp int, block, mask uint32)
	Guard(warp int, mask uint32)
	Access(warp int, mask uint32, addresses *[trace.WarpSize]uint64)
	AccessStrided(warp int, mask uint32, base uint64, stride int64)
	EndBlock() error
	EndLaunch() error
}

// chunkless is a Target that does not care for CPU threads, nor, unless it says so,
// where chunks begin.
type chunkless struct{ Target }

func (c chunkless) BeginChunk() {
	if w, ok := c.Target.(interface{ BeginChunk() }); ok {
		w.BeginChunk()
	}
}

func (chunkless) BeginCPUThread() (int, error) { return 0, nil }

func (chunkless) BeginCPUChunk() error { return nil }

func (chunkless) AddCPU(*trace.CPUInstruction, bool, []uint64) error { return nil }

func (chunkless) AddCPUSync(trace.CPUSync) error { return nil }

// Copy hands the kernels, events and thread blocks of a trace to a target in the order of
// a recording. A target that embeds a *Writer gets the chunks of the original, so that
// a whole copy has its digest.
func Copy(r *wtape.Reader, to Target) error {
	return transcriber.New(r.Content(), chunkless{to}).Run()
}
