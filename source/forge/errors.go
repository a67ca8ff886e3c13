package forge

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// What a forge may answer beside what was asked for. Every error of this package that has such a cause wraps it.
var (
	// ErrDenied says that the token is not valid or does not reach far enough. The message names what it needs.
	ErrDenied = errors.New("denied")
	// ErrNotFound says that there is no such repository, pull request or commit, or that the token may not see it.
	ErrNotFound = errors.New("not found")
	// ErrSignature says that a webhook is not signed with the key.
	ErrSignature = errors.New("the signature does not verify")
)

const (
	// defaultPause is how long to wait when a forge does not say; GitHub asks for a minute at least:
	// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
	defaultPause = time.Minute
	// maxPause bounds what a forge may ask for. No window of the three is longer than an hour.
	maxPause = time.Hour
)

// RateLimitError says that the forge wants to be left alone for a while.
type RateLimitError struct {
	Until time.Time // when it will listen again; at most an hour away
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

// refused says what an answer means. need is what a token must be allowed to; response is nil if none came.
func refused(err error, response *http.Response, need string) error {
	if err == nil || response == nil {
		return err
	}
	if limit := rateLimit(response, time.Now()); limit != nil {
		return limit
	}
	switch response.StatusCode {
	case http.StatusUnauthorized:
		return fmt.Errorf("%w: the token is not valid (any more): it needs %s: %w", ErrDenied, need, err)
	case http.StatusForbidden:
		return fmt.Errorf("%w: the token needs %s: %w", ErrDenied, need, err)
	case http.StatusNotFound:
		return fmt.Errorf("%w, or the token may not see it: it needs %s: %w", ErrNotFound, need, err)
	}
	return err
}

// rateLimit is nil for an answer that is about something else. A 403 is about permissions unless it says otherwise.
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
	// Both GitHub and GitLab count the seconds since 1970 here.
	reset, _ := strconv.ParseInt(cmp.Or(header.Get("X-RateLimit-Reset"), header.Get("RateLimit-Reset")), 10, 64)
	return limitedUntil(time.Unix(reset, 0), now)
}
