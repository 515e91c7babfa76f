package sign

import (
	"fmt"
	"time"
)

// Setting is a field of a configuration.
type Setting struct {
	name     string
	negative bool
	text     string
}

// Int returns a setting that is a number.
func Int(name string, n int) Setting { return Setting{name, n < 0, fmt.Sprint(n)} }

// Duration returns a setting that is a time.
func Duration(name string, d time.Duration) Setting { return Setting{name, d < 0, d.String()} }

// Check returns an error that names the first of the settings that is negative, as a field of what is called of.
func Check(of string, settings ...Setting) error {
	for _, s := range settings {
		if s.negative {
			return fmt.Errorf("idem: %s.%s is negative (%s); leave it zero for its default", of, s.name, s.text)
		}
	}
	return nil
}
