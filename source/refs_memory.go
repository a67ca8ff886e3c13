package source

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/accord-dev/accord/internal/fairshare"
)

// maxRefs is the largest sum of the refs that servers have sent, in bytes, over all connections of a Cache. Hosts share it, see
// fairshare.Pool; decoded refs take some four times as much memory.
const maxRefs = 96 << 20

// refsAccount counts the refs of one connection, from the first byte until the connection closes.
type refsAccount struct {
	pool *fairshare.Pool
	host string
	used int64
}

// take counts bytes. It returns an error if the host has its share.
func (a *refsAccount) take(n int) error {
	if !a.pool.Take(int64(n), a.host) {
		return fmt.Errorf("%w: too many refs of %s are being read at once; accord tries again", ErrUnreachable, a.host)
	}
	a.used += int64(n)
	return nil
}

// release returns all bytes.
func (a *refsAccount) release() {
	if a.used > 0 {
		a.pool.Return(a.used, a.host)
		a.used = 0
	}
}

type refsAccountKey struct{}

// with returns a context whose requests count the bytes of their answers.
func (a *refsAccount) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, refsAccountKey{}, a)
}

// counted returns a reader that counts the bytes for the account of a context, if it has one.
func counted(ctx context.Context, r io.Reader) io.Reader {
	account, ok := ctx.Value(refsAccountKey{}).(*refsAccount)
	if !ok {
		return r
	}
	return countedReader{r, account}
}

type countedReader struct {
	io.Reader
	account *refsAccount
}

// Read implements io.Reader.
func (r countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if full := r.account.take(n); full != nil {
		return n, full
	}
	return n, err
}

// countingTransport counts the answers to requests with an account.
type countingTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{counted(r.Context(), answer.Body), answer.Body}
	return answer, nil
}
