// SPDX-License-Identifier: Apache-2.0

package dram

import "fmt"

// maxDescribed bounds the banks that Describe lists per channel.
const maxDescribed = 2

// Describe implements Channel.
func (c *Banked) Describe() []string {
	var out []string
	for k := range maxBanks {
		for q := range c.queues {
			if c.queues[q].waiting>>k&1 == 0 || len(out) == maxDescribed {
				continue
			}
			head := int32(c.queues[q].head[k] & entryMask)
			n := 0
			for i := head; i != none; i = c.entries[i].next {
				n++
			}
			e, state := &c.entries[head], "is closed"
			if row := c.banks.row[k]; row != noRow {
				state = fmt.Sprintf("has row %d open", row)
			}
			out = append(out, fmt.Sprintf("bank %d: %d requests wait, the oldest to %s row %d; the bank %s", k, n, direction(e.write), e.row, state))
		}
	}
	return out
}

func direction(write bool) string {
	if write {
		return "write"
	}
	return "read"
}

// Describe implements Channel.
func (s *Simple) Describe() []string {
	return []string{fmt.Sprintf("%d requests wait for the bus, %d reads for their data", s.queue.Len(), s.data.Len())}
}
