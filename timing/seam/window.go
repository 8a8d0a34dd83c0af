// SPDX-License-Identifier: Apache-2.0

package seam

import "github.com/warptape/warptape/trace"

// Where constants and parameters lie in the address space of the memory below the SMs, next
// to global memory: addresses of these spaces are relative to it.
const (
	ConstantWindow  = uint64(2) << 60
	ParameterWindow = uint64(3) << 60
)

// Window is that of a space that has one; zero of others.
func Window(s trace.Space) uint64 {
	switch s {
	case trace.SpaceConst:
		return ConstantWindow
	case trace.SpaceParam:
		return ParameterWindow
	}
	return 0
}
