// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Patterns of LLVM's text of a module: kernels with their metadata, and nodes of metadata
// (LLVM Language Reference, "Metadata").
var (
	definition = regexp.MustCompile(`(?m)^define .*@([A-Za-z_$.][\w$.]*)\(.*(!kernel_arg_addr_space .*)\{$`)
	attachment = regexp.MustCompile(`!(\w+) !(\d+)`)
	node       = regexp.MustCompile(`(?m)^!(\d+) = (?:distinct )?!\{(.*)\}$`)
	element    = regexp.MustCompile(`!"((?:[^"\\]|\\.)*)"|i32 (-?\d+)|[^,\s][^,]*`)
)

// describe writes what OpenCL's host must know of the kernels as comments, for the
// runtime library to read: fields behind tabs.
//
//	//#kernel name, sizes of work-groups that it requires, and those that it hints at
//	//#argument address space (0 private, 1 global, 2 constant, 3 local), access, qualifiers, type, name, type without typedefs
func describe(module string) []byte {
	nodes := map[string][]string{}
	for _, m := range node.FindAllStringSubmatch(module, -1) {
		if !strings.HasPrefix(m[2], "!DI") {
			nodes[m[1]] = elements(m[2])
		}
	}
	var out bytes.Buffer
	for _, m := range definition.FindAllStringSubmatch(module, -1) {
		of := map[string][]string{}
		for _, a := range attachment.FindAllStringSubmatch(m[2], -1) {
			of[a[1]] = nodes[a[2]]
		}
		fmt.Fprintf(&out, "//#kernel\t%s\t%s\t%s\n", m[1], sizes(of["reqd_work_group_size"]), sizes(of["work_group_size_hint"]))
		for i, space := range of["kernel_arg_addr_space"] {
			fmt.Fprintf(&out, "//#argument\t%s\t%s\t%s\t%s\t%s\t%s\n", space, at(of["kernel_arg_access_qual"], i), at(of["kernel_arg_type_qual"], i),
				at(of["kernel_arg_type"], i), at(of["kernel_arg_name"], i), at(of["kernel_arg_base_type"], i))
		}
	}
	return out.Bytes()
}

func elements(text string) []string {
	var list []string
	for _, m := range element.FindAllStringSubmatch(text, -1) {
		switch {
		case m[2] != "":
			list = append(list, m[2])
		case strings.HasPrefix(m[0], `!"`):
			list = append(list, m[1])
		case strings.TrimSpace(m[0]) != "":
			list = append(list, strings.TrimSpace(m[0]))
		}
	}
	return list
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// sizes are three numbers, zeros without any.
func sizes(list []string) string {
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(at(list, i))
	}
	return fmt.Sprintf("%d\t%d\t%d", n[0], n[1], n[2])
}
