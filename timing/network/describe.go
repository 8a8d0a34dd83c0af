// SPDX-License-Identifier: Apache-2.0

package network

import "fmt"

// maxDescribed bounds the lines of Describe.
const maxDescribed = 6

// Describe implements Network: what waits for what, from the inputs on, each
// channel of a router once.
func (f *Fabric) Describe() []string {
	var out []string
	for i := range f.sources {
		if s := &f.sources[i]; s.queue.Len() > 0 && len(out) < maxDescribed/2 {
			out = append(out, f.describeSource(i, s))
		}
	}
	for vc := range f.inputs {
		if f.inputs[vc].count > 0 && len(out) < maxDescribed {
			out = append(out, f.describeChannel(vc))
		}
	}
	return out
}

func (f *Fabric) describeSource(i int, s *source) string {
	at := f.topology.Inputs[i]
	where := fmt.Sprintf("input %d at %s: %d packets, the first to output %d", i, f.topology.describe(at.Router), s.queue.Len(), s.queue.Head().To)
	if s.sent > 0 {
		return fmt.Sprintf("%s, %d of %d flits have left by virtual channel %d, with %d credits", where, s.sent, s.queue.Head().Flits, s.channel, f.credits[i*f.vcs+int(s.channel)])
	}
	return where + ", waits for a virtual channel with a credit"
}

// describeChannel says what the packet at the front of an input virtual channel
// waits for.
func (f *Fabric) describeChannel(vc int) string {
	in, port := &f.inputs[vc], vc/f.vcs
	r, t := port/f.ports, f.topology
	entry := f.buffers[vc*f.config.BufferFlits+int(in.first)] >> 1
	p := f.packets[entry]
	where := fmt.Sprintf("%s, input %s, virtual channel %d: %d flits, a packet to output %d", t.describe(r), t.port(port%f.ports), vc%f.vcs, in.count, p.To)
	op := r*f.ports + int(in.port)
	out := &f.outputs[op]
	name := t.port(int(in.port))
	switch {
	case in.channel == none && out.sink != unwired && f.sinks[out.sink].held >= f.sinks[out.sink].limit.Capacity():
		return fmt.Sprintf("%s waits for a place in its queue, where all %d are taken", where, f.sinks[out.sink].held)
	case in.channel == none:
		return fmt.Sprintf("%s waits for a virtual channel of output %s", where, name)
	case f.channels[op*f.vcs+int(in.channel)].credits == 0:
		next := int(out.first) / f.vcs
		return fmt.Sprintf("%s waits for a credit of virtual channel %d of output %s, whose buffer is at input %s of %s", where, in.channel, name, t.port(next%f.ports), t.describe(next/f.ports))
	}
	return fmt.Sprintf("%s may leave by output %s", where, name)
}

// Describe implements Network.
func (x *Crossbar) Describe() []string {
	var out []string
	for i := range x.inputs {
		in := &x.inputs[i]
		if in.queue.Len() == 0 || len(out) == maxDescribed {
			continue
		}
		to := int(in.queue.Head().To)
		line := fmt.Sprintf("input %d: %d packets, the first to output %d", i, in.queue.Len(), to)
		if n := x.outputs[to].queue.Len(); n >= x.outputs[to].limit.Capacity() {
			line += fmt.Sprintf(", whose queue has all its %d places taken", n)
		}
		out = append(out, line)
	}
	for o := range x.outputs {
		if n := x.outputs[o].arrived; n > 0 && len(out) < maxDescribed {
			out = append(out, fmt.Sprintf("output %d: %d packets have arrived and wait to be taken", o, n))
		}
	}
	return out
}
