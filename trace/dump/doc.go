// SPDX-License-Identifier: Apache-2.0

// Package dump prints what a trace says that warps and CPU threads did: as text for
// people, or as one JSON object a line for programs.
package dump
