package members

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

func TestLinesOfSeveralClusters(t *testing.T) {
	var out bytes.Buffer
	all := &lines{to: &out}
	var running sync.WaitGroup
	for _, name := range []string{"eu", "us"} {
		running.Go(func() {
			w := all.prefixed(name + "  ")
			for i := range 100 {
				for _, part := range []string{"line ", fmt.Sprint(i), "\n"} {
					_, _ = w.Write([]byte(part)) // to a buffer
				}
			}
			_, _ = w.Write([]byte("rest")) // to a buffer
			_ = w.Close()
		})
	}
	running.Wait()
	next := map[string]int{}
	for line := range strings.Lines(out.String()) {
		cluster, text, found := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		require.True(t, found, line)
		if want := fmt.Sprintf("line %d", next[cluster]); next[cluster] < 100 {
			require.Equal(t, want, text)
		} else {
			require.Equal(t, "rest", text, "a last line without an end")
		}
		next[cluster]++
	}
	require.Equal(t, map[string]int{"eu": 101, "us": 101}, next)
}

func TestUsageOfSeveralClusters(t *testing.T) {
	u := &usage{}
	u.add("eu-1", "NAMESPACE   NAME      CPU(cores)   MEMORY(bytes)   \nshop        web-1     9m           1Gi             \nshop        web-2     1200m        20Mi            \n")
	u.add("us-1", "NAMESPACE   NAME      CPU(cores)   MEMORY(bytes)   \nshop        a         100m         300Mi           \nshop        b         <unknown>    <unknown>       \n")
	var out bytes.Buffer
	require.NoError(t, u.print(&out))
	require.Equal(t, `NAMESPACE   NAME    CLUSTER   CPU(cores)   MEMORY(bytes)
shop        web-1   eu-1      9m           1Gi
shop        web-2   eu-1      1200m        20Mi
shop        a       us-1      100m         300Mi
shop        b       us-1      <unknown>    <unknown>
`, out.String())
	names := func() (all []string) {
		for _, row := range u.rows {
			all = append(all, row[1])
		}
		return all
	}
	u.sort("cpu")
	require.Equal(t, []string{"web-2", "a", "web-1", "b"}, names())
	u.sort("memory")
	require.Equal(t, []string{"web-1", "a", "web-2", "b"}, names())
	u.sort("nothing")
	require.Equal(t, []string{"web-1", "a", "web-2", "b"}, names())
}

// TestCommandLine: the command that runs has the flags and arguments of the user, without those of accord.
func TestCommandLine(t *testing.T) {
	for line, want := range map[string]string{
		"x web -o wide -C eu -l a=b --quiet":         "[web] dash -1 o=wide l=[a=b] quiet=true",
		"x -it=false -l a,b -l c web -- ls -l -C eu": "[web ls -l -C eu] dash 1 o= l=[a,b,c] quiet=false",
		"x sub --number 3 -s members":                "sub [] 3",
	} {
		t.Run(line, func(t *testing.T) {
			var seen string
			v := verb{name: "x", use: "x", scopes: anywhere, many: true}
			v.build = func(cmdutil.Factory, genericiooptions.IOStreams) *cobra.Command {
				var o string
				var l []string
				var quiet, i, tty bool
				c := &cobra.Command{Use: "x", Args: cobra.ArbitraryArgs, Run: func(c *cobra.Command, args []string) {
					seen = fmt.Sprintf("%v dash %d o=%s l=[%s] quiet=%v", args, c.ArgsLenAtDash(), o, strings.Join(l, ","), quiet)
				}}
				c.Flags().StringVarP(&o, "output", "o", "", "")
				c.Flags().StringSliceVarP(&l, "selector", "l", nil, "")
				c.Flags().BoolVarP(&quiet, "quiet", "q", false, "")
				c.Flags().BoolVarP(&i, "stdin", "i", false, "")
				c.Flags().BoolVarP(&tty, "tty", "t", false, "")
				var number int
				sub := &cobra.Command{Use: "sub", Run: func(c *cobra.Command, args []string) { seen = fmt.Sprint("sub ", args, " ", number) }}
				sub.Flags().IntVar(&number, "number", 1, "")
				c.AddCommand(sub)
				return c
			}
			var argv []string
			root := v.build(nil, genericiooptions.NewTestIOStreamsDiscard())
			var given []string
			wrap(root, root, func(c *cobra.Command, path, args []string) error {
				argv = commandLine(c, path, given, args)
				return nil
			}, &given)
			(&target{}).register(root, v)
			root.SetArgs(strings.Fields(line)[1:])
			require.NoError(t, root.Execute())
			c := &call{verb: v, argv: argv, cmd: root}
			root.SetContext(t.Context())
			require.NoError(t, c.invoke(nil, genericiooptions.NewTestIOStreamsDiscard()))
			require.Equal(t, want, seen)
		})
	}
}

// TestFatal: an error of kubectl ends the command with its code, and not the process.
func TestFatal(t *testing.T) {
	Commands(Tables{}) // sets the behaviour
	v := verb{name: "x"}
	v.build = func(cmdutil.Factory, genericiooptions.IOStreams) *cobra.Command {
		return &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) { cmdutil.CheckErr(fmt.Errorf("it failed")) }}
	}
	c := &call{verb: v, argv: []string{"x"}, cmd: &cobra.Command{}}
	c.cmd.SetContext(t.Context())
	require.EqualError(t, c.invoke(nil, genericiooptions.NewTestIOStreamsDiscard()), "it failed")
}

func TestScopes(t *testing.T) {
	for _, x := range []struct{ verb, flags, want string }{
		{"get", "", "hub"},
		{"get", "-s karmada", "hub"},
		{"get", "-C eu,us", "members"},
		{"get", "--cluster eu", "members"},
		{"get", "-s all -C eu", "all"},
		{"get", "-s hub -C eu", "--operation-scope hub and --clusters are mutually exclusive"},
		{"get", "-s nowhere", "expected one of hub, members, all"},
		{"describe", "-s all", "expected one of hub, members"},
		{"describe", "-C eu", "members"},
		{"delete", "--all-clusters", "members"},
		{"delete", "--all-clusters -C eu", "--all-clusters and --clusters are mutually exclusive"},
		{"logs", "", "members"},
		{"exec", "", "members"},
		{"top", "-C eu", "members"},
	} {
		t.Run(x.verb+" "+x.flags, func(t *testing.T) {
			for _, v := range verbs() {
				if v.name != x.verb {
					continue
				}
				tg, c := &target{}, &cobra.Command{Use: v.name}
				tg.register(c, v)
				err := c.ParseFlags(strings.Fields(x.flags))
				var got Scope
				if err == nil {
					got, err = tg.where(v)
				}
				if err != nil {
					require.ErrorContains(t, err, x.want)
				} else {
					require.Equal(t, Scope(x.want), got)
				}
			}
		})
	}
}
