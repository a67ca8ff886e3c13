package forge_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

// refusal is what a forge answers instead.
type refusal struct {
	code   int
	header map[string]string
	body   string
}

func (r refusal) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, value := range r.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.code)
	if _, err := w.Write([]byte(r.body)); err != nil {
		panic(err)
	}
}

func TestRefusals(t *testing.T) {
	at := func(in time.Duration) string { return strconv.FormatInt(time.Now().Add(in).Unix(), 10) }
	secondary := `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
	cases := map[string]struct {
		refusal refusal
		is      error         // ErrDenied, ErrNotFound
		wait    time.Duration // of a rate limit
		message string
	}{
		"the token is not valid": {refusal: refusal{401, nil, `{"message":"Bad credentials"}`}, is: forge.ErrDenied, message: "is invalid or expired"},
		"the token may not": {
			refusal: refusal{403, map[string]string{"X-RateLimit-Remaining": "4999"}, `{"message":"Resource not accessible by personal access token"}`},
			is:      forge.ErrDenied, message: "the token needs",
		},
		"it is not there":                   {refusal: refusal{404, nil, `{"message":"Not Found"}`}, is: forge.ErrNotFound, message: "may not see it"},
		"it is not there, as a page":        {refusal: refusal{404, nil, "<html>404</html>"}, is: forge.ErrNotFound, message: "may not see it"},
		"the hour's requests are used up":   {refusal: refusal{403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": at(20 * time.Minute)}, `{"message":"API rate limit exceeded"}`}, wait: 20 * time.Minute},
		"the minute's requests are used up": {refusal: refusal{429, map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": at(40 * time.Second)}, `Retry later`}, wait: 40 * time.Second},
		"too many at once":                  {refusal: refusal{403, map[string]string{"Retry-After": "90"}, secondary}, wait: 90 * time.Second},
		"429 with seconds":                  {refusal: refusal{429, map[string]string{"Retry-After": "120"}, secondary}, wait: 2 * time.Minute},
		"429 with a date":                   {refusal: refusal{429, map[string]string{"Retry-After": time.Now().Add(5 * time.Minute).UTC().Format(http.TimeFormat)}, `{}`}, wait: 5 * time.Minute},
		"429 without a time":                {refusal: refusal{429, nil, `{}`}, wait: time.Minute},
		"429 with a time that has passed":   {refusal: refusal{429, map[string]string{"Retry-After": "0"}, `{}`}, wait: time.Minute},
		"429 for a year":                    {refusal: refusal{429, map[string]string{"Retry-After": "31536000"}, `{}`}, wait: time.Hour},
		"429 with nonsense":                 {refusal: refusal{429, map[string]string{"Retry-After": "soon"}, `{}`}, wait: time.Minute},
		"it is broken":                      {refusal: refusal{500, nil, `{"message":"the disk is full"}`}, message: "the disk is full"},
		"what is in front of it is":         {refusal: refusal{502, nil, "<html>bad gateway</html>"}, message: "502"},
		"it does not like the content":      {refusal: refusal{422, nil, `{"message":"Validation Failed"}`}, message: "Validation Failed"},
	}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				h := newHost(t, provider)
				h.refuse = c.refusal.ServeHTTP
				_, commented := h.forge(t).Comment(t.Context(), pull, marker, plan)
				reported := h.forge(t).Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success})
				for _, err := range []error{commented, reported} {
					require.Error(t, err)
					require.ErrorContains(t, err, h.path)
					require.Equal(t, c.is == forge.ErrDenied, errors.Is(err, forge.ErrDenied), err)
					require.Equal(t, c.is == forge.ErrNotFound, errors.Is(err, forge.ErrNotFound), err)
					limit, limited := errors.AsType[*forge.RateLimitError](err)
					require.Equal(t, c.wait > 0, limited, err)
					if limited {
						require.WithinDuration(t, time.Now().Add(c.wait), limit.Until, 10*time.Second)
					}
					require.ErrorContains(t, err, c.message)
				}
			})
		}
	})
}

func TestDeniedSaysWhatTheTokenNeeds(t *testing.T) {
	needs := map[forge.Provider][2]string{
		forge.GitHub: {"Pull requests: write", "Commit statuses: write"},
		forge.GitLab: {"scope api and the role Reporter", "scope api and the role Developer"},
		forge.Gitea:  {"write:issue and read:user", "write:repository"},
	}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for _, code := range []int{401, 403, 404} {
			h := newHost(t, provider)
			h.refuse = refusal{code: code, body: `{"message":"no"}`}.ServeHTTP
			_, err := h.forge(t).Comment(t.Context(), pull, marker, plan)
			require.ErrorContains(t, err, needs[provider][0])
			err = h.forge(t).Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success})
			require.ErrorContains(t, err, needs[provider][1])
		}
	})
}

// While GitHub's limit lasts nothing is asked, as GitHub wishes.
func TestLimitIsKept(t *testing.T) {
	h := newHost(t, forge.GitHub)
	h.refuse = refusal{403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)}, `{}`}.ServeHTTP
	f := h.forge(t)
	for range 3 {
		_, err := f.Comment(t.Context(), pull, marker, plan)
		require.ErrorAs(t, err, new(*forge.RateLimitError))
	}
	require.Len(t, h.asked(), 1)
}

// What a server makes of the token: in all fields that a client might quote, and where a long body is cut.
func TestTokenStaysSecret(t *testing.T) {
	long := strings.Repeat("x", 64<<10-len(token)/2) + token
	bodies := map[string]string{
		"in the message":       `{"message":"token ` + token + ` is bad","errors":[{"message":"` + token + `"}]}`,
		"in another field":     `{"error":"` + token + `","error_description":"` + token + `"}`,
		"in a page":            "<html>Authorization: Bearer " + token + "</html>",
		"at the cut":           long,
		"at the cut, as JSON":  `{"message":"` + long + `"}`,
		"in what follows JSON": `{"message":"no"} ` + token,
	}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for name, body := range bodies {
			for _, code := range []int{400, 401, 403, 404, 429, 500} {
				t.Run(fmt.Sprintf("%s of a %d", name, code), func(t *testing.T) {
					h := newHost(t, provider)
					h.refuse = refusal{code: code, header: map[string]string{"X-Echo": token}, body: body}.ServeHTTP
					f := h.forge(t)
					_, commented := f.Comment(t.Context(), pull, marker, plan)
					reported := f.Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success})
					for _, err := range []error{commented, reported} {
						require.Error(t, err)
						requireNoToken(t, err.Error())
						for cause := err; cause != nil; cause = errors.Unwrap(cause) {
							requireNoToken(t, fmt.Sprintf("%v %+v", cause, cause))
						}
					}
					requireNoToken(t, fmt.Sprintf("%v %+v %#v %s", f, f, f, f))
				})
			}
		}
	})
}

// requireNoToken also looks for what is enough of it to guess the rest.
func requireNoToken(t *testing.T, text string) {
	t.Helper()
	require.NotContains(t, text, token[:len(token)/2])
	require.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte(token)))
}
