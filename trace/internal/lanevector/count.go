// SPDX-License-Identifier: Apache-2.0

package lanevector

// Count counts the classes of all lanes, those of every other lane apart: lanes that are next to each
// other are mostly of one class, and adding to one number twice takes longer than to two.
func Count(counts, odd *[256]uint32, classes *[Lanes]byte) {
	if available {
		countBMI2(counts, odd, classes)
		return
	}
	count(counts, odd, classes)
}

func count(counts, odd *[256]uint32, classes *[Lanes]byte) {
	for l := 0; l < Lanes; l += 2 {
		counts[classes[l]]++
		odd[classes[l+1]]++
	}
}

// CountContexts counts classes by their contexts. There is a context for each class.
func CountContexts(counts *[MaxContexts][256]uint32, contexts, classes []byte) {
	if n := min(len(contexts), len(classes)); available && n > 0 {
		countContextsBMI2(&counts[0][0], &contexts[0], &classes[0], uint64(n))
		return
	}
	countContexts(counts, contexts, classes)
}

func countContexts(counts *[MaxContexts][256]uint32, contexts, classes []byte) {
	contexts = contexts[:len(classes)]
	for i, class := range classes {
		counts[contexts[i]%MaxContexts][class]++
	}
}

// CountOpen counts the symbols of the open bits of codes by their tables.
func CountOpen(counts *[nibbleTables][1 << nibbleBits]uint32, codes []uint64, classes []byte) {
	if n := min(len(codes), len(classes)); availableBits && n > 0 {
		countOpenBMI2(&counts[0][0], &codes[0], &classes[0], uint64(n), &openBits)
		return
	}
	countOpen(counts, codes, classes)
}

func countOpen(counts *[nibbleTables][1 << nibbleBits]uint32, codes []uint64, classes []byte) {
	codes = codes[:len(classes)]
	for i, class := range classes {
		open := uint(openBits[class])
		for low := codes[i] & (1<<open - 1); open > 0; {
			place := (open - 1) / nibbleBits * nibbleBits
			counts[NibbleTable(open)][low>>(place&63)%(1<<nibbleBits)]++
			open = place
		}
	}
}
