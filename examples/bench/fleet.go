package main

import (
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

// build makes programs of this repository in dir; the first time it compiles Kubernetes, which takes minutes.
// Without symbols linking takes half the time; they make no difference to what runs.
func build(ctx context.Context, dir string, packages ...string) error {
	args := []string{"build", "-ldflags=-s", "-o", dir + "/"}
	for _, pkg := range packages {
		args = append(args, "github.com/accord-dev/accord/"+pkg)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("building: %w", err)
	}
	compile := exec.CommandContext(ctx, "go", args...)
	compile.Env = append([]string{"CGO_ENABLED=0"}, os.Environ()...) // as make build does, unless the environment says otherwise
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	return nil
}
