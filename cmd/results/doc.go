// SPDX-License-Identifier: Apache-2.0

// Package results keeps results of replays in a folder: a file a point, written once and
// never changed, under a name that says all that the result depends on.
//
// The folder holds
//
//	results.json              what the folder is, and the version of its layout
//	points/KK/KEY.json.zst    a point: statistics, energy, the resolved architecture
//	refused/KK/KEY.json       why a machine cannot run a trace
//	failed/KK/KEY.json        what a replay has ended with; it is tried again
//	sweeps/NAME/              the manifest of a sweep, what its processes do, and what a search has looked at
//	traces/                   traces that sweeps have recorded
//	.incoming/                files on their way to their names
//
// KEY is Identity.Key, KK its first two letters. There are no locks: every file is written
// next to its place and renamed into it, which is atomic on local and on network file
// systems. Two processes that make the same point write the same bytes.
package results
