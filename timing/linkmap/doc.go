// SPDX-License-Identifier: Apache-2.0

// Package linkmap draws how busy the links between the routers of a machine's
// networks were in a replay. Routers are drawn where they are, with a line for
// each direction of a link. Its colour and width show the share of cycles in
// which it carried a flit.
package linkmap
