package kwok

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel kill the child when this process ends, even by kill -9.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
