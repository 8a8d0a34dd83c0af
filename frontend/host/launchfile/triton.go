// SPDX-License-Identifier: Apache-2.0

package launchfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/warptape/warptape/frontend/ptx"
)

// Triton is what Triton's cache says of a kernel, in a JSON file next to the PTX.
type Triton struct {
	Name   string
	Warps  int    // of a thread block, of 32 threads each
	Shared uint32 // dynamic shared memory in bytes
	Blocks [3]int // of a cluster
	// GlobalScratch and ProfileScratch are the bytes for each thread block that the launcher
	// passes behind the arguments of the source.
	GlobalScratch, ProfileScratch uint64
}

// warpSize is PTX's.
const warpSize = 32

// maxWarps is that of the largest thread block, 1024 threads.
const maxWarps = 32

// ReadTriton reads the JSON file; ok is false when another program wrote it. A file that is
// cut off or broken may be Triton's, and is an error.
func ReadTriton(text []byte) (t *Triton, ok bool, err error) {
	var all struct {
		Name           *string `json:"name"`
		Warps          *int    `json:"num_warps"`
		Blocks         int     `json:"num_ctas"`
		Shared         uint32  `json:"shared"`
		Cluster        []int   `json:"cluster_dims"`
		Target         any     `json:"target"`
		GlobalScratch  uint64  `json:"global_scratch_size"`
		ProfileScratch uint64  `json:"profile_scratch_size"`
	}
	err = json.Unmarshal(text, &all)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, true, fmt.Errorf("it is no whole JSON file (%w), and may be Triton's: let Triton write it again, or take it away and say block and shared in the launch file", err)
	case err != nil && all.Name != nil && bytes.Contains(text, []byte(`"num_warps"`)):
		return nil, true, fmt.Errorf("it is not as Triton writes it: %w", err)
	case err != nil || all.Name == nil || all.Warps == nil:
		return nil, false, nil
	}
	if target, ok := all.Target.(map[string]any); ok {
		if backend, ok := target["backend"].(string); ok && backend != "cuda" {
			return nil, true, fmt.Errorf("it is of Triton's back end %s: cuda has PTX", backend)
		}
	}
	t = &Triton{Name: *all.Name, Warps: *all.Warps, Shared: all.Shared, Blocks: [3]int{1, 1, 1}, GlobalScratch: all.GlobalScratch, ProfileScratch: all.ProfileScratch}
	if t.Warps < 1 || t.Warps > maxWarps {
		return nil, true, fmt.Errorf("num_warps is %d: 1 to %d are possible", t.Warps, maxWarps)
	}
	switch {
	case len(all.Cluster) == 3:
		t.Blocks = [3]int(all.Cluster)
	case all.Blocks > 1:
		t.Blocks[0] = all.Blocks
	}
	for _, n := range t.Blocks {
		if n < 1 || n > 16 {
			return nil, true, fmt.Errorf("a cluster of %v thread blocks", t.Blocks)
		}
	}
	return t, true, nil
}

// cluster is the size of clusters, nil for those of one thread block.
func (t *Triton) cluster() Dimensions {
	if t.Blocks == [3]int{1, 1, 1} {
		return nil
	}
	return t.Blocks[:]
}

// hidden are the arguments that Triton's launcher adds behind those of the source. They are
// memory for each thread block of the whole grid, and for profiling; null pointers where
// the kernel needs none. It is nil when none are missing.
func (t *Triton) hidden(params []*ptx.Param, given int, blocks uint64) []Argument {
	if t == nil || given >= len(params) || len(params)-given > 2 {
		return nil
	}
	sizes, names := []uint64{t.GlobalScratch, t.ProfileScratch}, []string{"global_scratch", "profile_scratch"}
	var list []Argument
	for i, p := range params[given:] {
		if p.Type.Bytes() != 8 || p.Type.Float() {
			return nil
		}
		a := Argument{Value: &Value{text: "0"}}
		if sizes[i] > 0 {
			n := Bytes(sizes[i] * blocks)
			a = Argument{Buffer: &Buffer{Name: names[i], Type: "u8", Bytes: &n}}
		}
		list = append(list, a)
	}
	return list
}
