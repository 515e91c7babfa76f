package idem_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestDocsCommands: each verb of idem, and each flag, that a page names is in the command's help.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	help := buildHelp(t)
	checkPages(t, help.unknown)
	checkFinds(t, help.unknown, map[string]string{
		"`idem nosuchverb`":                                    "nosuchverb",
		"`idem outbox\nnosuchverb`":                            "nosuchverb",
		"`idem generate --no-such-flag`":                       "--no-such-flag",
		"```sh\ngo tool idem vet ./... # --json, --xml\n```\n": "--xml",
		"```console\n$ idem outbox list --shout\n```\n":        "--shout",
		"add `--no-such-flag`":                                 "--no-such-flag",
		"```sh\ngo run ./cmd/idem dema\n```\n":                 "dema",
	})
}

// helpTexts are the help texts of idem by the words of their verbs: "", "outbox", "outbox list".
type helpTexts map[string]string

// buildHelp builds the command and asks it for all of its help.
func buildHelp(t *testing.T) helpTexts {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "idem.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/idem").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	all := helpTexts{}
	var ask func(words []string)
	ask = func(words []string) {
		out, err := exec.CommandContext(t.Context(), binary, append([]string{"help"}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("idem help %s: %v\n%s", strings.Join(words, " "), err, out)
		}
		all[strings.Join(words, " ")] = string(out)
		for _, verb := range verbsOf(string(out)) {
			ask(append(slices.Clip(words), verb))
		}
	}
	ask(nil)
	if len(all) < 10 {
		t.Fatalf("idem has %d verbs", len(all))
	}
	return all
}

var verbLine = regexp.MustCompile(`(?m)^  ([a-z]+) `)

// verbsOf are the verbs that a help text lists.
func verbsOf(help string) (verbs []string) {
	_, list, _ := strings.Cut(help, "\nVerbs:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, m := range verbLine.FindAllStringSubmatch(list+"\n", -1) {
		verbs = append(verbs, m[1])
	}
	return verbs
}

var (
	word     = regexp.MustCompile(`^[a-z]+$`)
	longFlag = regexp.MustCompile(`(?:^|[\s(])(--[a-z][a-z-]*)`)
)

func (h helpTexts) unknown(p page) (problems []string) {
	for _, command := range p.commands() {
		flags := longFlag.FindAllStringSubmatch(command, -1)
		verb, isIdem, err := h.verb(strings.Fields(command))
		switch {
		case err != nil:
			problems = append(problems, p.problem("%s: %v", command, err))
			continue
		case !isIdem && !strings.HasPrefix(command, "--"):
			continue // somebody else's
		}
		for _, m := range flags {
			if !h.hasFlag(verb, isIdem, m[1]) {
				problems = append(problems, p.problem("%s: idem %s has no flag %s", command, verb, m[1]))
			}
		}
	}
	return problems
}

// verb finds the verb of idem in a command line, if it is one of idem.
func (h helpTexts) verb(words []string) (verb string, isIdem bool, err error) {
	at := slices.IndexFunc(words, func(w string) bool { return w == "idem" || strings.HasSuffix(w, "/cmd/idem") })
	if at < 0 || at+1 == len(words) || !word.MatchString(words[at+1]) {
		return "", false, nil
	}
	if words[at+1] == "help" {
		return h.helpVerb(words[at+2:])
	}
	for _, w := range words[at+1:] {
		verbs := verbsOf(h[verb])
		if len(verbs) == 0 || !word.MatchString(w) {
			break
		}
		if !slices.Contains(verbs, w) {
			return "", true, fmt.Errorf("idem has no verb %s", w)
		}
		verb = strings.TrimSpace(verb + " " + w)
	}
	return verb, true, nil
}

// helpVerb is about "idem help VERB": what it explains must be there.
func (h helpTexts) helpVerb(words []string) (verb string, isIdem bool, err error) {
	if about := strings.Join(words, " "); h[about] == "" && about != "directives" {
		return "", true, fmt.Errorf("idem has no help on %s", about)
	}
	return "help", true, nil
}

// hasFlag reports whether a verb has a flag; for a flag that stands alone, whether any verb has.
func (h helpTexts) hasFlag(verb string, ofVerb bool, flag string) bool {
	form := regexp.MustCompile(`(?m)^  (-\w, )?` + flag + `\b[^-]`)
	for name, text := range h {
		if (name == verb || !ofVerb) && form.MatchString(text) {
			return true
		}
	}
	return false
}

// TestDocsTests: what a page says behind go test -run is a test that there is, and so is a test that it names.
func TestDocsTests(t *testing.T) {
	t.Parallel()
	checkPages(t, unknownTests)
	checkFinds(t, unknownTests, map[string]string{
		"`go test ./runtime -run TestNoSuchThing`":             "TestNoSuchThing",
		"`go test -run=NoSuchThing ./...`":                     "NoSuchThing",
		"```sh\ngo test ./lint -run 'TestF[0-9]' -v\n```\n":    "TestF[0-9]",
		"`go test -run='^$' -fuzz=FuzzNoSuchThing ./gen/emit`": "FuzzNoSuchThing",
		"`go test ./no/such/folder`":                           "no/such/folder",
		"as `TestNoSuchThing` shows":                           "no test TestNoSuchThing",
		"```console\n$ go test . -run 'Readme|(' \n```\n":      "missing closing",
	})
}

var (
	searches = regexp.MustCompile(`-(?:run|fuzz|bench)[ =]('[^']*'|\S+)`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(`)
	testName = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)[A-Z]\w*$`)
)

// allTests are the names of all tests of the repository.
var allTests = sync.OnceValues(func() ([]string, error) { return testsIn("./...") })

func unknownTests(p page) (problems []string) {
	for _, command := range p.commands() {
		if testName.MatchString(command) {
			if all, err := allTests(); err != nil || !slices.Contains(all, command) {
				problems = append(problems, p.problem("there is no test %s; %v", command, err))
			}
			continue
		}
		_, args, found := strings.Cut(command, "go test")
		if !found {
			continue
		}
		names, err := testsIn(args)
		if err != nil {
			problems = append(problems, p.problem("%s: %v", command, err))
			continue
		}
		for _, m := range searches.FindAllStringSubmatch(args, -1) {
			pattern := strings.Trim(m[1], "'")
			if pattern == "^$" {
				continue // no test, on purpose
			}
			top, _, _ := strings.Cut(pattern, "/")
			expr, err := regexp.Compile(top)
			switch {
			case err != nil:
				problems = append(problems, p.problem("%s: %v", command, err))
			case !slices.ContainsFunc(names, expr.MatchString):
				problems = append(problems, p.problem("%s: no test is called %s", command, pattern))
			}
		}
	}
	return problems
}

// testsIn returns the names of the tests in the packages that the arguments of go test name, else in all.
func testsIn(args string) (names []string, err error) {
	args = searches.ReplaceAllString(args, "")
	var patterns []string
	for _, arg := range strings.Fields(args) {
		if arg == "." || strings.HasPrefix(arg, "./") {
			patterns = append(patterns, arg)
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	for _, pattern := range patterns {
		dir, below := strings.CutSuffix(pattern, "...")
		err = errors.Join(err, filepath.WalkDir(filepath.FromSlash(dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && !below && filepath.Clean(path) != filepath.Clean(dir):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
				return nil
			}
			source, err := os.ReadFile(path)
			for _, m := range testFunc.FindAllStringSubmatch(string(source), -1) {
				names = append(names, m[1])
			}
			return err
		}))
	}
	return names, err
}
