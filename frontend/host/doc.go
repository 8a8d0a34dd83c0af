// SPDX-License-Identifier: Apache-2.0

// Package host runs host programs: Starlark files that play the CPU side of a
// GPU application. They load PTX modules, make inputs, allocate, copy and
// launch, read results back and check them; every step becomes an event of the
// trace's host timeline.
//
//	program, err := host.Load(os.DirFS("traces/saxpy"), "saxpy.star")
//	result, err := program.Run(ctx, host.Options{Size: "small", Sink: writer})
//
// Programs are deterministic and confined. They see the files next to them (as
// PTX), random numbers from a seed, and nothing else; steps and memory are limited.
// docs/host-programs.md describes what they can call.
package host
