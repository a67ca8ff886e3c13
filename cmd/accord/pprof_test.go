package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestProfilesAreServedOnLoopbackOnly(t *testing.T) {
	for address, c := range map[string]struct{ kept, says string }{
		"127.0.0.1:6060":   {kept: "127.0.0.1:6060"},
		"127.9.9.9:6060":   {kept: "127.9.9.9:6060"},
		"[::1]:6060":       {kept: "[::1]:6060"},
		"localhost:6060":   {kept: "127.0.0.1:6060"},
		":6060":            {says: "use a loopback address"},
		"0.0.0.0:6060":     {says: "use a loopback address"},
		"[::]:6060":        {says: "use a loopback address"},
		"10.0.0.1:6060":    {says: "use a loopback address, for example 127.0.0.1:6060"},
		"example.com:6060": {says: "use a loopback address"},
		"localhost.:6060":  {says: "use a loopback address"},
		"6060":             {says: "expected host:port"},
	} {
		t.Run(address, func(t *testing.T) {
			var f controllerFlags
			flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
			f.register(flags, false)
			err := flags.Parse([]string{"--pprof", address})
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.kept, string(f.pprof))
		})
	}
}

func TestProfiles(t *testing.T) {
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	stop, err := pprofAddress("127.0.0.1:0").serve(log)
	require.NoError(t, err)
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(said.String())[1]
	for path, has := range map[string]string{
		"":                  "full goroutine stack dump",
		"goroutine?debug=1": "goroutine profile: total",
		"heap?debug=1&gc=1": "# HeapAlloc = ",
		"symbol":            "num_symbols: 1",
	} {
		require.Contains(t, get(t, "http://"+address+"/debug/pprof/"+path), has, path)
	}
	stop()
	_, err = http.Get("http://" + address + "/debug/pprof/")
	require.Error(t, err)
}

func TestNoProfilesUnlessAskedFor(t *testing.T) {
	var said bytes.Buffer
	stop, err := pprofAddress("").serve(slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	stop()
	require.Empty(t, said.String())
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}
