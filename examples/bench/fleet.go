package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// fleet is control planes in one process of their own: the members, or the hub.
type fleet struct {
	*process
	kubeconfigs map[string]string // by name
	configs     map[string]*rest.Config
}

// startFleet returns when all are ready; args go to the program. The process ends with its stdin, at the latest when this one is gone.
func startFleet(dir, program, name string, names []string, args ...string) (*fleet, error) {
	p, err := spawn(dir, name, program, append([]string{"--dir", filepath.Join(dir, name), "--names", strings.Join(names, ",")}, args...)...)
	if err != nil {
		return nil, err
	}
	f := &fleet{process: p, kubeconfigs: map[string]string{}, configs: map[string]*rest.Config{}}
	for {
		var line struct {
			Name, Kubeconfig string
			Ready            bool
		}
		if err := p.read(&line); err != nil {
			p.stop()
			return nil, err
		}
		if line.Ready {
			return f, nil
		}
		f.kubeconfigs[line.Name] = line.Kubeconfig
		if f.configs[line.Name], err = clientConfig(line.Kubeconfig); err != nil {
			p.stop()
			return nil, err
		}
	}
}

// build links programs of this repository into dir, and builds those that the go command's cache does not have. The first
// time it compiles Kubernetes, which takes minutes.
func build(ctx context.Context, dir string, names ...string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("building: %w", err)
	}
	for _, name := range names {
		var errs bytes.Buffer
		tool := exec.CommandContext(ctx, "go", "tool", "-n", name)
		tool.Env = append([]string{"CGO_ENABLED=0"}, os.Environ()...) // as make build does, unless the environment says otherwise
		tool.Stderr = &errs
		path, err := tool.Output()
		if err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, &errs)
		}
		if err := os.Symlink(strings.TrimSpace(string(path)), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("building %s: %w", name, err)
		}
	}
	return nil
}
