// SPDX-License-Identifier: Apache-2.0

// Package sweep replays what a plan comes to and keeps every point the moment it ends. A
// sweep that was stopped, at any time and in any way, goes on where it was.
package sweep
