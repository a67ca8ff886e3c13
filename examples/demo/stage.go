package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/accord-dev/accord/clusters/local/kwok"
)

// stage holds the directory and the programs of a run of the demo.
type stage struct {
	example example
	dir     string
	running []*child
	configs map[string]string // kubeconfig by member
	// links are the networks between the hub and the members, joined the kubeconfigs that lead through them; nil without links.
	links   map[string]*link
	joined  map[string]string
	proxy   *proxy // of the proxied member; nil without one
	commits int
	// address is that of the hub.
	address string
	// up is the process of the hub, agents are those of the members in pull mode.
	up     *child
	agents map[string]*child
}

func (s *stage) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// hub returns the path of the kubeconfig that accord up writes.
func (s *stage) hub() string { return s.path("hub", "kubeconfig") }

// build builds the programs that the go command's cache does not have. The first time this takes minutes, later seconds.
func (s *stage) build(ctx context.Context) error {
	heading("Building (the first time this compiles Kubernetes, which takes some minutes)")
	if err := os.Mkdir(s.path("bin"), 0o700); err != nil {
		return err
	}
	names := []string{"accord", "accord-apiserver", "members", "kubectl"}
	if len(s.example.pull) > 0 {
		names = append(names, "accord-agent")
	}
	for _, name := range names {
		if err := s.tool(ctx, name, func(ctx context.Context) (string, error) { return command(ctx, "go", "tool", "-n", name) }); err != nil {
			return err
		}
	}
	return s.tool(ctx, "kwok", kwok.Build) // for the members, which find it in the cache
}

// tool links the program of that name into bin, and reports every 15 seconds that it still builds.
func (s *stage) tool(ctx context.Context, name string, build func(context.Context) (string, error)) error {
	begun := time.Now()
	progress := time.NewTicker(15 * time.Second)
	defer progress.Stop()
	var path string
	built := make(chan error)
	go func() { // ends with the build
		var err error
		path, err = build(ctx)
		built <- err
	}()
	for {
		select {
		case err := <-built:
			if err != nil {
				return err
			}
			note("%-16s built after %s", name, time.Since(begun).Round(100*time.Millisecond))
			return os.Symlink(strings.TrimSpace(path), s.path("bin", name))
		case <-progress.C:
			note("%-16s still compiling after %s", name, time.Since(begun).Round(time.Second))
		}
	}
}

// start starts the members and the hub.
func (s *stage) start(ctx context.Context) error {
	heading("Starting %d members with controllers and nodes, and the hub: accord up", len(s.example.members))
	begun := time.Now()
	members, err := s.spawn("members", "--names", strings.Join(s.example.members, ","), "--controllers", "--nodes", "2", "--dir", s.path("members"))
	if err != nil {
		return err
	}
	s.configs = map[string]string{}
	for lines := bufio.NewScanner(members.out); len(s.configs) < len(s.example.members) && lines.Scan(); {
		var m struct{ Name, Kubeconfig string }
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("members: %w", err)
		}
		if m.Name != "" {
			s.configs[m.Name] = m.Kubeconfig
		}
	}
	if len(s.configs) < len(s.example.members) {
		return died("members")
	}
	if err := s.startHub(ctx); err != nil {
		return err
	}
	note("%d control planes ready after %s", len(s.example.members)+1, time.Since(begun).Round(100*time.Millisecond))
	return nil
}

// startHub starts the hub, with the data of the hub before it.
func (s *stage) startHub(ctx context.Context) (err error) {
	if s.up, err = s.spawn("accord", append([]string{"up", "--data-dir", s.path("hub")}, s.example.flags...)...); err != nil {
		return err
	}
	if err := until(ctx, settle, "the hub", func() (bool, error) {
		_, err := s.ask(ctx, "get", "crd", "federations.accord.dev")
		return err == nil, nil
	}); err != nil {
		return errors.Join(err, died("accord"))
	}
	return nil
}

// join makes a Cluster on the hub for each member.
func (s *stage) join(ctx context.Context) error {
	if len(s.example.pull) > 0 {
		if err := s.register(ctx); err != nil || len(s.example.pull) == len(s.example.members) {
			return err
		}
	}
	heading("Joining the members: accord join")
	if s.example.links {
		if err := s.openLinks(); err != nil {
			return err
		}
	}
	for _, m := range s.example.members {
		if slices.Contains(s.example.pull, m) {
			continue
		}
		args := []string{"join", m, "--member-kubeconfig", cmp.Or(s.joined[m], s.configs[m]), "--kubeconfig", s.hub()}
		if len(s.example.pull) > 0 { // somebody reads its members
			args = append(args, "--impersonate-user", reader)
		}
		out, err := command(ctx, s.path("bin", "accord"), args...)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(out, "\n")
		note("%s", first)
	}
	return nil
}

// declare makes the repository and applies the Federation that names it.
func (s *stage) declare(ctx context.Context) error {
	if _, err := command(ctx, "git", "init", "--quiet", "--bare", "--initial-branch=main", s.path("repository.git")); err != nil {
		return err
	}
	if _, err := command(ctx, "git", "clone", "--quiet", s.path("repository.git"), s.path("work")); err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join("examples", s.example.name, "federation.yaml"))
	if err != nil {
		return err
	}
	manifest = bytes.ReplaceAll(manifest, []byte("REPOSITORY"), []byte(s.path("repository.git")))
	if err := os.WriteFile(s.path("federation.yaml"), manifest, 0o600); err != nil {
		return err
	}
	_, err = s.ask(ctx, "apply", "-f", s.path("federation.yaml"))
	return err
}

