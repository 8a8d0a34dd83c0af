// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
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
	name := word().Find(text[at:])
	begin := bytes.LastIndexAny(text[:at], ";{}") + 1
	shared := sharedWord().FindIndex(text[begin:at])
	if name == nil || shared == nil || bytes.Contains(text[begin:begin+shared[0]], []byte("extern")) {
		return nil
	}
	begin += shared[1]
	bounds := arrayBounds().FindSubmatchIndex(text[at+len(name):])
	of := bytes.TrimSpace(text[begin:at])
	if length := bytes.IndexByte(text[at:], ';'); length >= 0 {
		if list := roomList().FindSubmatch(slices.Concat(of, []byte(" "), text[at:at+length])); list != nil && !notAType().Match(list[1]) {
			return sameLines(text, begin, at+length+1, roomsOf(string(list[1]), "", strings.FieldsFunc(string(list[2]), notOfAName)))
		}
	}
	if bounds == nil || len(of) == 0 || notAType().Match(of) {
		return nil
	}
	end := at + len(name) + bounds[1]
	array := text[at+len(name) : at+len(name)+bounds[3]]
	return sameLines(text, begin, end, roomsOf(string(of), string(array), []string{string(name)}))
}

// roomsOf makes a room of each name, behind a __shared__ that stays.
func roomsOf(of, array string, names []string) string {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf("__warptape_shared_room<%s%s> __warptape_room_%s; auto &%s = __warptape_room_%s.value();", of, array, name, name, name))
	}
	return strings.Join(list, " __shared__ ")
}

func notOfAName(r rune) bool { return r == ',' || unicode.IsSpace(r) }

// sameLines puts a text in the place of another one, and leaves as many lines: those behind keep their numbers.
func sameLines(text []byte, begin, end int, made string) []edit {
	lines := bytes.Count(text[begin:end], []byte("\n")) - strings.Count(made, "\n")
	return []edit{{begin, end - begin, made + strings.Repeat("\n", max(lines, 0))}}
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
	found := dynamicValue().FindSubmatchIndex(text[begin:])
	if found == nil || begin+found[1] <= at || notAType().Match(text[begin+found[2]:begin+found[3]]) {
		return nil
	}
	of, name := text[begin+found[2]:begin+found[3]], text[begin+found[4]:begin+found[5]]
	made := fmt.Sprintf("extern __shared__ __align__(1024) unsigned char __warptape_dynamic_shared[]; auto &%s = *reinterpret_cast<%s *>(__warptape_dynamic_shared);", name, of)
	return sameLines(text, begin, begin+found[1], made)
}

var (
	// roomList is a type and several names.
	roomList     = lazily(`^([^,;={}()]+?)\s+([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+)\s*$`)
	dynamicValue = lazily(`^extern\s+__shared__\s+([^;={}\[\]]+?)\s+([A-Za-z_]\w*)\s*;`)
	sharedWord   = lazily(`\b__shared__\s`)
	arrayBounds  = lazily(`^((?:\s*\[[^\][;]*\])*)\s*;`)
	notAType     = lazily(`["=]|\b(?:static|extern|volatile|alignas|__align__|__attribute__|__device__)\b`)
)
