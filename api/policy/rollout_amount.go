package policy

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Amount is a number of clusters ("3", written 3) or a percentage of them ("25%"); empty if absent.
type Amount string

// Of returns the amount for n clusters, rounded down; orElse if the amount is absent or invalid.
func (a Amount) Of(n, orElse int) int {
	digits, percent := strings.CutSuffix(string(a), "%")
	number, err := strconv.ParseUint(digits, 10, 31)
	switch {
	case err != nil:
		return orElse
	case percent:
		return int(uint64(n) * number / 100)
	}
	return int(number)
}

// valid reports whether the amount is a number or a percentage.
func (a Amount) valid() bool {
	digits, percent := strings.CutSuffix(string(a), "%")
	number, err := strconv.ParseUint(digits, 10, 31)
	return err == nil && (!percent || number <= 100)
}

// UnmarshalJSON accepts a number or a string. It keeps any other value as text, so that validation can report it.
func (a *Amount) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		s = string(text)
	}
	*a = Amount(s)
	return nil
}

// MarshalJSON writes a number without quotes.
func (a Amount) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseUint(string(a), 10, 31); err == nil {
		return strconv.AppendUint(nil, n, 10), nil
	}
	return json.Marshal(string(a))
}

// Duration is a time span in Go's format, "90s" or "1h30m"; empty if absent.
type Duration string

// Length returns the time span; 0 if it is absent or invalid.
func (d Duration) Length() time.Duration {
	length, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return length
}
