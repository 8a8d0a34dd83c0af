// SPDX-License-Identifier: Apache-2.0

// Package tune ranks variants of a program by the time that a machine would take for
// them. It records each with a sample, replays it, and says how sure the order is.
package tune
