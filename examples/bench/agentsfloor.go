package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/cert"
)

// floorHub is the least that a hub in pull mode does: it answers the requests that wait, and sends one object. Its clients do the least that
// agents do: they fetch the object and apply it. Nobody plans, authorizes or reports.
type floorHub struct {
	mu      sync.Mutex
	version int
	object  []byte
	changed chan struct{} // closed by the next order
}

// ServeHTTP answers /index?after=VERSION once there is a newer version, and /object at once.
func (h *floorHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/object" {
		h.mu.Lock()
		defer h.mu.Unlock()
		_, _ = w.Write(h.object) // an error means that the client is gone
		return
	}
	after := r.URL.Query().Get("after")
	for {
		h.mu.Lock()
		version, changed := strconv.Itoa(h.version), h.changed
		h.mu.Unlock()
		if version != after {
			_, _ = io.WriteString(w, version)
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (h *floorHub) publish(o order) error {
	text, err := json.Marshal(workload{namespace: o.Namespace, objects: o.Objects}.object(o.From, o.Tag))
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	h.object = text
	close(h.changed)
	h.changed = make(chan struct{})
	return nil
}

// floorAgents runs a floorHub with a client for each member, each with a connection of its own, and carries out the orders that it reads.
// It answers each as soon as the hub has it: the members count what arrives.
func floorAgents(ctx context.Context, kubeconfigs string, names []string, in io.Reader, out io.Writer) error {
	h := &floorHub{changed: make(chan struct{})}
	address, roots, err := h.serve()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	failed := make(chan error, len(names))
	for _, name := range names {
		config, err := clientConfig(filepath.Join(kubeconfigs, name))
		if err != nil {
			return err
		}
		member, err := dynamic.NewForConfig(config)
		if err != nil {
			return fmt.Errorf("connecting to member %s: %w", name, err)
		}
		hub := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
		running.Go(func() { failed <- floorAgent(ctx, hub, address, member) })
	}
	orders, receipts := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading an order: %w", err)
		}
		var r receipt
		if err := h.publish(o); err != nil {
			r.Err = err.Error()
		}
		select {
		case err := <-failed:
			r.Err = fmt.Sprint("an agent of the floor ended: ", err)
		default:
		}
		if err := receipts.Encode(r); err != nil {
			return fmt.Errorf("writing a receipt: %w", err)
		}
	}
}

// serve serves until the process ends.
func (h *floorHub) serve() (address string, roots *x509.CertPool, err error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return "", nil, fmt.Errorf("making a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return "", nil, fmt.Errorf("making a certificate: %w", err)
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(certificate)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	return "https://" + listener.Addr().String(), roots, nil
}

// floorAgent fetches and applies one object after the other until ctx ends.
func floorAgent(ctx context.Context, hub *http.Client, address string, member dynamic.Interface) error {
	get := func(path string) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, nil)
		if err != nil {
			return nil, err
		}
		answer, err := hub.Do(request)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		return io.ReadAll(answer.Body)
	}
	spaced := false
	for version := "0"; ; {
		next, err := get("/index?after=" + version)
		if err != nil {
			return err
		}
		version = string(next)
		text, err := get("/object")
		if err != nil {
			return err
		}
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal(text, &u.Object); err != nil {
			return err
		}
		if !spaced {
			if err := apply(ctx, member, workload{namespace: u.GetNamespace()}.space()); err != nil {
				return err
			}
			spaced = true
		}
		if err := apply(ctx, member, u); err != nil {
			return err
		}
	}
}

// agentsFloor measures how one object gets to all members through a bare hub and bare agents.
func (r *agentsRound) agentsFloor(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := spawn(r.dir, asAgents+"-"+asFloor, self, append([]string{asAgents, "--floor"}, r.memberFlags(r.names())...)...)
	if err != nil {
		return err
	}
	defer p.stop()
	f := &floorSide{side{workload: workload{namespace: "floor", objects: 6}, process: p}}
	for i, tag := range []string{"1.0.0", "1.0.1"} { // the first opens the connections
		before, err := r.members.count(ctx)
		if err != nil {
			return err
		}
		used, err := p.cpu()
		if err != nil {
			return err
		}
		var floor arrival
		begun := time.Now()
		if err := f.do(f.order(0, 1, tag)); err != nil {
			return err
		}
		if err := r.reach(ctx, before, func(members int) { floor.saw(members, r.figures.members, time.Since(begun)) }); err != nil {
			return errors.Join(err, p.complain(errors.New("the floor did not reach all members")))
		}
		if i == 0 {
			if err := p.settle(ctx); err != nil {
				return err
			}
			continue
		}
		now, err := p.cpu()
		if err != nil {
			return err
		}
		r.points.floor, r.points.floorCPU = floor, now-used
	}
	return nil
}

// arrival is when an object was on so many members.
type arrival struct{ half, most time.Duration }

// saw records that the object was on some of all members after a time.
func (a *arrival) saw(members, all int, took time.Duration) {
	if a.half == 0 && members*2 >= all {
		a.half = took
	}
	if a.most == 0 && members*100 >= all*99 {
		a.most = took
	}
}