// push commits the files of one directory of the example, in place of those of the same name.
func (s *stage) push(ctx context.Context, dir, subject, story string) (sha string, err error) {
	if err := s.commit(ctx, dir, subject, story); err != nil {
		return "", err
	}
	return s.pushed(ctx)
}

// commit commits the files of one step, and pushes nothing.
func (s *stage) commit(ctx context.Context, dir, subject, story string) error {
	s.commits++
	heading("Step %d: %s", s.commits, subject)
	note("%s", story)
	files, err := filepath.Glob(filepath.Join("examples", s.example.name, dir, "*.yaml"))
	if err != nil {
		return err
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(s.path("work"), filepath.Base(f)), content, 0o600); err != nil {
			return err
		}
	}
	if _, err := s.git(ctx, "add", "--all"); err != nil {
		return err
	}
	_, err = s.git(ctx, "commit", "--quiet", "-m", subject)
	return err
}

// pushed pushes what is committed, and returns the commit.
func (s *stage) pushed(ctx context.Context) (sha string, err error) {
	if _, err := s.git(ctx, "push", "--quiet", "origin", "HEAD:main"); err != nil {
		return "", err
	}
	log, err := s.git(ctx, "log", "-1", "--format=%H %s")
	if err != nil {
		return "", err
	}
	sha, subject, _ := strings.Cut(strings.TrimSpace(log), " ")
	note("git push: %s %q", sha[:7], subject)
	return sha, nil
}

// git works in the work tree.
func (s *stage) git(ctx context.Context, args ...string) (string, error) {
	return command(ctx, "git", append([]string{"-C", s.path("work"), "-c", "user.name=Demo", "-c", "user.email=demo@example.com"}, args...)...)
}

// keep prints how to play with what is running, and waits.
func (s *stage) keep(ctx context.Context) {
	heading("Still running. Interrupt (Ctrl-C) to end it and leave nothing behind.")
	fmt.Printf("  export KUBECONFIG=%s      # the hub\n", s.hub())
	for _, m := range s.example.members {
		fmt.Printf("  export KUBECONFIG=%s      # %s\n", s.configs[m], m)
	}
	fmt.Printf("  cd %s      # the work tree: edit, commit, push\n", s.path("work"))
	fmt.Printf("  %s status --kubeconfig %s -n demo\n", s.path("bin", "accord"), s.hub())
	<-ctx.Done()
}

// child is a process that the demo started, with the end of its log.
type child struct {
	*exec.Cmd
	log string
	in  io.Closer
	out io.Reader
}

// spawn starts one of the programs that were built.
func (s *stage) spawn(name string, args ...string) (*child, error) {
	c := &child{Cmd: exec.Command(s.path("bin", name), args...), log: s.path(name + ".log")}
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.Stderr = log
	if c.out, err = c.StdoutPipe(); err != nil {
		return nil, err
	}
	if c.in, err = c.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	s.running = append(s.running, c)
	return c, nil
}

// end ends a program with a signal and waits until it has ended.
func (s *stage) end(c *child, signal os.Signal) error {
	s.running = slices.DeleteFunc(s.running, func(x *child) bool { return x == c })
	if err := c.Process.Signal(signal); err != nil {
		return fmt.Errorf("%s has ended by itself: %w", filepath.Base(c.Path), err)
	}
	_ = c.in.Close()
	_ = c.Wait() // a killed program ends with an error
	return nil
}

// died returns the error that a program did not start; close prints its log.
func died(name string) error { return fmt.Errorf("%s did not start", name) }

// tail prints the end of a program's log.
func (c *child) tail() {
	log, err := os.ReadFile(c.log)
	if err != nil {
		return
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	fmt.Fprintf(os.Stderr, "\nthe end of the log of %s:\n%s\n", filepath.Base(c.Path), strings.Join(lines[max(0, len(lines)-15):], "\n"))
}

// close ends what was started, the last first.
func (s *stage) close(failed bool) {
	for i := len(s.running) - 1; i >= 0; i-- {
		c := s.running[i]
		if failed {
			c.tail()
		}
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = c.in.Close()
		_ = c.Wait()
	}
	for _, l := range s.links {
		_ = l.close()
	}
	if s.proxy != nil {
		_ = s.proxy.close()
	}
}

// ask runs kubectl against the hub.
func (s *stage) ask(ctx context.Context, args ...string) (string, error) {
	return command(ctx, s.path("bin", "kubectl"), append([]string{"--kubeconfig", s.hub()}, args...)...)
}

// command runs a program to its end and returns its output, or an error with all that it printed.
func command(ctx context.Context, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}

// until asks again and again, for at most limit.
func until(ctx context.Context, limit time.Duration, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
}

func heading(format string, args ...any) { fmt.Printf("\n== "+format+"\n", args...) }

func note(format string, args ...any) { fmt.Printf("   "+format+"\n", args...) }
