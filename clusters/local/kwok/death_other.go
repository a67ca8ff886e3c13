//go:build !linux

package kwok

import "os/exec"

// dieWithUs can do nothing where kernels do not offer it: the stop function has to be called.
func dieWithUs(*exec.Cmd) {}
