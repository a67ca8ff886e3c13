package breaker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const requestTimeout = 30 * time.Second

// patient is a member behind a breaker, as the breaker sees it: an answer, or none.
type patient struct {
	t       *testing.T
	breaker *Breaker
	answer  func(*http.Request) (*http.Response, error)
	sent    atomic.Int64
}

func newPatient(t *testing.T) *patient {
	return &patient{t: t, breaker: New(), answer: saying(http.StatusOK, "")}
}

// RoundTrip is the transport behind the breaker.
func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	p.sent.Add(1)
	return p.answer(r)
}

func (p *patient) ask(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member/apis", http.NoBody)
	require.NoError(p.t, err)
	answer, err := Transport{p.breaker, p}.RoundTrip(r)
	if err == nil {
		require.NoError(p.t, answer.Body.Close())
	}
	return err
}

func (p *patient) request() error { return p.ask(p.t.Context()) }
func (p *patient) probe() error   { return p.ask(WithProbe(p.t.Context())) }

// is requires a state.
func (p *patient) is(s State) {
	p.t.Helper()
	require.Equal(p.t, s, p.breaker.Status().State)
}

func saying(code int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func failingWith(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hanging is a cluster that accepts connections and never responds.
func hanging(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// bubble runs a test on a clock of its own.
func bubble(t *testing.T, f func(p *patient)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newPatient(t)) })
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func answered(text string) func(error) bool {
	return func(err error) bool {
		var status apierrors.APIStatus
		return errors.As(err, &status) && strings.Contains(err.Error(), text)
	}
}

func TestOpenBreaker(t *testing.T) {
	hang := func(p *patient) {
		p.answer = hanging
		ctx, cancel := context.WithTimeout(p.t.Context(), requestTimeout)
		defer cancel()
		require.Error(p.t, p.ask(ctx))
	}
	several := func(n int, answer func(*http.Request) (*http.Response, error)) func(*patient) {
		return func(p *patient) {
			p.answer = answer
			for range n {
				_ = p.request()
			}
		}
	}
	for name, c := range map[string]struct {
		happens func(*patient)
		cause   func(error) bool // nil: it stays closed
	}{
		"nobody listens":         {several(1, failingWith(syscall.ECONNREFUSED)), is(syscall.ECONNREFUSED)},
		"no answer in time":      {hang, is(context.DeadlineExceeded)},
		"credentials not known":  {several(1, saying(http.StatusUnauthorized, "")), apierrors.IsUnauthorized},
		"a storm of 500":         {several(maxServerErrors, saying(http.StatusInternalServerError, `{"kind":"Status","message":"etcd is gone"}`)), answered("GET /apis: 500: etcd is gone")},
		"a storm of 503":         {several(maxServerErrors, saying(http.StatusServiceUnavailable, "no upstream")), answered("GET /apis: 503: no upstream")},
		"some answers of 500":    {several(maxServerErrors-1, saying(http.StatusInternalServerError, "")), nil},
		"a webhook that is down": {several(3*maxServerErrors, saying(http.StatusInternalServerError, `failed calling webhook "x"`)), nil},
		"asked to slow down":     {several(3*maxServerErrors, saying(http.StatusTooManyRequests, "", "Retry-After", "1")), nil},
		"not allowed":            {several(3*maxServerErrors, saying(http.StatusForbidden, "")), nil},
		"the caller gave up":     {several(3*maxServerErrors, failingWith(context.Canceled)), nil},
		"500 with answers between": {func(p *patient) {
			for range maxServerErrors {
				several(maxServerErrors-1, saying(http.StatusInternalServerError, ""))(p)
				several(1, saying(http.StatusOK, ""))(p)
			}
		}, nil},
		"500 now and then": {func(p *patient) {
			for range 3 * maxServerErrors {
				several(1, saying(http.StatusInternalServerError, ""))(p)
				time.Sleep(serverErrorWindow + time.Second)
			}
		}, nil},
		"a caller with little patience": {func(p *patient) {
			p.answer = hanging
			ctx, cancel := context.WithTimeout(p.t.Context(), time.Second)
			defer cancel()
			require.Error(p.t, p.ask(ctx))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(p *patient) {
				begun := time.Now()
				c.happens(p)
				trouble := p.breaker.Status()
				if c.cause == nil {
					require.Equal(p.t, Status{State: Closed}, trouble)
					return
				}
				require.Equal(p.t, Open, trouble.State)
				require.True(p.t, c.cause(trouble.Cause), "%v", trouble.Cause)
				require.WithinRange(p.t, trouble.Since, begun, time.Now())
				sent := p.sent.Load()
				err := p.request()
				require.NotNil(p.t, RejectedBy(err), "%v", err)
				require.True(p.t, c.cause(err), "%v", err)
				require.Equal(p.t, sent, p.sent.Load(), "nothing is sent")
			})
		})
	}
}

