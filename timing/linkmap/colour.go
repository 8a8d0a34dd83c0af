// SPDX-License-Identifier: Apache-2.0

package linkmap

import "fmt"

// stops are the colours of 0, 25, 50, 75 and 100 % use. Darker is busier, so that the
// order survives a grey print and the common kinds of colour blindness.
var stops = [...][3]float64{{224, 224, 224}, {254, 204, 92}, {253, 141, 60}, {214, 32, 32}, {90, 0, 30}}

// colour is that of a use between zero and one, as SVG writes it.
func colour(use float64) string {
	at := float64(min(max(use, 0), 1) * float64(len(stops)-1))
	i := min(int(at), len(stops)-2)
	part := at - float64(i)
	var c [3]int
	for k := range c {
		c[k] = int(stops[i][k] + float64(part*(stops[i+1][k]-stops[i][k])) + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}
