// SPDX-License-Identifier: Apache-2.0

package network

// Link is the traffic of one link between two routers.
type Link struct {
	From, To int // routers
	Flits    uint64
}

// Links gives every link between routers, in the order of its output port.
func (f *Fabric) Links() []Link {
	var out []Link
	for i := range f.outputs {
		if o := &f.outputs[i]; o.first != unwired {
			out = append(out, Link{From: i / f.ports, To: int(o.first) / (f.ports * f.vcs), Flits: o.flits})
		}
	}
	return out
}
