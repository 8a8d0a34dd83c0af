// SPDX-License-Identifier: Apache-2.0

package cluster

// Groups divides SMs among graphics processing clusters, as evenly as pairs go: two SMs are
// one TPC, which is divided only where there are more groups than pairs, or an odd SM. It gives the first SM of each, and the number of all
// behind. Of 132 SMs in 8 groups, two have 18 and six have 16.
func Groups(sms, groups int) []int {
	groups = max(1, min(groups, sms))
	unit := 2
	if sms%2 != 0 || groups > sms/2 {
		unit = 1
	}
	first := make([]int, groups+1)
	for g := range first {
		first[g] = g * (sms / unit) / groups * unit
	}
	return first
}
