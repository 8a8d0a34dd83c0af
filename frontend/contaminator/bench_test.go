// SPDX-License-Identifier: Apache-2.0

package contaminator

import "testing"

// BenchmarkContaminate isolates checked kernel to segments and static part, on
// the largest kernel of the compiler output: liveness, allocation, divergence.
func BenchmarkContaminate(b *testing.B) {
	kernels := referenceKernels(b)
	k := kernels[0]
	for _, other := range kernels {
		if len(other.Body) > len(k.Body) {
			k = other
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Contaminate(k); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(k.Body))*float64(b.N)/b.Elapsed().Seconds(), "instructions/s")
}
