package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/idem-go/idem/cmd/internal/cli"
)

func versionVerb() *cli.Command {
	cmd := &cli.Command{Name: "idem version", Summary: "Print the version."}
	cmd.Run = func(_ context.Context, c *cli.Console, args []string) error {
		if err := cmd.AtMost(0, args); err != nil {
			return err
		}
		info, _ := debug.ReadBuildInfo()
		_, err := fmt.Fprintln(c.Out, version(info))
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
