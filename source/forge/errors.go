package forge

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Causes of errors, for errors.Is. Every error of this package with such a cause wraps it.
var (
	// ErrDenied means that the token is invalid or lacks a permission. The message names the permission.
	ErrDenied = errors.New("denied")
	// ErrNotFound means that there is no such repository, pull request or commit, or that the token may not see it.
	ErrNotFound = errors.New("not found")
	// ErrSignature means that a webhook is not signed with the key.
	ErrSignature = errors.New("the signature does not verify")
)

const (
	// defaultPause is the wait after a rate limit without a time; GitHub requires at least a minute:
	// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
	defaultPause = time.Minute
	// maxPause bounds the wait that a forge may ask for. The rate limit windows of all three forges are at most an
	// hour.
	maxPause = time.Hour
)

// RateLimitError means that the forge rejects requests until a time.
type RateLimitError struct {
	Until time.Time // at most an hour away
}

func (e *RateLimitError) Error() string {
	return fmt.Sprintf("rate limit reached, until %s", e.Until.UTC().Format(time.RFC3339))
}

// limitedUntil bounds the time that a forge names.
func limitedUntil(until, now time.Time) *RateLimitError {
	if !until.After(now) {
		until = now.Add(defaultPause)
	}
	if latest := now.Add(maxPause); until.After(latest) {
		until = latest
	}
	return &RateLimitError{Until: until}
}

// causeOf maps the error of a request to a cause. need names the permission that the token needs; response is nil if
// none came.
func causeOf(err error, response *http.Response, need string) error {
	if err == nil || response == nil {
		return err
	}
	if limit := rateLimit(response, time.Now()); limit != nil {
		return limit
	}
	switch response.StatusCode {
	case http.StatusUnauthorized:
		return fmt.Errorf("%w: the token is invalid or expired: it needs %s: %w", ErrDenied, need, err)
	case http.StatusForbidden:
		return fmt.Errorf("%w: the token needs %s: %w", ErrDenied, need, err)
	case http.StatusNotFound:
		return fmt.Errorf("%w, or the token may not see it: it needs %s: %w", ErrNotFound, need, err)
	}
	return err
}

// rateLimit returns nil for a response that is not about a rate limit. A 403 is about permissions unless its headers
// name a limit.
func rateLimit(response *http.Response, now time.Time) *RateLimitError {
	header := response.Header
	wait := header.Get("Retry-After")
	switch response.StatusCode {
	case http.StatusTooManyRequests:
	case http.StatusForbidden:
		if wait == "" && cmp.Or(header.Get("X-RateLimit-Remaining"), header.Get("RateLimit-Remaining")) != "0" {
			return nil
		}
	default:
		return nil
	}
	if seconds, err := strconv.ParseInt(wait, 10, 32); err == nil {
		return limitedUntil(now.Add(time.Duration(seconds)*time.Second), now)
	}
	if until, err := http.ParseTime(wait); err == nil {
		return limitedUntil(until, now)
	}
	// Both GitHub and GitLab send seconds since 1970.
	reset, _ := strconv.ParseInt(cmp.Or(header.Get("X-RateLimit-Reset"), header.Get("RateLimit-Reset")), 10, 64)
	return limitedUntil(time.Unix(reset, 0), now)
}
