package members

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/accord-dev/accord/cmd/accord/members/fanout"
)

// tabled runs a command that prints a table on all servers at the same time, and prints one table.
func (c *call) tabled() error {
	if c.given("sum") && len(c.servers) > 1 {
		return errors.New("--sum requires --cluster: it adds the usage of one cluster")
	}
	streams := c.streams()
	outs, errOuts := make([]bytes.Buffer, len(c.servers)), &lines{to: streams.ErrOut}
	failures := c.everywhere(func(i int, s fanout.Server) error {
		e := errOuts.prefixed(s.Name + ": ")
		err := c.reached(s, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &outs[i], ErrOut: e})
		_ = e.Close() // nobody reads the terminal any more
		if err != nil {
			outs[i].Reset()
		}
		return err
	})
	all := &usage{headless: c.given("no-headers")}
	for i, s := range c.servers {
		all.add(s.Name, outs[i].String())
	}
	if by := c.cmd.Flag("sort-by"); by != nil && by.Value.String() != "" {
		all.sort(by.Value.String())
	}
	if err := all.print(streams.Out); err != nil {
		return err
	}
	return report(streams.ErrOut, failures)
}

// reached runs the command on a server, with an error that says why the server cannot be reached.
func (c *call) reached(s fanout.Server, streams genericiooptions.IOStreams) error {
	if err := reach(c.cmd.Context(), c.to(s)); err != nil {
		return err
	}
	return c.on(s, streams)
}

// given reports whether a boolean flag is set.
func (c *call) given(flag string) bool {
	set, err := c.cmd.Flags().GetBool(flag)
	return err == nil && set
}

// usage is the tables that "kubectl top" prints for several clusters.
type usage struct {
	headless bool
	header   []string
	rows     [][]string
	// name is the column with the name of the object.
	name int
}

// cellEnd is the space between the cells of kubectl's tables.
var cellEnd = regexp.MustCompile(` {2,}`)

// add adds the table of a cluster. The column of the cluster follows the name.
func (u *usage) add(cluster, text string) {
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		cells, value := cellEnd.Split(line, -1), cluster
		if i == 0 && !u.headless {
			u.name = max(0, slices.Index(cells, "NAME"))
			value = "CLUSTER"
		}
		cells = slices.Insert(cells, min(u.name+1, len(cells)), value)
		if i == 0 && !u.headless {
			u.header = cells
		} else {
			u.rows = append(u.rows, cells)
		}
	}
}

// sort sorts the rows by a resource, the largest first.
func (u *usage) sort(by string) {
	column := slices.IndexFunc(u.header, func(title string) bool { return strings.HasPrefix(title, strings.ToUpper(by)+"(") })
	if column < 0 {
		return
	}
	quantity := func(row []string) resource.Quantity {
		q, err := resource.ParseQuantity(row[min(column, len(row)-1)])
		if err != nil { // "<unknown>"
			return resource.Quantity{}
		}
		return q
	}
	slices.SortStableFunc(u.rows, func(a, b []string) int {
		qa, qb := quantity(a), quantity(b)
		return qb.Cmp(qa)
	})
}

// print writes the table.
func (u *usage) print(out io.Writer) error {
	rows := u.rows
	if u.header != nil {
		rows = slices.Insert(slices.Clone(rows), 0, u.header)
	}
	w := printers.GetNewTabWriter(out)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}
