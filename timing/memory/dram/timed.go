// SPDX-License-Identifier: Apache-2.0

package dram

// delayed is a request that reaches the queue at a cycle.
type delayed struct {
	request Request
	at      int64
}

// datum is the data of a read that leave the channel at a cycle.
type datum struct {
	at int64
	id uint32
}
