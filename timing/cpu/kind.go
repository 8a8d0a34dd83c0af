// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	cores "github.com/warptape/warptape/timing/core"
)

func init() {
	cores.Kinds.Register(arch.NoCores, cores.Kind{
		NoKernels: "this chip has CPU cores and no SMs (gpu.core: " + arch.NoCores + "), and executes no GPU kernel; replay CPU programs on it, with --cpu and no trace of a GPU, or take a machine with SMs",
	})
}

// alone are the keys, or their beginnings, that mean something on a chip without SMs.
var alone = []string{
	"name", "description", "gpu.core", Key + ".", "clocks.l2_mhz", "clocks.dram_mhz", "llc.", "dram.",
	"technology.node_nm", "technology.devices", "technology.temperature_k", "technology.voltage_ratio", "technology.clock_gating",
}

// aloneFiles describe machines, and may inherit keys that every machine has.
var aloneFiles = []string{"mimd", "gpsim-soc", "gtx480"}

// checkAlone refuses what would do nothing on a chip without SMs.
func (s *Section) checkAlone(m *arch.Machine, complain func(key, message string)) {
	const nothing = "the chip has no SMs (gpu.core: " + arch.NoCores + ")"
	for _, other := range m.Mechanisms() {
		if other != Key {
			complain("enabled", fmt.Sprintf("%s, so %s would do nothing; leave %s out", nothing, other, other))
		}
	}
	var foreign []string
	for key, origin := range m.Sources() {
		means := func(beginning string) bool { return strings.HasPrefix(key, beginning) }
		if !slices.Contains(aloneFiles, origin.File) && !slices.ContainsFunc(alone, means) {
			foreign = append(foreign, key)
		}
	}
	slices.Sort(foreign)
	for _, key := range foreign {
		complain("enabled", fmt.Sprintf("%s, so %s means nothing; leave it out", nothing, key))
	}
}
