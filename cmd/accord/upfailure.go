package main

import (
	"errors"
	"fmt"

	"github.com/accord-dev/accord/clusters/local"
)

// wayOut adds the remedy to an error of the start.
func (f *upFlags) wayOut(err error) error {
	if _, damaged := errors.AsType[*local.DamagedStoreError](err); damaged {
		return fmt.Errorf("%w; restore %s from a backup, or start with a new store: \"accord up --rebuild\" keeps the damaged one, "+
			"and adopts the objects on the members when you join them and apply the Federations again", err, f.dataDir)
	}
	if taken, ok := errors.AsType[*local.PortTakenError](err); ok {
		return fmt.Errorf("%w; stop that process, or select another port with --port, which changes the address in the kubeconfig (find the process with \"ss -ltnp sport = :%d\")", err, taken.Port)
	}
	return err
}
