// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
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
	if bounds == nil || len(of) == 0 || notAType.Match(of) {
		return nil
	}
	end := at + len(name) + bounds[1]
	array := text[at+len(name) : at+len(name)+bounds[3]]
	made := fmt.Sprintf("__warptape_shared_room<%s%s> __warptape_room_%s; auto &%s = __warptape_room_%s.value();", of, array, name, name, name)
	lines := bytes.Count(text[begin:end], []byte("\n")) - strings.Count(made, "\n") // those behind keep their numbers
	return []edit{{begin, end - begin, made + strings.Repeat("\n", lines)}}
}

var (
	sharedWord  = regexp.MustCompile(`\b__shared__\s`)
	arrayBounds = regexp.MustCompile(`^((?:\s*\[[^\][;]*\])*)\s*;`)
	notAType    = regexp.MustCompile(`["=]|\b(?:static|extern|volatile|alignas|__align__|__attribute__|__device__)\b`)
)
