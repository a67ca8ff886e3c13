package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
)

// touchesNoMember looks at the connections of the hub's process: none may lead to a member. Only Linux shows them.
func (s *stage) touchesNoMember() error {
	if runtime.GOOS != "linux" {
		note("(only Linux shows the connections of a process)")
		return nil
	}
	found, err := peerPorts(s.up.Process.Pid)
	if err != nil {
		return err
	}
	for _, m := range s.example.members {
		port, err := s.portOf(m)
		if err != nil {
			return err
		}
		if found[port] {
			return fmt.Errorf("the hub is connected to %s at port %s", m, port)
		}
		agent, err := peerPorts(s.agents[m].Process.Pid)
		if err != nil {
			return err
		}
		if !agent[port] {
			return fmt.Errorf("the agent of %s is not connected to port %s: the connections are read wrongly", m, port)
		}
	}
	note("read the connections of the hub's process: none leads to a member")
	return nil
}

// portOf returns the port of the API server of a member.
func (s *stage) portOf(member string) (string, error) {
	cfg, err := clientcmd.LoadFromFile(s.configs[member])
	if err != nil {
		return "", err
	}
	server, err := url.Parse(cfg.Clusters[cfg.Contexts[cfg.CurrentContext].Cluster].Server)
	if err != nil {
		return "", err
	}
	return server.Port(), nil
}

// peerPorts returns the remote ports of the TCP connections of a process.
func peerPorts(pid int) (map[string]bool, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	links, err := filepath.Glob(filepath.Join(dir, "fd", "*"))
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil { // else it was closed meanwhile
			own[target] = true
		}
	}
	ports := map[string]bool{}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join(dir, "net", table))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) { // sl local_address rem_address st ... inode
			fields := strings.Fields(line)
			if len(fields) < 10 || !own["socket:["+fields[9]+"]"] {
				continue
			}
			_, hex, _ := strings.Cut(fields[2], ":")
			port, err := strconv.ParseUint(hex, 16, 16)
			if err != nil {
				return nil, err
			}
			ports[strconv.FormatUint(port, 10)] = true
		}
	}
	return ports, nil
}
