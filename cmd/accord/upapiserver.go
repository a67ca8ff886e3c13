package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/accord-dev/accord/clusters/local/subprocess"
	"github.com/accord-dev/accord/internal/version"
)

// start starts the API server with the data below dir.
func (f *upFlags) start(ctx context.Context, dir string, log *slog.Logger) (*subprocess.ControlPlane, error) {
	program, err := subprocess.Find(f.apiserver)
	if err != nil {
		return nil, err
	}
	mine := version.Get().Version
	if err := refuseLaterData(dir, mine); err != nil {
		return nil, err
	}
	settings := subprocess.Settings{Dir: filepath.Join(dir, "hub"), Port: f.port, Rebuild: f.rebuild, RotateKey: f.rotateKey, AuditLog: f.auditLog}
	plane, err := subprocess.Start(ctx, subprocess.Options{Program: program, Version: mine, Settings: settings, Log: log})
	if err != nil {
		return nil, f.wayOut(err)
	}
	if err := recordVersion(dir, mine); err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	return plane, nil
}

// wayOut adds the remedy to an error of the start.
func (f *upFlags) wayOut(err error) error {
	failure, reported := errors.AsType[*subprocess.Failure](err)
	switch {
	case !reported:
		return err
	case failure.Reason == subprocess.DamagedStore:
		return fmt.Errorf("%w; restore %s from a backup, or start with a new store: \"accord up --rebuild\" keeps the damaged one, "+
			"and adopts the objects on the members when you join them and apply the Federations again", err, f.dataDir)
	case failure.Reason == subprocess.PortTaken:
		return fmt.Errorf("%w; stop that process, or select another port with --port, which changes the address in the kubeconfig (find the process with \"ss -ltnp sport = :%d\")", err, failure.Port)
	default:
		return err
	}
}
