package subprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// behaves, when set, turns the test binary into the program, with a control plane that behaves in one of these ways.
const behaves = "ACCORD_TEST_APISERVER"

func TestMain(m *testing.M) {
	how := os.Getenv(behaves)
	switch how {
	case "":
		os.Exit(m.Run())
	case "silent":
		os.Stderr.WriteString("panic: no memory\n")
		os.Exit(3)
	}
	if err := Serve("v1", os.Stdin, os.Stdout, os.Stderr, (&fake{how: how, done: make(chan struct{})}).start); err != nil {
		os.Exit(1)
	}
}

// fake is a control plane. It writes the settings to the file "settings" of their directory, and to "stopped" that it was stopped.
type fake struct {
	how  string
	dir  string
	done chan struct{}
}

func (f *fake) start(ctx context.Context, s Settings, log *slog.Logger) (Plane, error) {
	f.dir = s.Dir
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "settings"), text, 0o600); err != nil {
		return nil, err
	}
	log.Info("serving", "port", 7)
	log.Debug("a detail")
	switch f.how {
	case "taken":
		return nil, &Failure{Reason: PortTaken, Message: "port 7 is taken", Port: 7}
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	case "dies":
		time.AfterFunc(50*time.Millisecond, func() { os.Exit(4) })
	case "stuck":
		time.AfterFunc(time.Hour, func() { close(f.done) })
	}
	return f, nil
}

func (f *fake) Access() Access {
	return Access{Server: "https://127.0.0.1:7", Kubeconfig: filepath.Join(f.dir, "kubeconfig"), CA: []byte("CA"), Admin: Pair{"admin.crt", "admin.key"}, ClientAuthority: Pair{"none", "none"}}
}

func (f *fake) Done() <-chan struct{} { return f.done }

func (f *fake) Stop() error {
	if f.how == "stuck" {
		<-f.done
	}
	if f.how == "damaged" {
		return errors.New("the last write failed")
	}
	return os.WriteFile(filepath.Join(f.dir, "stopped"), nil, 0o600)
}

// options returns the options of a program that behaves so, and its log.
func options(t *testing.T, how string) (Options, *lockedBuffer) {
	t.Setenv(behaves, how)
	out := &lockedBuffer{}
	return Options{Program: os.Args[0], Version: "v1", Settings: Settings{Dir: t.TempDir(), Port: 7, Rebuild: true}, Log: slog.New(slog.NewTextHandler(out, nil))}, out
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestStartAndStop(t *testing.T) {
	o, log := options(t, "well")
	c, err := Start(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, "https://127.0.0.1:7", c.Config().Host)
	require.Equal(t, "admin.crt", c.Config().CertFile)
	require.Equal(t, []byte("CA"), c.Config().CAData)
	require.Equal(t, filepath.Join(o.Settings.Dir, "kubeconfig"), c.Kubeconfig())
	_, _, err = c.ClientAuthority()
	require.ErrorContains(t, err, "reading the authority of the hub: ")
	sent, err := os.ReadFile(filepath.Join(o.Settings.Dir, "settings"))
	require.NoError(t, err)
	require.JSONEq(t, `{"dir":"`+o.Settings.Dir+`","port":7,"rebuild":true}`, string(sent))
	require.NoError(t, c.Stop())
	require.NoError(t, c.Stop())
	require.FileExists(t, filepath.Join(o.Settings.Dir, "stopped"))
	require.Contains(t, log.String(), "level=INFO msg=serving port=7\n")
	require.NotContains(t, log.String(), "a detail")
}

// A program of another release is told nothing, so that it cannot open the data.
func TestAnotherVersionIsRefused(t *testing.T) {
	o, _ := options(t, "well")
	o.Version = "v2"
	_, err := Start(t.Context(), o)
	require.ErrorContains(t, err, os.Args[0]+" has version v1, and accord has v2: put that version of accord-apiserver beside accord")
	require.NoFileExists(t, filepath.Join(o.Settings.Dir, "settings"))
}

func TestFailures(t *testing.T) {
	o, _ := options(t, "taken")
	_, err := Start(t.Context(), o)
	require.Equal(t, &Failure{Reason: PortTaken, Message: "port 7 is taken", Port: 7}, err)

	o, log := options(t, "silent")
	_, err = Start(t.Context(), o)
	require.ErrorContains(t, err, "did not start: reading its version: EOF")
	require.ErrorContains(t, err, "accord-apiserver: exit status 3\npanic: no memory")
	require.Contains(t, log.String(), `level=ERROR msg="panic: no memory" component=accord-apiserver`)

	o, _ = options(t, "damaged")
	c, err := Start(t.Context(), o)
	require.NoError(t, err)
	require.EqualError(t, c.Stop(), "the last write failed")

	o, _ = options(t, "dies")
	c, err = Start(t.Context(), o)
	require.NoError(t, err)
	<-c.Done()
	require.ErrorContains(t, c.Stop(), "the hub ended, because accord-apiserver did")
	require.ErrorContains(t, c.Stop(), "exit status 4")
}

func TestTheContextEndsTheStart(t *testing.T) {
	o, _ := options(t, "slow")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := Start(ctx, o)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Nothing outlives accord: the program ends at once when the pipe closes, even in the middle of an end that takes long.
func TestServeEndsWithItsParent(t *testing.T) {
	for how, orders := range map[string]string{"well": "", "stuck": stopOrder + "\n"} {
		in, parent := io.Pipe()
		f, ended := &fake{how: how, done: make(chan struct{})}, make(chan error, 1)
		go func() { ended <- Serve("v1", in, io.Discard, io.Discard, f.start) }()
		text, err := json.Marshal(Settings{Dir: t.TempDir()})
		require.NoError(t, err)
		_, err = io.WriteString(parent, string(text)+"\n"+orders)
		require.NoError(t, err)
		require.NoError(t, parent.Close())
		require.ErrorIs(t, <-ended, ErrAbandoned)
	}
	require.ErrorIs(t, Serve("v1", strings.NewReader(""), io.Discard, io.Discard, nil), ErrAbandoned)
	require.ErrorContains(t, Serve("v1", strings.NewReader("--dir x\n"), io.Discard, io.Discard, nil), "reading the settings")
}

func TestFind(t *testing.T) {
	here, path := t.TempDir(), t.TempDir()
	program := func(dir string) string {
		file := filepath.Join(dir, Program)
		require.NoError(t, os.WriteFile(file, nil, 0o700))
		return file
	}
	t.Setenv("PATH", path)
	_, err := find([]string{filepath.Join(here, "accord")})
	require.ErrorContains(t, err, "accord-apiserver is neither beside accord nor in PATH")
	inPath := program(path)
	found, err := find([]string{filepath.Join(here, "accord")})
	require.NoError(t, err)
	require.Equal(t, inPath, found)
	beside := program(here)
	found, err = find([]string{filepath.Join(here, "accord")})
	require.NoError(t, err)
	require.Equal(t, beside, found)
	found, err = Find("/elsewhere/apiserver")
	require.NoError(t, err)
	require.Equal(t, "/elsewhere/apiserver", found)
}
