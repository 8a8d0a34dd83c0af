// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

// Of a launch that its program declares independent, a sample needs to execute only the
// thread blocks that it stores. The program promises that none of them reads what
// another has written, and that nothing that the launch writes is looked at. A read of
// any buffer after it, but for gpu.read(keep=False), is refused.

// Chooser is a Sink that stores a part of a launch's thread blocks and knows which
// before they run.
type Chooser interface {
	// Only gives the thread blocks of the launch that has begun which are to run, in
	// ascending order; nil for all of them.
	Only() []trace.Range
}

// chosen is what of a launch is to run; nil for all of it. Thread blocks of a cluster
// read each other's shared memory and always run.
func (r *run) chosen(k *kernel, cluster trace.Dim3, independent bool) []trace.Range {
	c, ok := r.sink.(Chooser)
	if !ok || !independent || k.loaded.ClusterBlocks(cluster) > 1 {
		return nil
	}
	only := c.Only()
	if only != nil && r.partly == nil {
		r.partly = k
	}
	return only
}

// wholeInputs refuses to launch a kernel in whole behind one that ran in part, whose
// results it may read.
func (r *run) wholeInputs(independent bool) error {
	if r.partly == nil || independent {
		return nil
	}
	return fmt.Errorf("it may read what a launch of kernel %s has written; a sample executes a part of that launch, since it was launched with independent=True: launch both so, or neither", r.partly.name)
}

// wholeResults refuses to show what a launch has written in part.
func (r *run) wholeResults(b *buffer) error {
	if r.partly == nil {
		return nil
	}
	return fmt.Errorf("buffer %s may have been written by a launch of kernel %s; a sample executes a part of that launch, since it was launched with independent=True: write gpu.read(..., keep=False), which records the copy alone, or take independent=True away", b.name, r.partly.name)
}
