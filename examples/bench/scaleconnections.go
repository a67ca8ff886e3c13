package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
)

// connections returns the number of open TCP connections of a process to members.
func (p *process) connections(members map[string]*rest.Config) (int, error) {
	ports := map[uint64]bool{}
	for name, config := range members {
		u, err := url.Parse(config.Host)
		if err != nil {
			return 0, fmt.Errorf("address of %s: %w", name, err)
		}
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil {
			return 0, fmt.Errorf("address of %s: %w", name, err)
		}
		ports[port] = true
	}
	sockets, err := p.sockets()
	if err != nil {
		return 0, err
	}
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("connections of %s: %w", p.name, err)
	}
	n := 0
	for inode, port := range established(table) {
		if sockets[inode] && ports[port] {
			n++
		}
	}
	return n, nil
}

// sockets are the inodes of those that a process has open.
func (p *process) sockets() (map[string]bool, error) {
	dir := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("connections of %s: %w", p.name, err)
	}
	sockets := map[string]bool{}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if inode, is := strings.CutPrefix(target, "socket:["); err == nil && is { // an error: closed meanwhile
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return sockets, nil
}

// established are the remote ports of the connections in a table of /proc/net/tcp by inode. Its columns are number, local and
// remote address in hexadecimal, state (01 is established), queues, timer, retransmits, uid, timeout, inode.
func established(table []byte) map[string]uint64 {
	open := map[string]uint64{}
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		columns := strings.Fields(lines.Text())
		if len(columns) < 10 || columns[3] != "01" {
			continue
		}
		_, remote, _ := strings.Cut(columns[2], ":")
		if port, err := strconv.ParseUint(remote, 16, 16); err == nil {
			open[columns[9]] = port
		}
	}
	return open
}
