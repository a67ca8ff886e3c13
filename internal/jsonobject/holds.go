package jsonobject

// Holds reports whether live has every value of the object that text encodes, with lists in the same order; null and empty values
// may be absent. It allocates next to nothing. It returns false for malformed text, and where values only have another form ("1" and
// "1000m").
func Holds(text []byte, live map[string]any) bool {
	h := holder{Decoder{text: text}}
	return h.next() == '{' && h.holds(live, 0) && h.next() == 0
}

// holder compares text with a value.
type holder struct{ Decoder }

func (h *holder) holds(live any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch h.next() {
	case '{':
		object, _ := live.(map[string]any)
		return h.object(object, depth)
	case '[':
		list, _ := live.([]any)
		return h.list(list, depth)
	case '"':
		text, ok := h.letters()
		is, isText := live.(string)
		return ok && isText && is == string(text)
	case 't':
		return h.word("true") == nil && live == true
	case 'f':
		return h.word("false") == nil && live == false
	case 'n':
		return h.word("null") == nil
	}
	n, err := h.number()
	return err == nil && n == live
}

// letters passes a text and returns it without escapes.
func (h *holder) letters() ([]byte, bool) {
	if text, plain := h.plain(); plain {
		return text, true
	}
	value, err := h.string()
	text, _ := value.(string)
	return []byte(text), err == nil
}

func (h *holder) object(live map[string]any, depth int) bool {
	h.at++
	if h.next() == '}' {
		h.at++
		return true
	}
	for {
		if h.next() != '"' {
			return false
		}
		name, ok := h.letters()
		if !ok || h.next() != ':' {
			return false
		}
		h.at++
		if !h.holds(live[string(name)], depth+1) {
			return false
		}
		if more, err := h.more('}'); !more {
			return err == nil
		}
	}
}

func (h *holder) list(live []any, depth int) bool {
	h.at++
	if h.next() == ']' {
		h.at++
		return len(live) == 0
	}
	for i := 0; ; i++ {
		if i >= len(live) || !h.holds(live[i], depth+1) {
			return false
		}
		if more, err := h.more(']'); !more {
			return err == nil && i+1 == len(live)
		}
	}
}
