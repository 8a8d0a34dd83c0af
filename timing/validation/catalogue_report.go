// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"fmt"
)

// WriteCatalogue writes the section of a machine: the kernels of the catalogue's programs.
func WriteCatalogue(b *bytes.Buffer, machine, configuration string, pairs []Pair) {
	kernels := Kernels(pairs)
	fmt.Fprintf(b, "\n## Programs of the catalogue on `%s`\n\n", machine)
	fmt.Fprintf(b, "%s: %d launches of %d kernels. %s\n\n", configuration, len(pairs), len(kernels), Agree(kernels))
	b.WriteString("| workload | parameters | kernel | launches | GPGPU-Sim, cycles | Warptape, cycles | difference |\n| --- | --- | --- | ---: | ---: | ---: | ---: |\n")
	for i := range kernels {
		k := &kernels[i]
		fmt.Fprintf(b, "| %s | %s | %s | %d | %.0f | %.0f | %+.1f %% |\n", k.Workload, k.Parameters, k.Name, k.Launches, k.Reference, k.Ours, k.Off())
	}
}

// String is the sentence of reports.
func (a Agreement) String() string {
	return fmt.Sprintf("The cycles differ by %.1f %% in the mean of the magnitudes (%+.1f %% with signs), at most by %.1f %%; their logarithms correlate with %.4f.",
		a.Mean, a.Signed, a.Worst, a.Correlation)
}
