// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"github.com/warptape/warptape/traces"
)

// Progress is how far a run is.
type Progress struct {
	// Measurements of the study, those that the cache had, and those that were made.
	Total, Present, Made int
	// Work is what those take that were or are to be made, Done what those took that were
	// made: in warp instructions, as far as the catalogue knows them.
	Work, Done float64
}

// unknownWork stands for what the catalogue does not know.
const unknownWork = 1e6

// work is what a measurement of the workload takes.
func (w *Workload) work(input string) float64 {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return unknownWork
	}
	if entry := catalogue.Find(w.Name); entry != nil {
		if size := entry.Size(input); size != nil && size.Figures != nil {
			return float64(size.Figures.WarpInstructions)
		}
	}
	return unknownWork
}

// expect counts what there is to do with a workload.
func (r *Runner) expect(j *job) {
	p := &r.progress
	p.Total += len(j.specs)
	p.Present += len(j.specs) - len(j.missing)
	p.Work += float64(j.work * float64(len(j.missing)))
}

// made counts a measurement that is there now.
func (r *Runner) made(j *job) {
	r.progress.Made++
	r.progress.Done += j.work
	r.tell()
}

func (r *Runner) tell() {
	if r.Progress != nil {
		r.Progress(r.progress)
	}
}
