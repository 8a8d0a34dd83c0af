// SPDX-License-Identifier: Apache-2.0

// Package linkmap draws how busy the links between the routers of a machine's
// networks were in a replay: routers where they are, a line for each direction of
// a link, its colour and width by the share of cycles in which it carried a flit.
package linkmap
