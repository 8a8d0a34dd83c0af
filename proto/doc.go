// SPDX-License-Identifier: Apache-2.0

// Package proto holds the protobuf schema of a Warptape trace, wtape.proto. The
// generated Go code is package wtapepb; "go generate ./proto" renews it and
// "go run ./internal/generate -check", run in this folder, tells whether it is
// stale.
package proto

//go:generate go run ./internal/generate
