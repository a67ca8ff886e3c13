package jsonobject

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

func (d *Decoder) word(word string) error {
	if d.at+len(word) > len(d.text) || string(d.text[d.at:d.at+len(word)]) != word {
		return d.errorf("expected %s", word)
	}
	d.at += len(word)
	return nil
}

// string returns a text as an interface of type string: that of a short text is in memory once.
func (d *Decoder) string() (any, error) {
	start := d.at
	if text, plain := d.plain(); plain {
		return d.keep(text), nil
	}
	end := stringEnd(d.text, start+1)
	if end < 0 {
		return nil, d.errorf("a text does not end")
	}
	var text string
	if err := json.Unmarshal(d.text[start:end], &text); err != nil {
		return nil, d.errorf("%v", err)
	}
	d.at = end
	return text, nil
}

// plain passes a text, and returns false for one with escapes or letters outside of ASCII, and for malformed ones.
func (d *Decoder) plain() ([]byte, bool) {
	start := d.at + 1
	for i := start; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			d.at = i + 1
			return d.text[start:i], true
		case c == '\\', c < ' ', c >= utf8.RuneSelf:
			return nil, false
		}
	}
	return nil, false
}

// keep returns a text, which is one of the kept texts if it is short.
func (d *Decoder) keep(text []byte) any {
	if len(text) > shortest {
		return string(text)
	}
	hash := uint32(2166136261) // FNV-1a
	for _, c := range text {
		hash = (hash ^ uint32(c)) * 16777619
	}
	slot := &d.texts[(hash^hash>>16)%kept]
	if known, ok := (*slot).(string); ok && known == string(text) {
		return *slot
	}
	*slot = string(text)
	return *slot
}

// number returns an int64 or a float64.
func (d *Decoder) number() (any, error) {
	start, whole := d.at, true
scan:
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; {
		case c >= '0' && c <= '9', c == '-' && d.at == start:
		case c == '.', c == 'e', c == 'E', c == '+', c == '-':
			whole = false
		default:
			break scan
		}
	}
	text := d.text[start:d.at]
	if !valid(text) {
		return nil, d.errorf("malformed number")
	}
	if whole {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n, nil
		}
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return nil, d.errorf("%v", err)
	}
	return n, nil
}

// valid reports whether a number has the form of JSON; ParseFloat accepts more.
func valid(text []byte) bool {
	if n := len(text); n > 0 && n < 19 && text[0] >= '1' && text[0] <= '9' {
		digits := true
		for _, c := range text {
			digits = digits && c >= '0' && c <= '9'
		}
		if digits {
			return true
		}
	}
	return json.Valid(text)
}
