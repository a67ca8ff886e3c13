package builtin

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/accord-dev/accord/api/manifest"
)

// value checks one value against its type. As for the decoder, null is the same as absent.
func (c *checking) value(v any, s *shape) {
	if c.full() || s.form == anything {
		return
	}
	if s.form == selfDecoding {
		if v != nil || !s.nullable {
			c.selfDecoding(v, s.goType)
		}
		return
	}
	if v == nil {
		return
	}
	switch s.form {
	case structure:
		if fields, ok := c.object(v); ok {
			var room [16]string
			for _, name := range sorted(fields, room[:0]) {
				if field := s.fields[name]; field != nil && (len(c.path) > 0 || name != "status") {
					c.below(name, fields[name], field)
				}
			}
		}
	case mapping:
		if entries, ok := c.object(v); ok {
			var room [16]string
			for _, key := range sorted(entries, room[:0]) {
				c.below(key, entries[key], s.element)
			}
		}
	case list:
		items, ok := v.([]any)
		if !ok {
			c.wrong(v, "a list")
		}
		for i, item := range items {
			c.below("["+strconv.Itoa(i)+"]", item, s.element)
		}
	default:
		c.scalar(v, s)
	}
}

// sorted appends the sorted keys of an object to room.
func sorted(object map[string]any, room []string) []string {
	for key := range object {
		room = append(room, key)
	}
	slices.Sort(room)
	return room
}

func (c *checking) below(step string, v any, s *shape) {
	c.path = append(c.path, step)
	c.value(v, s)
	c.path = c.path[:len(c.path)-1]
}

func (c *checking) object(v any) (map[string]any, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		c.wrong(v, "an object")
	}
	return object, ok
}

func (c *checking) scalar(v any, s *shape) {
	switch s.form {
	case text:
		if _, ok := v.(string); !ok {
			c.wrong(v, "a string")
		}
	case boolean:
		if _, ok := v.(bool); !ok {
			c.wrong(v, "true or false")
		}
	case number:
		switch v.(type) {
		case int64, float64:
		default:
			c.wrong(v, "a number")
		}
	case integer:
		c.integer(v, s.goType)
	case bytes:
		c.bytes(v)
	}
}

func (c *checking) integer(v any, t reflect.Type) {
	var n int64
	switch v := v.(type) {
	case int64:
		n = v
	case float64:
		if v != math.Trunc(v) {
			c.wrong(v, "a whole number")
			return
		}
		if math.Abs(v) >= 1<<63 {
			c.wrong(v, "a whole number"+limits(t))
			return
		}
		n = int64(v)
	default:
		c.wrong(v, "a whole number")
		return
	}
	zero := reflect.Zero(t)
	if zero.CanUint() {
		if n < 0 || zero.OverflowUint(uint64(n)) {
			c.wrong(v, "a whole number"+limits(t))
		}
	} else if zero.OverflowInt(n) {
		c.wrong(v, "a whole number"+limits(t))
	}
}

// limits returns the range of an integer type as the end of a sentence.
func limits(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int32:
		return fmt.Sprintf(" from %d to %d", math.MinInt32, math.MaxInt32)
	case reflect.Uint16:
		return fmt.Sprintf(" from 0 to %d", math.MaxUint16)
	case reflect.Uint32:
		return fmt.Sprintf(" from 0 to %d", uint32(math.MaxUint32))
	}
	return ""
}

// bytes checks a text in base64. The decoder also takes a list of numbers.
func (c *checking) bytes(v any) {
	switch v := v.(type) {
	case string:
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			c.add(c.field() + " is not in base64; a Secret takes plain text in stringData")
		}
	case []any:
		for i, item := range v {
			c.below("["+strconv.Itoa(i)+"]", item, &shape{form: integer, goType: reflect.TypeFor[uint8]()})
		}
	default:
		c.wrong(v, "a string in base64")
	}
}

// selfDecoding checks a value whose type has a decoder of its own.
func (c *checking) selfDecoding(v any, t reflect.Type) {
	isQuantity := t == reflect.TypeFor[resource.Quantity]()
	if s, ok := v.(string); ok && isQuantity && manifest.Endless(s) { // decoding it could take minutes
		c.wrong(v, "a quantity of at most 64 characters, such as 500m or 2Gi")
		return
	}
	encoded, err := json.Marshal(v)
	if err == nil {
		err = reflect.New(t).Interface().(json.Unmarshaler).UnmarshalJSON(encoded)
	}
	if err == nil {
		return
	}
	expected, known := expectations[t]
	if !known {
		expected = "a " + t.Name()
	}
	c.wrong(v, expected)
}

// expectations describe the values of types with a decoder of their own. It is only read.
var expectations = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "a quantity, such as 500m or 2Gi",
	reflect.TypeFor[intstr.IntOrString](): "a whole number or a string, such as 25%",
	reflect.TypeFor[metav1.Time]():        "a time, such as " + time.RFC3339,
	reflect.TypeFor[metav1.MicroTime]():   "a time, such as " + metav1.RFC3339Micro,
	reflect.TypeFor[metav1.Duration]():    "a duration, such as 10m",
}

// wrong adds the mistake that a value is not the expected one.
func (c *checking) wrong(v any, expected string) {
	if c.secret || expected == "a string" { // the value may be confidential
		c.add(manifest.WrongType(c.field(), expected, v))
		return
	}
	c.add(manifest.WrongValue(c.field(), expected, v))
}
