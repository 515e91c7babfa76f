package diag

import "strings"

// Suggest returns the known word that a misspelt one most likely means, or "" when none is close. Case
// and the separators '-' and '_' are not counted as mistakes; of equally close words the first wins.
func Suggest(word string, known []string) string {
	word = fold(word)
	best, limit := "", min(2, (len(word)+1)/3)+1
	for _, k := range known {
		if d := distance(word, fold(k)); d < limit {
			best, limit = k, d
		}
	}
	return best
}

// DidYouMean words a suggestion as a fix, or returns "" when there is nothing to suggest.
func DidYouMean(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return "did you mean " + suggestion + "?"
}

func fold(word string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(word))
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b.
func distance(a, b string) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			replace := previous[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			current[j] = min(previous[j]+1, current[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
