// SPDX-License-Identifier: Apache-2.0

// Package addresses keeps the Starlark interpreter from reserving 4 GiB of addresses
// where a process may not have many (ulimit -v). The interpreter does so when its
// package is initialised, to hold small integers without allocation: without the
// reservation integers take longer and nothing else changes.
//
// It works by the order of initialisation that the language specification fixes
// ("Program initialization"): packages whose imports are initialised come in the order
// of their paths. This package imports nothing that go.starlark.net/starlark does not
// import too, and its path comes before: so its init runs first. Package host calls
// Restore, from its own init, which runs after both.
package addresses
