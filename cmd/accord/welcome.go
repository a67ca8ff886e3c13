package main

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// welcome returns the addresses and the next steps.
func (f *upFlags) welcome(host, kubeconfig, dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "accord is up: %s\n  kubeconfig  %s\n  data        %s\n", host, kubeconfig, dir)
	if f.controllers.hook.Address != "" {
		fmt.Fprintf(&b, "  push hook   POST http://%s/hook/<namespace>/<federation>\n", f.controllers.hook.Address)
	}
	fmt.Fprintf(&b, `next:
  export %s=%s
  accord join NAME --member-context CONTEXT    # make a cluster a member
  accord apply -f federation.yaml              # declare the repository
  accord status
`, hub.KubeconfigEnv, kubeconfig)
	return b.String()
}
