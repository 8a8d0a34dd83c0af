// SPDX-License-Identifier: Apache-2.0

package dram

// Takes implements Channel.
func (c *Banked) Takes() bool {
	c.refused = c.refused || c.incoming.Len() == c.entering
	return c.incoming.Len() < c.entering
}

// Takes implements Channel.
func (s *Simple) Takes() bool {
	full := s.limit.Full(s.queue.Len())
	s.refused = s.refused || full
	return !full
}
