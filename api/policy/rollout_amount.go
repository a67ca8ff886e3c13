package policy

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Amount is a number of clusters ("3", written 3) or a percentage of them ("25%"); empty when nothing is written.
type Amount string

// Of is the amount among n clusters, rounded down; orElse when nothing is written or it is not valid.
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

// valid says whether it can be counted.
func (a Amount) valid() bool {
	digits, percent := strings.CutSuffix(string(a), "%")
	number, err := strconv.ParseUint(digits, 10, 31)
	return err == nil && (!percent || number <= 100)
}

// UnmarshalJSON reads a number or a string. Anything else is kept as it is written, for validation to complain about.
func (a *Amount) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		s = string(text)
	}
	*a = Amount(s)
	return nil
}

// MarshalJSON writes a number as one.
func (a Amount) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseUint(string(a), 10, 31); err == nil {
		return strconv.AppendUint(nil, n, 10), nil
	}
	return json.Marshal(string(a))
}

// Duration is a time span as Go writes it, "90s" or "1h30m"; empty is none.
type Duration string

// Length of the span; 0 when it is empty or not valid.
func (d Duration) Length() time.Duration {
	length, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return length
}
