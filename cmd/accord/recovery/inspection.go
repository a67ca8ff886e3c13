package recovery

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// inspection has the flags of the commands that change nothing.
type inspection struct {
	ways
	hub    hub.Flags
	output text.FormatFlag
	dir    string
}

func (f *inspection) register(flags *pflag.FlagSet) {
	f.ways.register(flags)
	f.hub.Register(flags)
	f.output.Register(flags, text.AsText, text.AsJSON)
	flags.StringVar(&f.dir, "dir", "", "directory of the manifests (default the current one)")
}

// document is a result.
type document interface {
	text.Document
	print(io.Writer) error
}

// show prints a result, and returns its exit code as an error.
func (f *inspection) show(out io.Writer, result document, code int) (err error) {
	if f.output.Value == text.AsJSON {
		err = text.Encode(out, text.AsJSON, result)
	} else {
		err = result.print(out)
	}
	if err == nil && code != 0 {
		err = &exit.Error{Code: code}
	}
	return err
}