// A breaker that a probe opened is closed by a probe; the pauses grow up to a bound.
func TestPausesGrow(t *testing.T) {
	bubble(t, func(p *patient) {
		p.answer = failingWith(syscall.ECONNREFUSED)
		require.Error(p.t, p.probe())
		since := p.breaker.Status().Since
		for _, pause := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30} {
			trouble := p.breaker.Status()
			pause *= time.Second
			require.Equal(p.t, pause, trouble.Pause)
			require.Equal(p.t, since, trouble.Since)
			wait := time.Until(trouble.NextProbe)
			require.InDelta(p.t, pause, wait, float64(pause)/5)
			time.Sleep(wait - time.Millisecond)
			require.NotNil(p.t, RejectedBy(p.probe()), "too early")
			time.Sleep(time.Millisecond)
			require.Nil(p.t, RejectedBy(p.probe()))
			p.is(Open)
		}
		p.answer = saying(http.StatusOK, "")
		time.Sleep(2 * maxPause)
		require.NoError(p.t, p.probe())
		p.is(Closed)
		require.NoError(p.t, p.request())

		time.Sleep(resetAfter + time.Second)
		p.answer = failingWith(syscall.ECONNREFUSED)
		require.Error(p.t, p.request())
		require.Equal(p.t, minPause, p.breaker.Status().Pause, "a new trouble")
	})
}

// Probes alone do not close the breaker of a cluster that answers /version and fails all other requests.
func TestProbesAloneDoNotProve(t *testing.T) {
	bubble(t, func(p *patient) {
		works := false
		p.answer = func(r *http.Request) (*http.Response, error) {
			if works || isProbe(r.Context()) {
				return saying(http.StatusOK, "")(r)
			}
			return saying(http.StatusInternalServerError, "")(r)
		}
		for range maxServerErrors {
			_ = p.request()
		}
		since := p.breaker.Status().Since
		for range 3 {
			time.Sleep(2 * maxPause)
			require.NoError(p.t, p.probe())
			p.is(HalfOpen)
			require.True(p.t, p.breaker.Recovering())
			_ = p.request()
			p.is(Open)
		}
		require.Equal(p.t, since, p.breaker.Status().Since, "it is the same trouble")
		works = true
		time.Sleep(2 * maxPause)
		require.NoError(p.t, p.probe())
		require.NoError(p.t, p.request())
		p.is(Closed)
	})
}

// Without requests a second probe closes the breaker.
func TestSecondProbeCloses(t *testing.T) {
	bubble(t, func(p *patient) {
		p.answer = failingWith(errors.New("connection reset"))
		require.Error(p.t, p.request())
		p.answer = saying(http.StatusOK, "")
		time.Sleep(2 * minPause)
		require.NoError(p.t, p.probe())
		p.is(HalfOpen)
		require.NoError(p.t, p.probe())
		p.is(Closed)
	})
}

// Where nobody probes, a request does.
func TestRequestsProbeWhereNobodyDoes(t *testing.T) {
	bubble(t, func(p *patient) {
		p.answer = failingWith(errors.New("connection reset"))
		require.Error(p.t, p.request())
		time.Sleep(2 * minPause)
		require.NotNil(p.t, RejectedBy(p.request()), "that is for a probe")
		time.Sleep(requestProbeDelay)
		require.Nil(p.t, RejectedBy(p.request()))
		p.is(Open)
		p.answer = saying(http.StatusOK, "")
		time.Sleep(4*minPause + requestProbeDelay)
		require.NoError(p.t, p.request())
		p.is(Closed)
	})
}

