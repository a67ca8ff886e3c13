package members

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// each runs a command that writes on one server after the other. A server that fails does not end the others.
func (c *call) each() error {
	if len(c.servers) == 1 {
		return c.single()
	}
	remove, err := c.saveInput()
	if err != nil {
		return err
	}
	defer remove()
	streams := c.streams()
	out, errOut := &lines{to: streams.Out}, &lines{to: streams.ErrOut}
	var failures []fanout.Failure
	for _, s := range c.servers {
		prefix := s.Name + ": "
		o, e := out.prefixed(prefix), errOut.prefixed(prefix)
		err := c.on(s, genericiooptions.IOStreams{In: streams.In, Out: o, ErrOut: e})
		if err := errors.Join(o.Close(), e.Close()); err != nil {
			return err
		}
		failures = appendFailure(failures, s, err)
	}
	return report(streams.ErrOut, failures)
}

// appendFailure appends the error of a server. The command may have printed it.
func appendFailure(failures []fanout.Failure, s fanout.Server, err error) []fanout.Failure {
	if err == nil {
		return failures
	}
	if stopped, ok := errors.AsType[*exit.Error](err); ok && stopped.Err == nil {
		err = errors.New("failed")
	}
	return append(failures, fanout.Failure{Server: s.Name, Err: err})
}

// saveInput saves the standard input to a file, if a flag names it as "-": each server reads it.
func (c *call) saveInput() (remove func(), err error) {
	remove = func() {}
	at := slices.IndexFunc(c.argv, func(word string) bool { return word == "--filename=-" })
	if at < 0 {
		return remove, nil
	}
	file, err := os.CreateTemp("", "accord-*.yaml")
	if err != nil {
		return remove, fmt.Errorf("saving the standard input: %w", err)
	}
	remove = func() { _ = os.Remove(file.Name()) }
	_, err = io.Copy(file, c.cmd.InOrStdin())
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return nil, fmt.Errorf("saving the standard input: %w", err)
	}
	c.argv[at] = "--filename=" + file.Name()
	return remove, nil
}

// palette are the colors of the names of clusters.
var palette = []string{"36", "33", "35", "32", "34", "31"}

// interleaved runs a command on all servers at the same time, and prints their lines as they arrive.
func (c *call) interleaved() error {
	if len(c.servers) == 1 {
		return c.single()
	}
	streams := c.streams()
	out, errOut := &lines{to: streams.Out}, &lines{to: streams.ErrOut}
	colored, width := (&text.ColorFlag{}).Colors(streams.Out), 0
	for _, s := range c.servers {
		width = max(width, len(s.Name))
	}
	return report(streams.ErrOut, c.everywhere(func(i int, s fanout.Server) error {
		prefix := s.Name + strings.Repeat(" ", width-len(s.Name)) + "  "
		if colored {
			prefix = "\x1b[" + palette[i%len(palette)] + "m" + prefix + "\x1b[0m"
		}
		o, e := out.prefixed(prefix), errOut.prefixed(prefix)
		err := c.on(s, genericiooptions.IOStreams{In: strings.NewReader(""), Out: o, ErrOut: e})
		return errors.Join(err, o.Close(), e.Close())
	}))
}

// everywhere runs a function for all servers at the same time, and returns the errors in the order of the servers.
func (c *call) everywhere(run func(i int, s fanout.Server) error) []fanout.Failure {
	errs := make([]error, len(c.servers))
	var running sync.WaitGroup
	for i, s := range c.servers {
		running.Go(func() { errs[i] = run(i, s) })
	}
	running.Wait()
	var failures []fanout.Failure
	for i, s := range c.servers {
		failures = appendFailure(failures, s, errs[i])
	}
	return failures
}
