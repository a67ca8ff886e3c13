package egress

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpproxy"
)

func TestHostileAddresses(t *testing.T) {
	for _, refused := range []string{
		"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "fe80::1%eth0",
		"fd00:ec2::254", "0.0.0.0", "0.1.2.3", "::", "100.100.100.200", "224.0.0.1", "64:ff9b::7f00:1", "::ffff:10.0.0.1",
	} {
		require.ErrorIs(t, Networks{}.Allow(netip.MustParseAddr(refused)), ErrAddress, refused)
		require.NoError(t, Everywhere().Allow(netip.MustParseAddr(refused)), refused)
	}
	for _, public := range []string{"8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808"} {
		require.NoError(t, Networks{}.Allow(netip.MustParseAddr(public)), public)
	}
	ten, err := ParseNetworks([]string{"10.0.0.0/8", " fd00::/8"})
	require.NoError(t, err)
	require.NoError(t, ten.Allow(netip.MustParseAddr("10.1.2.3")))
	require.NoError(t, ten.Allow(netip.MustParseAddr("fd00:ec2::254")))
	require.ErrorIs(t, ten.Allow(netip.MustParseAddr("127.0.0.1")), ErrAddress)
	_, err = ParseNetworks([]string{"10.0.0.1"})
	require.EqualError(t, err, `network "10.0.0.1" is not a CIDR such as 10.0.0.0/8`)
}

// TestHostileNames: the address counts, not the name: localhost is resolved before the check.
func TestHostileNames(t *testing.T) {
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	t.Cleanup(server.Close)
	_, port, _ := cutLast(server.URL)
	for _, url := range []string{server.URL, "http://localhost:" + port} {
		client := &http.Client{Transport: Networks{}.HTTPTransport()}
		_, err := client.Get(url)
		require.ErrorIs(t, err, ErrAddress, url)
	}
	require.Zero(t, reached)
	answer, err := (&http.Client{Transport: Everywhere().HTTPTransport()}).Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 1, reached)
}

func cutLast(url string) (string, string, bool) {
	for i := len(url) - 1; i >= 0; i-- {
		if url[i] == ':' {
			return url[:i], url[i+1:], true
		}
	}
	return url, "", false
}

func TestProxyAddresses(t *testing.T) {
	require.Equal(t, map[string]bool{"proxy.example:3128": true, "10.0.0.1:443": true},
		proxyAddresses(&httpproxy.Config{HTTPProxy: "proxy.example:3128", HTTPSProxy: "https://user:pw@10.0.0.1"}))
	require.Empty(t, proxyAddresses(&httpproxy.Config{}))
}
