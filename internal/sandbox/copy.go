// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// copied returns a deep copy of the state, with the current version. The copy shares only bytes, such as JSON values,
// because they are never changed in place.
func (st *State) copied() *State {
	c := *st
	separate(reflect.ValueOf(&c).Elem())
	c.Version = stateVersion
	return &c
}

// separate replaces all pointers and slices in v with copies, at any depth, so that changes of v do not affect the
// value from which v was copied. It keeps slices of bytes, and members that are not exported, such as those of a time.
// It does not copy maps, which a state does not have.
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
