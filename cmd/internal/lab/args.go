package lab

import (
	"github.com/spf13/pflag"

	"github.com/idem-go/idem/cmd/internal/cli"
)

// Args returns the arguments by which [Program] is asked for what cmd was asked for.
func Args(cmd *cli.Command) []string {
	args := []string{cmd.Word()}
	cmd.Flags.Visit(func(f *pflag.Flag) { args = append(args, "--"+f.Name+"="+f.Value.String()) })
	return args
}
