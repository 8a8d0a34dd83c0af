// SPDX-License-Identifier: Apache-2.0

package arch

// Network joins SMs and L2 slices, one end each.
type Network struct {
	// Topology is "crossbar" (one switch), "mesh" (routers in two dimensions) or
	// "butterfly" (stages of routers).
	Topology    string `yaml:"topology" oneof:"crossbar,mesh,butterfly"`
	FlitBytes   int    `yaml:"flit_bytes" unit:"bytes" range:"1..1024"`
	HeaderBytes int    `yaml:"header_bytes" unit:"bytes" range:"1..1024"`
	// LatencyCycles is that of the crossbar, from input to output.
	LatencyCycles int `yaml:"latency_cycles" unit:"network cycles" range:"1..10000"`
	// InputQueue and OutputQueue are the packets that may wait at an end.
	InputQueue  int `yaml:"input_queue" unit:"packets" range:"1..65536"`
	OutputQueue int `yaml:"output_queue" unit:"packets" range:"1..65536"`

	// RepliesPerCycle is how many packets, each with a sector, an SM takes from the network in a
	// core cycle.
	RepliesPerCycle int `yaml:"replies_per_cycle" unit:"packets" range:"1..16" default:"1" digest:"used"`

	// Sharing is "separate", a network for requests and one for replies, or
	// "shared", one network with half the virtual channels for each.
	Sharing string `yaml:"sharing" oneof:"separate,shared" digest:"used"`
	// VirtualChannels per port, each with a buffer of VCFlits.
	VirtualChannels int `yaml:"virtual_channels" unit:"channels" range:"1..12" digest:"used"`
	VCFlits         int `yaml:"vc_flits" unit:"flits" range:"1..128" digest:"used"`
	// RouterCycles is the depth of a router's pipeline, LinkCycles the latency
	// of a link and of a credit on its way back.
	RouterCycles int `yaml:"router_cycles" unit:"network cycles" range:"1..64" digest:"used"`
	LinkCycles   int `yaml:"link_cycles" unit:"network cycles" range:"1..64" digest:"used"`
	// AllocatorIterations of iSLIP in a cycle.
	AllocatorIterations int `yaml:"allocator_iterations" unit:"iterations" range:"1..8" digest:"used"`
	// Routing of a mesh is "yx" (along the column first) or "xy".
	Routing string `yaml:"routing" oneof:"xy,yx" digest:"used"`
	// Placement of the ends of a mesh, see Machine.MeshPlacement.
	Placement string `yaml:"placement" digest:"used"`
	// A butterfly has Stages columns of Radix x Radix routers.
	Radix  int `yaml:"radix" unit:"ports" range:"2..16" digest:"used"`
	Stages int `yaml:"stages" unit:"stages" range:"1..10" digest:"used"`
}

// unusedKey reports whether a key has no meaning for the topology.
func (n *Network) unusedKey(key string) bool {
	switch key {
	case "latency_cycles":
		return n.Topology != "crossbar"
	case "replies_per_cycle":
		return n.RepliesPerCycle <= 1
	case "routing", "placement", "sharing":
		return n.Topology != "mesh"
	case "radix", "stages":
		return n.Topology != "butterfly"
	case "virtual_channels", "vc_flits", "router_cycles", "link_cycles", "allocator_iterations":
		return n.Topology == "crossbar"
	}
	return false
}

// maxPortChannels is the limit of network.Fabric.
const maxPortChannels = 64

// network finds topologies that do not fit the machine.
func (c *checker) network() {
	n := &c.m.Network
	switch n.Topology {
	case "mesh":
		if _, err := c.m.MeshPlacement(); err != nil {
			c.add(c.latest("network.placement", "network.topology", "gpu.sms", "l2.partitions", "l2.slices_per_partition"), "network.placement: %v", err)
		}
		if n.Sharing == "shared" && n.VirtualChannels < 2 {
			c.add(c.latest("network.sharing", "network.virtual_channels"), "network.sharing: requests and replies that share a mesh need a virtual channel each, and network.virtual_channels is %d; otherwise a reply could wait for a request", n.VirtualChannels)
		}
	case "butterfly":
		if _, err := c.m.ButterflyPlacement(); err != nil {
			c.add(c.latest("network.stages", "network.radix", "network.topology", "gpu.sms", "l2.partitions", "l2.slices_per_partition"), "network.stages: %v", err)
		}
		if n.Radix*n.VirtualChannels > maxPortChannels {
			c.add(c.latest("network.virtual_channels", "network.radix"), "network.virtual_channels: routers of %d ports with %d virtual channels each have %d in all, more than the %d that are modelled", n.Radix, n.VirtualChannels, n.Radix*n.VirtualChannels, maxPortChannels)
		}
	}
}
