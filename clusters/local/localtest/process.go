package localtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// A Process runs control planes until Kill, at the latest until this process ends.
type Process struct {
	Planes map[string]*ControlPlane // by name

	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer  // may be read when done is closed
	done   chan struct{} // closed when the process is gone
}

// Launch runs one control plane per name below dir, and returns when all are ready. A directory that a killed
// Process leaves behind yields the same control planes, on the same ports.
func Launch(dir string, names ...string) (*Process, error) {
	return launch("--dir", dir, "--names", strings.Join(names, ","))
}

func attach(nodes int, clusters []*ControlPlane) (*Process, error) {
	var kubeconfigs []string
	for _, c := range clusters {
		kubeconfigs = append(kubeconfigs, c.kubeconfig)
	}
	return launch("--attach", strings.Join(kubeconfigs, ","), "--controllers", "--nodes", strconv.Itoa(nodes))
}

// launch starts the program. It waits while another go command still copies the program into the build cache.
func launch(args ...string) (*Process, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(copyTimeout); ; time.Sleep(copyPoll) {
		p, err := start(path, args)
		if !errors.Is(err, syscall.ETXTBSY) || time.Now().After(deadline) {
			return p, err
		}
	}
}

const (
	// copyTimeout bounds the wait for a program that is being copied, copyPoll is how often it is tried.
	copyTimeout = 10 * time.Second
	copyPoll    = 50 * time.Millisecond
)

func start(path string, args []string) (_ *Process, err error) {
	p := &Process{Planes: map[string]*ControlPlane{}, cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env = append([]string{"GOGC=300"}, os.Environ()...) // a sixth less CPU time of a start, for 30 MB per control plane
	p.cmd.Stderr = &p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting control planes: %w", err)
	}
	err = p.await(json.NewDecoder(stdout))
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, stdout)
		_ = p.cmd.Wait()
		close(p.done)
	}()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting control planes: %w", err), p.fail())
	}
	return p, nil
}

// await reads the output of the program until all members are ready.
func (p *Process) await(lines *json.Decoder) error {
	for {
		var line struct {
			Name, Kubeconfig string
			Ready            bool
		}
		if err := lines.Decode(&line); err != nil {
			return err
		}
		if line.Ready {
			return nil
		}
		config, err := clientcmd.BuildConfigFromFlags("", line.Kubeconfig)
		if err != nil {
			return err
		}
		config.QPS = -1
		p.Planes[line.Name] = &ControlPlane{kubeconfig: line.Kubeconfig, config: config}
	}
}

// Kill ends the process with SIGKILL and returns when it is gone. It returns an error if the process ended earlier.
func (p *Process) Kill() error {
	select {
	case <-p.done:
		return p.fail()
	default:
	}
	_ = p.cmd.Process.Kill() // an error means that it is gone
	<-p.done
	return nil
}

// fail waits for the end of a process that cannot go on, and returns its last output.
func (p *Process) fail() error {
	_ = p.stdin.Close() // it may be gone
	<-p.done
	return fmt.Errorf("the control planes ended: %s\n%s", p.cmd.ProcessState, &p.stderr)
}