// On trial requests go one by one, and all at once when the first is answered.
func TestOneByOneOnTrial(t *testing.T) {
	bubble(t, func(p *patient) {
		p.answer = failingWith(errors.New("connection reset"))
		require.Error(p.t, p.request())
		p.answer = saying(http.StatusOK, "")
		time.Sleep(2 * minPause)
		require.NoError(p.t, p.probe())
		before, under := p.sent.Load(), make(chan struct{})
		p.answer = func(r *http.Request) (*http.Response, error) {
			<-under
			return saying(http.StatusOK, "")(r)
		}
		answers := make(chan error, 8)
		for range cap(answers) {
			go func() { answers <- p.request() }()
		}
		synctest.Wait()
		require.Equal(p.t, before+1, p.sent.Load(), "one is sent, the others wait")
		close(under)
		for range cap(answers) {
			require.NoError(p.t, <-answers)
		}
		require.Equal(p.t, before+8, p.sent.Load())
		p.is(Closed)
	})
}

// A request with a Retry-After beyond its deadline fails instead of waiting in client-go.
func TestRetryAfterIsObeyed(t *testing.T) {
	bubble(t, func(p *patient) {
		for after, kept := range map[string]string{"2": "2", "3600": ""} {
			p.answer = saying(http.StatusTooManyRequests, "", "Retry-After", after)
			ctx, cancel := context.WithTimeout(p.t.Context(), requestTimeout)
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member/apis", http.NoBody)
			require.NoError(p.t, err)
			answer, err := Transport{p.breaker, p}.RoundTrip(r)
			require.NoError(p.t, err)
			require.NoError(p.t, answer.Body.Close())
			require.Equal(p.t, kept, answer.Header.Get("Retry-After"))
			cancel()
			if kept == "" {
				require.Equal(p.t, maxRetryAfter, p.breaker.RetryAfter(), "bounded")
			} else {
				require.Positive(p.t, p.breaker.RetryAfter())
			}
			time.Sleep(2 * maxRetryAfter)
			require.Zero(p.t, p.breaker.RetryAfter())
		}
		p.is(Closed)
	})
}

// The caller can read the whole body of an error response after the breaker classified it.
func TestErrorsAreReadWhole(t *testing.T) {
	bubble(t, func(p *patient) {
		long := strings.Repeat("x", 2*maxErrorBody)
		p.answer = saying(http.StatusInternalServerError, long)
		r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "https://member/apis", http.NoBody)
		require.NoError(p.t, err)
		answer, err := Transport{p.breaker, p}.RoundTrip(r)
		require.NoError(p.t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(p.t, err)
		require.NoError(p.t, answer.Body.Close())
		require.Equal(p.t, long, string(body))
	})
}

// A request that gets no response in time opens the breaker, unless the API server has answered another one since.
func TestASlowClusterIsNotStopped(t *testing.T) {
	for name, c := range map[string]struct {
		answers func(*http.Request) (*http.Response, error)
		after   time.Duration // that the other request is sent
		state   State
	}{
		"an answer meanwhile":              {saying(http.StatusOK, ""), 2 * time.Second, Closed},
		"it asks for patience":             {saying(http.StatusTooManyRequests, ""), 2 * time.Second, Closed},
		"an answer before":                 {saying(http.StatusOK, ""), -time.Second, Open},
		"the other one says it is unwell":  {saying(http.StatusServiceUnavailable, ""), 2 * time.Second, Open},
		"the other one is not allowed":     {saying(http.StatusUnauthorized, ""), 2 * time.Second, Open},
		"the other one gets no connection": {failingWith(syscall.ECONNREFUSED), 2 * time.Second, Open},
	} {
		for kind, mark := range map[string]func(context.Context) context.Context{"probe": WithProbe, "request": func(ctx context.Context) context.Context { return ctx }} {
			t.Run(name+", "+kind, func(t *testing.T) {
				bubble(t, func(p *patient) {
					other := func() {
						p.answer = c.answers
						_ = p.request() // whatever it is answered
						p.answer = hanging
					}
					if c.after < 0 {
						other()
						time.Sleep(-c.after)
					}
					p.answer = hanging
					ended := make(chan error)
					go func() {
						ctx, cancel := context.WithTimeout(mark(p.t.Context()), 5*time.Second)
						defer cancel()
						ended <- p.ask(ctx)
					}()
					if c.after > 0 {
						time.Sleep(c.after)
						synctest.Wait() // the hanging request has been sent
						other()
					}
					require.ErrorIs(t, <-ended, context.DeadlineExceeded)
					p.is(c.state)
				})
			})
		}
	}
}
