// SPDX-License-Identifier: Apache-2.0

package dram

import "github.com/warptape/warptape/timing/limits"

// Certify implements Channel.
func (s *Simple) Certify(c *limits.Certificate) { c.Add(queueKey, &s.limit, 0) }

// Certify implements Channel.
func (c *Banked) Certify(x *limits.Certificate) { x.Add(queueKey, &c.limit, 0) }

// queueKey is the key of an architecture that is the limit of a channel's queue.
const queueKey = "dram.queue"
