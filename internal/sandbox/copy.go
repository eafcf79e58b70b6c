// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// copied returns a deep copy of the state, with the current version. The copy and the state share only slices of bytes,
// such as JSON values, which are never changed in place.
func (st *State) copied() *State {
	c := *st
	separate(reflect.ValueOf(&c).Elem())
	c.Version = stateVersion
	return &c
}

// separate replaces all pointers and slices in v with copies, at any depth, so that changes of v do not affect the
// value from which v was copied. It does not copy slices of bytes, or the unexported fields of a struct such as
// [time.Time]. It also does not copy maps, but a state contains no maps.
func separate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			separate(c.Elem())
			v.Set(c)
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			separate(c.Index(i))
		}
		v.Set(c)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				separate(v.Field(i))
			}
		}
	default: // a plain value, which was copied with v
	}
}
