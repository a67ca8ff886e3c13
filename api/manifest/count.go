package manifest

import "math"

// Count returns a number of replicas as an API server decodes and validates it: a whole number from 0 to 2147483647. ok is
// false for everything else: a text, a fraction, a negative number.
func Count(value any) (n int32, ok bool) {
	whole, ok := whole(value)
	if !ok || whole < 0 || whole > math.MaxInt32 {
		return 0, false
	}
	return int32(whole), true
}

// CountMistake returns the mistake of a number of replicas that Count does not read; nil if the value is absent or valid.
func CountMistake(value any, path ...string) *Mistake {
	if _, ok := Count(value); ok || value == nil {
		return nil
	}
	m := Mistake{Path: path}
	m.Message = WrongValue(m.Field(), "a whole number from 0 to 2147483647", value)
	return &m
}
