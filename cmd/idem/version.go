package main

import (
	"context"
	"fmt"
	"runtime/debug"
)

func versionVerb() *command {
	cmd := &command{name: "idem version", summary: "Print the version."}
	cmd.run = func(_ context.Context, c *console, args []string) error {
		if err := cmd.atMost(0, args); err != nil {
			return err
		}
		info, _ := debug.ReadBuildInfo()
		_, err := fmt.Fprintln(c.out, version(info))
		return err
	}
	return cmd
}

// version words what the go command recorded when it built the command.
func version(info *debug.BuildInfo) string {
	if info == nil {
		return "idem (unknown version)"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	return fmt.Sprintf("idem %s (%s)", v, info.GoVersion)
}
