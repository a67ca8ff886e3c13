package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/accord-dev/accord/internal/egress"
)

const (
	// signatureHeader has "sha256=" and the HMAC-SHA256 of the body in hex, as GitHub and Flux sign.
	signatureHeader = "X-Signature"
	requestTimeout  = 10 * time.Second
	// maxAnswer bounds the part of an answer that is read before the connection is used again.
	maxAnswer = 4 << 10
)

// receiver is the Secret of a notification.
type receiver struct {
	address string
	key     []byte // signs the body; empty: it is not signed
	ca      []byte // in PEM, trusted beside the roots of the system
}

// post sends the body. The address is a secret, because that of Slack is a credential: no error has it.
func (r receiver) post(ctx context.Context, networks egress.Networks, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil || request.URL.Scheme != "https" || request.URL.Host == "" {
		return errors.New("the key url of the Secret is no https:// URL")
	}
	client, err := r.client(networks)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	request.Header.Set("Content-Type", "application/json")
	if len(r.key) > 0 {
		request.Header.Set(signatureHeader, "sha256="+sign(r.key, body))
	}
	answer, err := client.Do(request)
	if err != nil {
		return withoutURL(err)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // the status decides
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	return nil
}

// client returns a client that follows no redirect, because a receiver must not send the body elsewhere.
func (r receiver) client(networks egress.Networks) (*http.Client, error) {
	roots, ok := egress.Roots(r.ca)
	if !ok {
		return nil, errors.New("the key ca.crt of the Secret has no certificate in PEM")
	}
	transport := networks.HTTPTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

// sign returns the HMAC-SHA256 of the body in hex.
func sign(key, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// withoutURL drops the address from an error of net/http.
func withoutURL(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("sending the request: %w", failed.Err)
	}
	return err
}

// trimmed returns the value of a Secret without the line break that editors add.
func trimmed(value []byte) string { return strings.TrimSpace(string(value)) }
