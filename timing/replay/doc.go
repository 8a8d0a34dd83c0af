// SPDX-License-Identifier: Apache-2.0

// Package replay replays one trace on many machines.
//
// Each chunk of the trace is read and decoded once and shared by all machines;
// machines run in parallel. A result depends on the trace, the architecture and
// the version of the tool only, and says which they were.
package replay
