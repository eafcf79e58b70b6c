// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// fill sets all fields below v, so that the test also covers new fields.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 4))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(stateVersion)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint('1')
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(fmt.Sprintf("fill does not support %s", v.Type()))
	}
}

// shared returns the paths at which two values use the same memory.
func shared(path string, a, b reflect.Value) []string {
	found := []string{}
	switch a.Kind() {
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
	case reflect.Slice:
		if a.Type() == reflect.TypeFor[json.RawMessage]() {
			return nil
		}
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
		for i := range a.Len() {
			found = append(found, shared(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))...)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() {
				found = append(found, shared(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
			}
		}
	default:
	}
	return found
}

func TestACopySharesNothing(t *testing.T) {
	t.Parallel()
	var st State
	fill(reflect.ValueOf(&st).Elem())
	c := st.copied()
	if !reflect.DeepEqual(&st, c) {
		t.Errorf("the copy differs:\n%+v\n%+v", &st, c)
	}
	if found := shared("State", reflect.ValueOf(st), reflect.ValueOf(*c)); len(found) > 0 {
		t.Errorf("shared: %v", found)
	}
}
