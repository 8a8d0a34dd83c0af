// SPDX-License-Identifier: Apache-2.0

// Package launchfile turns a kernel and a YAML file that says how to launch it into a host
// program, so that one kernel runs without anybody writing its host side. The program is
// Starlark that a reader can keep and extend.
//
// PTX that Triton wrote has a JSON file next to it with what its launcher knows;
// ReadTriton takes it from there.
package launchfile
