package members

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
)

// merged runs a command that reads on all servers as if they were one.
func (c *call) merged() error {
	if c.scope == OnHub {
		return c.hinted()
	}
	streams := c.streams()
	fleet := fanout.New(c.servers, basePath(c.onHub), func(f fanout.Failure) { fmt.Fprintf(streams.ErrOut, "%s: %v\n", f.Server, f.Err) })
	err := c.invoke(c.toAll(fleet, c.servers), streams)
	failures := fleet.Failures()
	if err != nil && len(failures) == 0 && !strings.Contains(err.Error(), "(NotFound)") {
		failures = c.unreachable()
	}
	failed := report(streams.ErrOut, failures)
	if failed != nil && (err == nil || len(failures) == len(c.servers) || strings.Contains(err.Error(), "("+string(fanout.ReasonNoAnswer)+")")) { // the errors of all clusters are printed
		return failed
	}
	return err
}

// unreachable returns the errors of the clusters that do not answer, which may have the kind that no other cluster has.
func (c *call) unreachable() []fanout.Failure {
	return c.everywhere(func(_ int, s fanout.Server) error { return reach(c.cmd.Context(), c.to(s)) })
}

// hinted runs a command that reads on the hub, and adds that the objects may be on members.
func (c *call) hinted() error {
	if len(c.args) > 0 && c.own.Takes(c.args[0]) {
		c.argv[len(c.argv)-len(c.args)] = c.own.Qualified(c.args[0])
		return c.single()
	}
	streams := c.streams()
	out := &counter{to: streams.Out}
	streams.Out = out
	err := c.on(theHub, streams)
	stopped, ok := errors.AsType[*exit.Error](err)
	switch {
	case !ok || stopped.Err == nil:
	case unknownKind(stopped.Err):
		return &exit.Error{Code: stopped.Code, Err: fmt.Errorf("%w%s\n  on the hub; on the clusters: %s", stopped.Err, manifest.DidYouMean(c.args[0], c.own.Kinds), c.elsewhere())}
	case strings.Contains(stopped.Err.Error(), "(NotFound)"):
		return &exit.Error{Code: stopped.Code, Err: fmt.Errorf("%w\n  on the hub; on the clusters: %s", stopped.Err, c.elsewhere())}
	}
	if err == nil && out.bytes == 0 {
		fmt.Fprintf(streams.ErrOut, "  on the hub; on the clusters: %s\n", c.elsewhere())
	}
	return err
}

// elsewhere returns the command that reads the clusters in place of the hub.
func (c *call) elsewhere() string {
	return strings.Join(append([]string{program}, append(c.argv, "-s", string(OnMembers))...), " ")
}

// counter counts the bytes that are written to another writer.
type counter struct {
	to    io.Writer
	bytes int
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return c.to.Write(p)
}
