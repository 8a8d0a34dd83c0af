// SPDX-License-Identifier: Apache-2.0

package soc

import "github.com/warptape/warptape/timing/seam"

// kernels gives running launches the ids that tell their lines apart in the L2
// (section 4.4.2), and knows which SMs have worked for which.
type kernels struct {
	of     []int32 // per SM: the kernel that it works for
	active []kernel
}

// kernel is a launch that runs; its place is its id.
type kernel struct {
	launch int
	sms    uint64 // that have had thread blocks of it
	runs   bool
	ending bool
	ended  bool
}

func (k *kernels) shape(sms int) { k.of = make([]int32, sms) }

// maxKernels is what TagRequests has bits for.
const maxKernels = int(seam.TagMask >> seam.TagShift)

// placed takes note of a thread block of a launch on an SM.
func (k *kernels) placed(launch, sm int) {
	id := k.find(launch)
	if id < 0 {
		id = k.begin(launch)
	}
	k.active[id].sms |= 1 << sm
	k.of[sm] = int32(id)
}

// find is the id of a launch, -1 when it has none.
func (k *kernels) find(launch int) int {
	for i := range k.active {
		if k.active[i].runs && k.active[i].launch == launch {
			return i
		}
	}
	return -1
}

// begin gives a launch the lowest id that is free. There are more ids than launches
// run at the same time.
func (k *kernels) begin(launch int) int {
	for i := range k.active {
		if !k.active[i].runs {
			k.active[i] = kernel{launch: launch, runs: true}
			return i
		}
	}
	if len(k.active) == maxKernels {
		panic("BUG: soc: more kernels run than there are kernel ids")
	}
	k.active = append(k.active, kernel{launch: launch, runs: true})
	return len(k.active) - 1
}

// running is how many kernels have not ended.
func (k *kernels) running() int {
	n := 0
	for i := range k.active {
		if k.active[i].runs {
			n++
		}
	}
	return n
}

// tag is the bits of a kernel's addresses beyond the SM.
func tag(id int32) uint64 { return uint64(id) << seam.TagShift }
