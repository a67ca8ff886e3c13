//go:build unix

package background

import (
	"os/exec"
	"syscall"
)

// stopSignal ends a hub in good order.
const stopSignal = syscall.SIGTERM

// ownSession keeps the signals of the terminal from the new process, and lets it live when the terminal closes.
func ownSession(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}
