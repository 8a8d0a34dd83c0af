// SPDX-License-Identifier: Apache-2.0

package organisation

import "sync"

// made keeps the processes, as repeaters are chosen by many trials.
var made sync.Map

func processOf(node int, lowPower bool) *process {
	type key struct {
		node     int
		lowPower bool
	}
	k := key{node, lowPower}
	if p, ok := made.Load(k); ok {
		return p.(*process)
	}
	p, _ := made.LoadOrStore(k, newProcess(node, lowPower))
	return p.(*process)
}
