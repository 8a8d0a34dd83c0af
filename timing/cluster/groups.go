// SPDX-License-Identifier: Apache-2.0

package cluster

// Active is how many clusters of n thread blocks are on the machine at a time, when an SM has
// room for perSM of their thread blocks. Each thread block has an SM of its own, or those of a
// cluster share all SMs of a group.
func Active(first []int, perSM, n int) int {
	active := 0
	for g := range len(first) - 1 {
		switch sms := first[g+1] - first[g]; {
		case sms >= n:
			active += sms * perSM / n
		case sms*perSM >= n:
			active++
		}
	}
	return active
}

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
