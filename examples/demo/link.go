package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
)

// link is the network between the hub and one member. While it is cut, it accepts connections and answers nothing.
type link struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	isCut bool
	open  map[net.Conn]bool // both ends of each connection
	ended sync.WaitGroup
}

// newLink opens a link to an address.
func newLink(target string) (l *link, err error) {
	l = &link{target: target, open: map[net.Conn]bool{}}
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	l.ended.Go(l.accept)
	return l, nil
}

// linkTo opens a link to a member, and writes a kubeconfig that leads through it.
func linkTo(direct, written string) (*link, error) {
	config, err := clientcmd.LoadFromFile(direct)
	if err != nil {
		return nil, err
	}
	var l *link
	for _, c := range config.Clusters {
		server, err := url.Parse(c.Server)
		if err != nil {
			return nil, err
		}
		if l, err = newLink(server.Host); err != nil {
			return nil, err
		}
		server.Host = l.listener.Addr().String()
		c.Server = server.String()
	}
	if l == nil {
		return nil, errors.New("the kubeconfig has no cluster")
	}
	if err := clientcmd.WriteToFile(*config, written); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.ended.Go(func() { l.serve(near) })
	}
}

// serve copies a connection to the member and back. A connection that begins while the link is cut gets no answer.
func (l *link) serve(near net.Conn) {
	defer l.drop(near)
	if !l.keep(near) {
		_, _ = io.Copy(io.Discard, near) // until the other side gives up, or the link is whole again
		return
	}
	far, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", l.target)
	if err != nil {
		return
	}
	defer l.drop(far)
	l.keep(far)
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, near); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
}

// keep records an open connection, and reports whether the link is whole.
func (l *link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = true
	return !l.isCut
}

func (l *link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
	_ = c.Close()
}

// set cuts the link, or makes it whole. Either way the open connections end.
func (l *link) set(isCut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = isCut
	for c := range l.open {
		_ = c.Close()
	}
}

func (l *link) close() error {
	err := l.listener.Close()
	l.set(true)
	l.ended.Wait()
	return err
}

// openLinks puts a link between the hub and each member; with a proxy, between the hub and the proxy.
func (s *stage) openLinks() error {
	s.links, s.joined = map[string]*link{}, map[string]string{}
	if err := os.Mkdir(s.path("links"), 0o700); err != nil {
		return err
	}
	for _, m := range s.example.members {
		s.joined[m] = s.path("links", m)
		if err := s.openLink(m); err != nil {
			return fmt.Errorf("link to %s: %w", m, err)
		}
	}
	return nil
}

func (s *stage) openLink(member string) (err error) {
	if member != s.example.proxied {
		s.links[member], err = linkTo(s.configs[member], s.joined[member])
		return err
	}
	if s.proxy, err = newProxy(); err != nil {
		return err
	}
	if s.links[member], err = newLink(s.proxy.listener.Addr().String()); err != nil {
		return err
	}
	return through(s.configs[member], s.joined[member], s.links[member].listener.Addr().String())
}

// cut cuts or restores the network between the hub and members.
func (s *stage) cut(isCut bool, members ...string) {
	for _, m := range members {
		s.links[m].set(isCut)
	}
}

// cutOff returns the member whose link is cut; empty for none.
func (s *stage) cutOff() string {
	for m, l := range s.links {
		if l.cut() {
			return m
		}
	}
	return ""
}

// cut reports whether the link is cut.
func (l *link) cut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isCut
}
