// SPDX-License-Identifier: Apache-2.0

package network

import "github.com/warptape/warptape/timing/limits"

// Certify implements Network.
func (x *Crossbar) Certify(c *limits.Certificate) {
	for i := range x.inputs {
		c.Add(inputQueueKey, &x.inputs[i].limit, 0)
	}
	for o := range x.outputs {
		c.Add(outputQueueKey, &x.outputs[o].limit, 0)
	}
}

// Certify implements Network.
func (f *Fabric) Certify(c *limits.Certificate) {
	for i := range f.sources {
		c.Add(inputQueueKey, &f.sources[i].limit, 0)
	}
	for o := range f.sinks {
		c.Add(outputQueueKey, &f.sinks[o].limit, 0)
	}
}

// Certify implements Network; it speaks of the whole.
func (p *Part) Certify(c *limits.Certificate) { p.whole.Certify(c) }

// The keys of an architecture that are the limits of a network's ends.
const inputQueueKey, outputQueueKey = "network.input_queue", "network.output_queue"
