// SPDX-License-Identifier: Apache-2.0

// Package content holds what a trace file says: header, kernels, events, summary, and where the
// chunks are. It decodes chunks. Package wtape offers it as a Reader; packages that copy,
// check, print or recover traces use more of it.
package content

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
)

// Content is what a file holds: everything but its chunks, and where those are. The reader
// of a trace fills it by the index; the recovery of one fills it with what is whole.
type Content struct {
	Name string // for messages
	File container.File

	// Initial is the header frame's header, Header the summary's.
	Initial, Header trace.Header
	Totals          trace.Totals
	Kernels         []trace.Kernel
	Plans           []*Plan // per kernel; nil for one that is lost
	Launches        []trace.Launch
	Timeline        []trace.HostEvent
	Sampling        *trace.Sampling
	Summarised      bool // the summary is read

	metadataBytes int64 // uncompressed so far
}

// Digest identifies the content: lower-case hex SHA-256, as the footer has it.
func (c *Content) Digest() string { return hex.EncodeToString(c.File.Footer.Digest[:]) }

// LaunchChunks returns the chunks of a launch: numbers first to end-1.
func (c *Content) LaunchChunks(launch int) (first, end int) {
	return c.File.Index.Find(launch, 0), c.File.Index.Find(launch+1, 0)
}

// StoredBlocks is the number of thread blocks of a launch that the index lists.
func (c *Content) StoredBlocks(launch int) uint64 {
	n := uint64(0)
	first, end := c.LaunchChunks(launch)
	for i := range c.File.Index.Chunks[first:end] {
		n += uint64(c.File.Index.Chunks[first+i].Blocks)
	}
	return n
}

// LostLaunch reports whether the kernel of a launch is lost.
func (c *Content) LostLaunch(launch int) bool {
	k := c.Launches[launch].Kernel
	return k < 0 || c.Plans[k] == nil
}

// CheckDigest computes the digest of all frames, and fails when it is not that of the
// footer, or when the index lists other frames than the file has.
func (c *Content) CheckDigest(ctx context.Context) error {
	place := container.NewPlace(&c.File.Index)
	digest := frames.NewDigester()
	var scratch container.Buffer
	end := int64(c.File.Footer.IndexOffset)
	for at := int64(frames.MagicBytes); at < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := c.File.ReadFrameHeader(at, end-at, &scratch)
		if err == nil {
			err = place.Pass(container.FrameInfo{Kind: h.Kind, Offset: at, Length: h.Length()}, h.Raw)
		}
		if err == nil && !h.Ancillary() {
			var raw []byte
			_, raw, err = c.File.ReadFrame(at, h.Length(), &scratch)
			digest.Add(h.Kind, raw)
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = container.ErrBeyondIndex
			}
			return fmt.Errorf("%s: %w", place.FrameName(at, h.Kind), err)
		}
		at += h.Length()
	}
	if err := place.End(); err != nil {
		return err
	}
	return c.CompareDigest(&digest)
}

// CompareDigest fails when a digest is not that of the footer.
func (c *Content) CompareDigest(d *frames.Digester) error {
	if !d.Matches(c.File.Footer.Digest) {
		return fmt.Errorf("the content has digest %x, the footer says %s: frames were exchanged or come from another trace; copy it again or record it again", d.Sum(), c.Digest())
	}
	return nil
}
