package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// A reporter writes one line at a time, from any goroutine. It ignores errors: a reader that is gone ends this
// program by closing its stdin.
type reporter struct {
	mu       sync.Mutex
	out      *json.Encoder
	progress io.Writer
}

func (r *reporter) ready(m member, after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.progress, "member %s ready after %.1fs\n", m.name, after.Seconds())
	_ = r.out.Encode(struct {
		Name       string `json:"name"`
		Kubeconfig string `json:"kubeconfig"`
		Server     string `json:"server"`
	}{m.name, m.kubeconfig, m.server})
}

func (r *reporter) allReady() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.out.Encode(struct {
		Ready bool `json:"ready"`
	}{true})
}
