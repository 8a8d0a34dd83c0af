// SPDX-License-Identifier: Apache-2.0

package emulated

import "github.com/warptape/warptape/trace"

// nothing is a recording that keeps nothing.
type nothing struct{}

func (nothing) UpdateHeader(func(*trace.Header))              {}
func (nothing) AddKernel(*trace.Kernel) (int, error)          { return 0, nil }
func (nothing) AddEvent(trace.HostEvent) (int, error)         { return 0, nil }
func (nothing) BeginLaunch(trace.Launch, ...int) (int, error) { return 0, nil }
func (nothing) EndLaunch() error                              { return nil }
func (nothing) DropBlock()                                    {}
func (nothing) BeginBlock(uint64)                             {}
func (nothing) Visit(int, uint32, uint32)                     {}
func (nothing) Guard(int, uint32)                             {}
func (nothing) Access(int, uint32, *[trace.WarpSize]uint64)   {}
func (nothing) AccessStrided(int, uint32, uint64, int64)      {}
func (nothing) EndBlock() error                               { return nil }
