// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// rooms makes shared memory of a class with a constructor room of its size and a reference to it, so
// that no constructor runs. Line and column are those of the variable's name. A declaration that has
// more than a type, a name and bounds of arrays stays.
func rooms(text []byte, line, column int) []edit {
	_, at, ok := offset(text, line, column)
	if !ok {
		return nil
	}
	name := word.Find(text[at:])
	begin := bytes.LastIndexAny(text[:at], ";{}") + 1
	shared := sharedWord.FindIndex(text[begin:at])
	if name == nil || shared == nil || bytes.Contains(text[begin:begin+shared[0]], []byte("extern")) {
		return nil
	}
	begin += shared[1]
	bounds := arrayBounds.FindSubmatchIndex(text[at+len(name):])
	of := bytes.TrimSpace(text[begin:at])
	if names := roomList.FindSubmatch(slices.Concat(of, []byte(" "), text[at:at+max(bytes.IndexByte(text[at:], ';'), 0)])); names != nil {
		return roomsOf(text, begin, at+bytes.IndexByte(text[at:], ';')+1, names)
	}
	if bounds == nil || len(of) == 0 || notAType.Match(of) {
		return nil
	}
	end := at + len(name) + bounds[1]
	array := text[at+len(name) : at+len(name)+bounds[3]]
	made := fmt.Sprintf("__warptape_shared_room<%s%s> __warptape_room_%s; auto &%s = __warptape_room_%s.value();", of, array, name, name, name)
	lines := bytes.Count(text[begin:end], []byte("\n")) - strings.Count(made, "\n") // those behind keep their numbers
	return []edit{{begin, end - begin, made + strings.Repeat("\n", lines)}}
}

// roomsOf makes a room of each name of a list.
func roomsOf(text []byte, begin, end int, names [][]byte) []edit {
	if notAType.Match(names[1]) {
		return nil
	}
	var made strings.Builder
	for _, name := range strings.FieldsFunc(string(names[2]), func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		fmt.Fprintf(&made, "__shared__ __warptape_shared_room<%s> __warptape_room_%s; auto &%s = __warptape_room_%s.value(); ", names[1], name, name, name)
	}
	list := strings.TrimSuffix(strings.TrimPrefix(made.String(), "__shared__ "), " ")
	lines := bytes.Count(text[begin:end], []byte("\n")) - strings.Count(list, "\n")
	return []edit{{begin, end - begin, list + strings.Repeat("\n", max(lines, 0))}}
}

// dynamicRoom makes one value in dynamic shared memory a reference to where that begins: nvcc takes
// such a declaration without the brackets of an array.
func dynamicRoom(text []byte, line, column int) []edit {
	_, at, ok := offset(text, line, column)
	if !ok {
		return nil
	}
	begin := bytes.LastIndex(text[:min(at+len("extern"), len(text))], []byte("extern"))
	if begin < 0 {
		return nil
	}
	found := dynamicValue.FindSubmatchIndex(text[begin:])
	if found == nil || begin+found[1] <= at || notAType.Match(text[begin+found[2]:begin+found[3]]) {
		return nil
	}
	of, name := text[begin+found[2]:begin+found[3]], text[begin+found[4]:begin+found[5]]
	made := fmt.Sprintf("extern __shared__ __align__(1024) unsigned char __warptape_dynamic_shared[]; auto &%s = *reinterpret_cast<%s *>(__warptape_dynamic_shared);", name, of)
	lines := bytes.Count(text[begin:begin+found[1]], []byte("\n")) - strings.Count(made, "\n")
	return []edit{{begin, found[1], made + strings.Repeat("\n", max(lines, 0))}}
}

var (
	// roomList is a type and several names.
	roomList     = regexp.MustCompile(`^([^,;={}()]+?)\s+([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+)\s*$`)
	dynamicValue = regexp.MustCompile(`^extern\s+__shared__\s+([^;={}\[\]]+?)\s+([A-Za-z_]\w*)\s*;`)
	sharedWord   = regexp.MustCompile(`\b__shared__\s`)
	arrayBounds  = regexp.MustCompile(`^((?:\s*\[[^\][;]*\])*)\s*;`)
	notAType     = regexp.MustCompile(`["=]|\b(?:static|extern|volatile|alignas|__align__|__attribute__|__device__)\b`)
)
