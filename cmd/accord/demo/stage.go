// Package demo plays a rollout on a hub and clusters that it starts.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/accord-dev/accord/clusters/local/subprocess"
	"github.com/accord-dev/accord/cmd/accord/demo/workloads"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/version"
)

// names are those of the clusters. The policy in the directory repository has them, too.
var names = []string{"eu-1", "us-1"}

// stage has what the demo starts.
type stage struct {
	out io.Writer
	dir string
	// apiserver is the value of the flag, program the file that it or the search yields.
	apiserver, program string
	home               string // the data directory of the hub
	clusters           []*subprocess.ControlPlane
}

// run plays the story from the start of the API servers to their end.
func (s *stage) run(ctx context.Context, keep bool) (err error) {
	defer func() { err = errors.Join(err, s.stop(context.WithoutCancel(ctx))) }()
	if err := s.start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, c := range s.clusters {
		if err := workloads.Start(ctx, c.Config()); err != nil {
			return err
		}
	}
	if err := s.play(ctx); err != nil {
		return err
	}
	if keep {
		s.keep(ctx)
	}
	return nil
}

// start starts the clusters, then the hub, and joins them.
func (s *stage) start(ctx context.Context) error {
	begun := time.Now()
	s.heading("Start two clusters and a hub")
	s.clusters = make([]*subprocess.ControlPlane, len(names))
	var g errgroup.Group
	for i, name := range names {
		g.Go(func() (err error) {
			s.clusters[i], err = subprocess.Start(ctx, subprocess.Options{
				Program: s.program, Version: version.Get().Version, Settings: subprocess.Settings{Dir: filepath.Join(s.dir, name)}, Log: slog.New(slog.DiscardHandler),
			})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("starting a cluster: %w", err)
	}
	up := []string{"up", "--detach", "--data-dir", s.home}
	if s.apiserver != "" {
		up = append(up, "--apiserver", s.apiserver)
	}
	if err := s.accord(ctx, 0, up...); err != nil {
		return err
	}
	for i, name := range names {
		if err := s.accord(ctx, 0, "join", name, "--member-kubeconfig", s.clusters[i].Kubeconfig()); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "three API servers are ready after %s\n", time.Since(begun).Round(100*time.Millisecond))
	return nil
}

// stop ends hub and clusters.
func (s *stage) stop(ctx context.Context) error {
	var errs []error
	if _, err := os.Stat(s.home); err == nil {
		errs = append(errs, s.quietly(ctx, "down", "--data-dir", s.home))
	}
	for _, c := range s.clusters {
		if c != nil {
			errs = append(errs, c.Stop())
		}
	}
	return errors.Join(errs...)
}

// keep tells where everything is, and waits.
func (s *stage) keep(ctx context.Context) {
	s.heading("Hub and clusters run until Ctrl-C")
	fmt.Fprintf(s.out, "export %s=%s/kubeconfig\n", hub.KubeconfigEnv, s.home)
	fmt.Fprintf(s.out, "cd %s      # edit, commit, then: accord wait shop\n", s.repository())
	<-ctx.Done()
}

// accord prints and runs a command of this program, and prints its output. Another exit code than the wanted one is an error, whose reason
// the command has printed.
func (s *stage) accord(ctx context.Context, want int, args ...string) error {
	fmt.Fprintf(s.out, "$ accord %s\n", strings.ReplaceAll(strings.Join(args, " "), s.dir, "."))
	c, err := s.command(ctx, args)
	if err != nil {
		return err
	}
	c.Stdout, c.Stderr = s.out, s.out
	got := 0
	err = c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		got, err = exit.ExitCode(), nil
	}
	if err == nil && got != want {
		err = fmt.Errorf("accord %s exited with %d, expected %d", args[0], got, want)
	}
	return err
}

// quietly runs a command of this program, and prints nothing unless it fails.
func (s *stage) quietly(ctx context.Context, args ...string) error {
	c, err := s.command(ctx, args)
	if err != nil {
		return err
	}
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("accord %s: %w\n%s", args[0], err, text)
	}
	return nil
}

// command returns a command of this program that works in the repository, on the hub of the demo.
func (s *stage) command(ctx context.Context, args []string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, args...)
	c.Args[0], c.Dir = os.Args[0], s.dir
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // "accord up --detach" ends what it started
	c.WaitDelay = time.Minute
	if _, err := os.Stat(s.repository()); err == nil {
		c.Dir = s.repository()
	}
	c.Env = append(os.Environ(), hub.KubeconfigEnv+"="+filepath.Join(s.home, "kubeconfig"))
	return c, nil
}

func (s *stage) repository() string { return filepath.Join(s.dir, "shop") }

func (s *stage) heading(format string, args ...any) {
	fmt.Fprintf(s.out, "\n== "+format+"\n", args...)
}
