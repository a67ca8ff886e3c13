package main

import (
	"context"
	"io"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/members"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
)

// ownTables returns the tables that "accord get" prints in place of those of kubectl.
func ownTables() members.Tables {
	return members.Tables{Kinds: view.Kinds(), Takes: view.Takes, Qualified: view.Qualified, Print: printOwnTable}
}

func printOwnTable(ctx context.Context, out io.Writer, f *hub.Flags, kinds, name, output string) error {
	s, err := view.ParseSelection(kinds, name, text.Format(output))
	if err != nil {
		return err
	}
	h, err := f.Connect()
	if err != nil {
		return err
	}
	return s.Print(ctx, out, h)
}
