package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// profileSeconds is the length of one CPU profile; a longer step has several.
const profileSeconds = 10

// profile keeps CPU profiles of accord while a step goes on, if profiles are kept. stored ends them, and waits for the last one.
func (b *bench) profile(ctx context.Context, step string) (stored func() error) {
	if b.profiles == "" || step == "" {
		return func() error { return nil }
	}
	ended, result := make(chan struct{}), make(chan error, 1)
	go func() { result <- b.ours.profile(ctx, filepath.Join(b.profiles, step), ended) }()
	return func() error {
		close(ended)
		return <-result
	}
}

// profile keeps one CPU profile of accord after the other, as path-1.cpu and so on, until ended is closed.
func (o *ourSide) profile(ctx context.Context, path string, ended <-chan struct{}) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keeping a profile: %w", err)
	}
	for n := 1; ; n++ {
		text, err := o.ask(ctx, fmt.Sprintf("profile?seconds=%d", profileSeconds))
		if err != nil {
			return err
		}
		if err := os.WriteFile(fmt.Sprintf("%s-%d.cpu", path, n), text, 0o644); err != nil {
			return fmt.Errorf("keeping a profile: %w", err)
		}
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

// ask requests a profile of accord.
func (o *ourSide) ask(ctx context.Context, profile string) ([]byte, error) {
	return o.getProfile(ctx, http.DefaultClient, "http://"+o.pprof+"/debug/pprof/"+profile)
}

// getProfile requests a profile of accord or of its API server.
func (o *ourSide) getProfile(ctx context.Context, c *http.Client, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, o.process.complain(fmt.Errorf("profile %s: %w", url, err))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("profile %s: %s: %w", url, response.Status, err)
	}
	return text, nil
}
