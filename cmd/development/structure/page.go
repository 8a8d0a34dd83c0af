// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"bytes"
	"context"
	_ "embed"
	"path/filepath"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace/wtape"
)

// The files that the package writes.
const (
	PagePath    = "docs/architecture.md"
	PicturePath = "docs/pictures/first-cycles.svg"
)

//go:embed page.md.tmpl
var text string

// folders are the rooms in the order in which a program's work passes them.
var folders = []string{"proto", "trace", "frontend", "timing", "energy", "cmd", "traces"}

// WritePage writes docs/architecture.md for the source tree at root.
func WritePage(b *bytes.Buffer, root string) error {
	list, err := rooms(root, folders)
	if err != nil {
		return err
	}
	return page.Write(b, text, map[string]any{"Rooms": list})
}

// What the picture shows: an SM's first cycles in a replay.
const (
	pictureTrace   = "traces/recorded/saxpy.wtape"
	pictureMachine = "gtx480"
	pictureCycles  = 900
	pictureTracks  = 6 // of a kind
)

// WritePicture draws the first cycles of SM 0 in a launch of a recorded trace.
func WritePicture(b *bytes.Buffer, root string) error {
	r, err := wtape.Open(filepath.Join(root, pictureTrace))
	if err != nil {
		return err
	}
	defer r.Close()
	m, err := arch.Load(pictureMachine)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	recorder := timeline.New(&file, m.Name, m.GPU.SMs, timeline.Options{SM: func(sm int) bool { return sm == 0 }})
	results, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{Workers: 1, Timelines: []*timeline.Recorder{recorder}})
	if err != nil {
		return err
	}
	from := uint64(results[0].Launches[0].Start) // the host's copies come before
	to := from + pictureCycles
	drawing, err := timeline.Read(&file, from, to)
	if err != nil {
		return err
	}
	return drawing.Draw(b, timeline.Picture{From: from, To: to, Groups: []string{"SM 0"}, Tracks: pictureTracks})
}
