package main

import (
	"context"
	"fmt"
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

// startFleet returns when all are ready. The process ends with its stdin, at the latest when this one is gone.
func startFleet(dir, program, name string, names []string) (*fleet, error) {
	p, err := spawn(dir, name, program, "--dir", filepath.Join(dir, name), "--names", strings.Join(names, ","))
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

// build makes a program of this repository; the first time it compiles Kubernetes, which takes minutes.
func build(ctx context.Context, dir, pkg string) (string, error) {
	program := filepath.Join(dir, "bin", filepath.Base(pkg))
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/accord-dev/accord/"+pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return program, nil
}
