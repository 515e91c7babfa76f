package emit

import (
	"bytes"
	"strings"
)

var (
	blockStart = []byte("import (\n")
	blockEnd   = []byte("\n)\n")
)

// groupImports puts the standard library's imports into a group of their own, before the others.
func groupImports(source []byte) []byte {
	before, rest, found := bytes.Cut(source, blockStart)
	if !found {
		return source
	}
	Block, after, _ := bytes.Cut(rest, blockEnd)
	var std, others []string
	for line := range strings.Lines(string(Block) + "\n") {
		if _, path, _ := strings.Cut(line, `"`); isStandard(path) {
			std = append(std, line)
		} else {
			others = append(others, line)
		}
	}
	if len(std) > 0 && len(others) > 0 {
		std = append(std, "\n")
	}
	grouped := strings.Join(std, "") + strings.Join(others, "")
	return bytes.Join([][]byte{before, blockStart, []byte(grouped), []byte(")\n"), after}, nil)
}

// isStandard judges an import path as goimports does: the first element of a standard one has no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
