package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child that is measured, or that must not be measured along with another.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *json.Decoder // of its stdout
	log   string        // file of its stderr
	ended chan struct{} // closed when it is gone
}

// ticks is the number of units of CPU time in /proc per second: 100 on every Linux that Go supports.
const ticks = 100

// spawn starts a program whose stderr goes to a file in dir.
func spawn(dir, name, path string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.Command(path, args...), log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	defer log.Close()
	p.cmd.Stderr = log
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	p.cmd.Stdout, p.lines = in, json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	in.Close()
	go func() { // ends with the child
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop asks the child to end and waits until it is gone. The end of its stdin is one way to ask, a signal another.
func (p *process) stop() {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(30 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// read reads one line of the child's stdout.
func (p *process) read(into any) error {
	if err := p.lines.Decode(into); err != nil {
		return p.complain(err)
	}
	return nil
}

// complain adds the end of the child's log to an error.
func (p *process) complain(err error) error {
	said, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return fmt.Errorf("%s: %w; the end of its log:\n%s", p.name, err, strings.Join(lines[max(0, len(lines)-10):], "\n"))
}

// pids are the process and its children: "accord up" runs the API server of the hub in one.
func (p *process) pids() ([]string, error) {
	own := strconv.Itoa(p.cmd.Process.Pid)
	files, err := filepath.Glob("/proc/" + own + "/task/*/children")
	if err != nil {
		return nil, err
	}
	all := []string{own}
	for _, file := range files {
		children, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		all = append(all, strings.Fields(string(children))...)
	}
	return all, nil
}

// sum adds a figure of the process and its children.
func sum[T ~int64](p *process, of func(pid string) (T, error)) (T, error) {
	pids, err := p.pids()
	if err != nil {
		return 0, fmt.Errorf("processes of %s: %w", p.name, err)
	}
	var all T
	for _, pid := range pids {
		n, err := of(pid)
		if err != nil {
			return 0, fmt.Errorf("figures of %s: %w", p.name, err)
		}
		all += n
	}
	return all, nil
}

// cpu is the CPU time that the process and its children used so far, in user and kernel.
func (p *process) cpu() (time.Duration, error) { return sum(p, cpuOf) }

// own is the CPU time that the process itself used so far.
func (p *process) own() (time.Duration, error) { return cpuOf(strconv.Itoa(p.cmd.Process.Pid)) }

func cpuOf(pid string) (time.Duration, error) {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, err
	}
	// The second field is the name in parentheses and may hold anything; utime and stime are fields 14 and 15.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var used time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		used += time.Duration(n) * time.Second / ticks
	}
	return used, nil
}

// memory is the resident set in bytes, now ("VmRSS") or at its peak ("VmHWM").
func (p *process) memory(which string) (int64, error) {
	return sum(p, func(pid string) (int64, error) {
		text, err := os.ReadFile("/proc/" + pid + "/status")
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(line, which+":"); ok {
				kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
				return kb << 10, err
			}
		}
		return 0, fmt.Errorf("no %s in /proc", which)
	})
}

// settle returns when the child has been idle for a second.
func (p *process) settle(ctx context.Context) error {
	const idle = 20 * time.Millisecond
	before, err := p.cpu()
	for err == nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to come to rest: %w", p.name, context.Cause(ctx))
		case <-time.After(time.Second):
		}
		var now time.Duration
		if now, err = p.cpu(); err == nil && now-before <= idle {
			return nil
		}
		before = now
	}
	return err
}
