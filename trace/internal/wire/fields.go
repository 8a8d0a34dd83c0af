// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var errWireFormat = errors.New("not a valid protobuf message")

// EachField calls visit for every varint and length-delimited field in order.
func EachField(message []byte, visit func(field protowire.Number, number uint64, data []byte) error) error {
	for len(message) > 0 {
		field, wire, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errWireFormat
		}
		message = message[n:]
		var number uint64
		var data []byte
		switch wire {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(field, wire, message)
		}
		if n < 0 {
			return errWireFormat
		}
		message = message[n:]
		if err := visit(field, number, data); err != nil {
			return err
		}
	}
	return nil
}

// AppendNumber appends a varint field; zero is left out, as in all of proto3.
func AppendNumber(dst []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), v)
}

// AppendColumn appends a packed column, bytes or message field; nothing when it is
// empty.
func AppendColumn(dst []byte, field protowire.Number, data []byte) []byte {
	if len(data) == 0 {
		return dst
	}
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), data)
}
