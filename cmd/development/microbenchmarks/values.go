// SPDX-License-Identifier: Apache-2.0

package microbenchmarks

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// What the kernels do in a loop, and in how many words of memory at a time.
const (
	chained  = 64
	loads    = 4
	meetings = 16
	counts   = 4

	blockThreads  = 256
	sharedThreads = 1024 // of the rate of shared memory
	atomicThreads = 32 * blockThreads
	wordBytes     = 8   // of a pointer
	longest       = 256 // of the strides, in bytes
)

// cursor goes through the launches of the workload in their order.
type cursor struct {
	launches []replay.Section
	at       int
	err      error
}

// skip passes the launches that say where memory lies.
func (c *cursor) skip() int {
	for c.at < len(c.launches) && c.launches[c.at].Kernel == "address" {
		c.at++
	}
	return c.at
}

// take is the cycles of the next launch, which is of the kernel.
func (c *cursor) take(kernel string) float64 {
	if c.skip(); c.err == nil && (c.at >= len(c.launches) || c.launches[c.at].Kernel != kernel) {
		c.err = fmt.Errorf("%s: launch %d is not of %s", workload, c.at, kernel)
	}
	if c.err != nil {
		return 0
	}
	c.at++
	return float64(c.launches[c.at-1].Cycles)
}

// twice is what the second launch of two takes more than the first, thrice that of the last
// two of three.
func (c *cursor) twice(kernel string) float64 {
	first := c.take(kernel)
	return c.take(kernel) - first
}

func (c *cursor) thrice(kernel string) float64 {
	c.take(kernel)
	return c.twice(kernel)
}

// period is the time in microseconds from the start of a launch to that of the next, which
// follows at once, for the last two of n.
func (c *cursor) period(kernel string, n int, m *arch.Machine) float64 {
	for range n {
		c.take(kernel)
	}
	if c.err != nil {
		return 0
	}
	return float64(c.launches[c.at-1].Start-c.launches[c.at-2].Start) / m.Clocks.CoreMHz
}

func (c *cursor) values(p map[string]float64, m *arch.Machine) map[string]float64 {
	v := map[string]float64{}
	for _, of := range []string{"f32_fma", "int_add", "int_mad", "f64_fma"} {
		v["chain "+of] = c.thrice("chain_"+of) / (chained * p["loops"])
	}
	v["chase l1"] = c.thrice("chase") / p["steps"]
	v["chase l2"] = c.thrice("chase_l2") / p["steps"]
	v["chase 512 KiB"] = c.thrice("chase") / p["steps"]
	v["chase memory"] = c.twice("chase") / p["steps"]
	for stride := wordBytes; stride <= longest; stride *= 2 {
		v[fmt.Sprintf("stride %d", stride)] = c.twice("chase") / p["steps"]
		if hits := c.launches[max(c.at-1, 0)].Counters[counters.L1ReadHit]; v["grain l1"] == 0 && hits == 0 {
			v["grain l1"] = float64(stride)
		}
	}
	v["grain l2"] = grain(v)
	v["bandwidth l1"] = 2 * blockThreads * wordBytes * loads * p["loops"] / c.thrice("rate_l1")
	v["bandwidth l2"] = p["blocks"] * blockThreads * wordBytes * loads * math.Ceil(p["loops"]/4) / c.thrice("rate_l2")
	v["bandwidth memory"] = p["blocks"] * blockThreads * wordBytes * p["words"] / c.thrice("read_memory") * m.Clocks.CoreMHz / 1000

	v["chase shared"] = c.thrice("chase_shared") / (loads * p["loops"])
	for _, degree := range []int{2, 4, 8, 16, 32} {
		v[fmt.Sprintf("conflict %d", degree)] = c.thrice("chase_shared")/(loads*p["loops"]) - v["chase shared"]
	}
	v["bandwidth shared"] = sharedThreads * 4 * loads * p["loops"] / c.thrice("chase_shared")

	v["atomic chain"] = c.thrice("chain_of_atomics") / p["loops"]
	each := float64(int(p["loops"])/4 + 1)
	for _, apart := range []string{"one word", "words of lines", "words of a line each"} {
		v["atomic "+apart] = atomicThreads * counts * each / c.thrice("atomics")
	}
	for _, threads := range []string{"32", "256", "1024"} {
		v["barrier "+threads] = c.thrice("barriers") / (meetings * p["loops"])
	}
	v["launch empty"] = c.period("empty", int(p["launches"]), m)
	for _, times := range []float64{1, 16} {
		v[fmt.Sprintf("launch %.0f", times*p["threads"])] = c.period("scale", 3, m)
	}
	return v
}

// grain is the smallest stride at which each step in untouched memory takes as long as one
// at the longest stride. There no step finds its bytes in the L2.
func grain(v map[string]float64) float64 {
	stride := wordBytes
	for stride < longest && v[fmt.Sprintf("stride %d", stride)] < 0.9*v[fmt.Sprintf("stride %d", longest)] {
		stride *= 2
	}
	return float64(stride)
}
