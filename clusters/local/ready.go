package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// askEvery is the interval at which waitReady asks /readyz. One answer costs the server dozens of checks, which
// slows servers that start together.
const askEvery = 100 * time.Millisecond

// waitReady returns nil when the API server is ready, and an error when the server or the context ends first.
func waitReady(ctx context.Context, c *rest.Config, ended <-chan struct{}) error {
	client, err := rest.HTTPClientFor(c)
	if err != nil {
		return fmt.Errorf("connecting to the API server: %w", err)
	}
	defer client.CloseIdleConnections()
	for {
		answer := askReady(ctx, client, c.Host)
		if answer == nil {
			return nil
		}
		select {
		case <-ended: // its close reports the cause
			return errServerEnded
		case <-ctx.Done():
			return fmt.Errorf("waiting for the API server: %w (last answer: %w)", context.Cause(ctx), answer)
		case <-time.After(askEvery):
		}
	}
}

// askReady asks once, and returns nil if the server is ready.
func askReady(ctx context.Context, client *http.Client, server string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}
