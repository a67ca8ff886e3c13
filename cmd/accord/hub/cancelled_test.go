package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// A process that stops logs no error of the work that it cancels, and every other one.
func TestStopping(t *testing.T) {
	var out bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	handler := Stopping(ctx, slog.NewTextHandler(&out, nil))
	log, libraries := slog.New(handler).With("cluster", "eu-1").WithGroup("g"), logr.FromSlogHandler(handler).WithName("client")
	wrapped := fmt.Errorf("listing clusters: %w", context.Canceled)

	log.Error("a request was cancelled", "error", wrapped)
	require.Contains(t, out.String(), "listing clusters: context canceled", "the process runs")

	stop()
	out.Reset()
	log.Error("writing", "error", wrapped)
	libraries.Error(wrapped, "Reconciler error")
	libraries.Error(nil, "Failed to watch", "err", "client rate limiter: context canceled")
	log.Error("Unhandled Error: context canceled")
	require.Empty(t, out.String())

	libraries.Error(errors.Join(errors.New("no space left")), "Reconciler error")
	log.Info("stopped")
	require.Contains(t, out.String(), "no space left")
	require.Contains(t, out.String(), "stopped")
}

// A request that its caller cancels logs no error of client-go: the caller gets it.
func TestALibraryLogsNoCancelledWork(t *testing.T) {
	var out bytes.Buffer
	SetLogger(slog.New(slog.NewTextHandler(&out, nil)))
	t.Cleanup(func() { SetLogger(slog.New(slog.DiscardHandler)) })

	klog.ErrorS(context.Canceled, "Unexpected error when reading response body")
	require.Empty(t, out.String())
	klog.ErrorS(errors.New("unexpected EOF"), "Unexpected error when reading response body")
	require.Contains(t, out.String(), "unexpected EOF")
}
