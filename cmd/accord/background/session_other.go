//go:build !unix

package background

import (
	"errors"
	"os"
	"os/exec"
)

var stopSignal = os.Interrupt

// ownSession refuses the system, which has no sessions and no signal that ends another process in good order.
func ownSession(*exec.Cmd) error {
	return errors.New("this system has no sessions: run \"accord up\" without --detach, in a terminal or as a service")
}
