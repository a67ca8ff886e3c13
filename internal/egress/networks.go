package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// ErrAddress is the error of a connection to an address that Networks does not allow.
var ErrAddress = errors.New("the address is loopback, link-local or private, and no allowed network has it")

// Networks are the loopback, link-local and private networks that connections may reach. Public addresses are always allowed.
type Networks []netip.Prefix

// Everywhere allows every address.
func Everywhere() Networks {
	return Networks{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
}

// ParseNetworks reads CIDRs such as 10.0.0.0/8.
func ParseNetworks(cidrs []string) (Networks, error) {
	var n Networks
	for _, text := range cidrs {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("network %q is not a CIDR such as 10.0.0.0/8", text)
		}
		n = append(n, p.Masked())
	}
	return n, nil
}

// String returns the CIDRs, separated by commas.
func (n *Networks) String() string {
	all := make([]string, len(*n))
	for i, p := range *n {
		all[i] = p.String()
	}
	return strings.Join(all, ",")
}

// Set adds CIDRs, separated by commas. With String and Type it implements the value of a flag.
func (n *Networks) Set(text string) error {
	more, err := ParseNetworks(strings.Split(text, ","))
	*n = append(*n, more...)
	return err
}

// Type names the value in a help text.
func (*Networks) Type() string { return "CIDR" }

// shared is the address space of carriers and clouds (RFC 6598); nat64 has an IPv4 address at its end (RFC 6052).
var (
	shared = netip.MustParsePrefix("100.64.0.0/10")
	thisIP = netip.MustParsePrefix("0.0.0.0/8")
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
)

// Allow returns ErrAddress for an address that is not public, unless a network has it.
func (n Networks) Allow(ip netip.Addr) error {
	ip = ip.WithZone("").Unmap()
	if nat64.Contains(ip) {
		all := ip.As16()
		ip = netip.AddrFrom4([4]byte(all[12:]))
	}
	if !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast() && !ip.IsMulticast() && !ip.IsUnspecified() && !shared.Contains(ip) && !thisIP.Contains(ip) {
		return nil
	}
	for _, allowed := range n {
		if allowed.Contains(ip) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrAddress, ip)
}

// Dialer returns a dialer that checks every address after the name was resolved, right before the connection.
func (n Networks) Dialer() *net.Dialer {
	return &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("address %q: %w", address, err)
		}
		return n.Allow(at.Addr())
	}}
}

// HTTPTransport returns a transport with the dialer of the networks. The administrator of the process chose the proxies of the
// environment ($HTTPS_PROXY), so their addresses are not checked; a proxy resolves names by itself.
func (n Networks) HTTPTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	checked, proxied := n.Dialer(), &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	proxies := proxyAddresses(httpproxy.FromEnvironment())
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if proxies[address] {
			return proxied.DialContext(ctx, network, address)
		}
		return checked.DialContext(ctx, network, address)
	}
	return t
}

// proxyAddresses returns the addresses of the proxies as net/http dials them.
func proxyAddresses(c *httpproxy.Config) map[string]bool {
	found := map[string]bool{}
	for _, text := range []string{c.HTTPProxy, c.HTTPSProxy} {
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			u, err = url.Parse("http://" + text)
		}
		if err != nil {
			continue // net/http refuses it, too
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
		}
		found[net.JoinHostPort(u.Hostname(), port)] = true
	}
	return found
}
