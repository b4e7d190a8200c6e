package import MemoryPressure

/// Visits the fields of a message in their order on the wire.
///
/// Each message lists its fields once, in ``FrameBody/visit(_:)``, and every visitor follows that list: one reads the
/// values from a frame, one writes them to a frame, one converts them to JSON. A visitor that only reads the values
/// does not change them.
package protocol FieldVisitor {
    /// An integer, little-endian.
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ name: String,
        in unit: FieldUnit
    ) throws(FrameError)

    /// A string whose length in bytes of UTF-8 is within `limit`.
    mutating func text(_ text: inout String, _ name: String, within limit: ClosedRange<Int>) throws(FrameError)

    /// One byte that stands for a member of a closed set; any other byte is an error.
    mutating func choice<Value: RawRepresentable<UInt8>>(_ value: inout Value, _ name: String) throws(FrameError)

    /// One byte that stands for a member of a set that may grow; an unknown byte is read as `unknown`.
    mutating func choice<Value: RawRepresentable<UInt8>>(
        _ value: inout Value,
        _ name: String,
        unknown: Value
    ) throws(FrameError)

    /// One byte of flags; unknown flags are dropped.
    mutating func flags<Value: OptionSet>(
        _ value: inout Value,
        _ name: String,
        known: Value
    ) throws(FrameError) where Value.RawValue == UInt8

    /// A share, in hundredths of a percent.
    mutating func share(_ share: inout Share, _ name: String) throws(FrameError)

    /// Why a scope has its level, without the limit, which ends a message.
    mutating func reason(_ reason: inout PressureReason) throws(FrameError)

    /// The limit that ends a message; `nil` if there is none, or its kind is unknown.
    mutating func limit(_ limit: inout BindingLimit?) throws(FrameError)

    /// Whether the frame ends here, before fields that were added later: their values then stay unchanged.
    var isAtEnd: Bool { get }
}

/// The unit of the number in a field.
package enum FieldUnit {
    /// Objects or events; or the number is an identifier.
    case count
    case bytes
    case milliseconds
    case microseconds
}

/// The fields of a message, which follow the frame's header.
package protocol FrameBody {
    /// Creates a message with default values.
    init()

    /// Passes each field to a visitor, in the order on the wire.
    mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError)
}

extension FrameBody {
    /// Creates a message whose fields `set` sets.
    package init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }
}

// The parts of compound fields, for visitors that do not treat these fields in their own way.
extension FieldVisitor {
    package var isAtEnd: Bool { false }

    package mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ name: String
    ) throws(FrameError) {
        try integer(&value, name, in: .count)
    }

    /// Visits each element of an array of integers.
    package mutating func integers(_ values: inout [UInt64], _ name: String) throws(FrameError) {
        for index in values.indices {
            var value = values[index]
            try integer(&value, name)
            // An equal value is not stored: that would copy the array of a message that is being written.
            if value != values[index] { values[index] = value }
        }
    }

    package mutating func choice<Value: RawRepresentable<UInt8>>(
        _ value: inout Value,
        _ name: String
    ) throws(FrameError) {
        var byte = value.rawValue
        try integer(&byte, name)
        guard let known = Value(rawValue: byte) else { throw .value(field: name, byte) }
        value = known
    }

    package mutating func choice<Value: RawRepresentable<UInt8>>(
        _ value: inout Value,
        _ name: String,
        unknown: Value
    ) throws(FrameError) {
        var byte = value.rawValue
        try integer(&byte, name)
        value = Value(rawValue: byte) ?? unknown
    }

    package mutating func flags<Value: OptionSet>(
        _ value: inout Value,
        _ name: String,
        known: Value
    ) throws(FrameError) where Value.RawValue == UInt8 {
        var byte = value.rawValue
        try integer(&byte, name)
        value = Value(rawValue: byte & known.rawValue)
    }

    package mutating func share(_ share: inout Share, _ name: String) throws(FrameError) {
        try integer(&share.basisPoints, name)
    }

    package mutating func reason(_ reason: inout PressureReason) throws(FrameError) {
        try choice(&reason.source, "reason source", unknown: .unknown)
        try share(&reason.figure, "reason figure")
        try share(&reason.threshold, "reason threshold")
    }

    package mutating func limit(_ limit: inout BindingLimit?) throws(FrameError) {
        guard !isAtEnd else { return }
        var kind = limit?.kind.rawValue ?? 0
        var bytes = limit?.bytes ?? 0
        // A path that is too long is cut, like the path of a scope.
        var path = limit?.path.prefix(utf8: TextLimit.path.upperBound) ?? ""
        try integer(&kind, "limit kind")
        try integer(&bytes, "limit bytes", in: .bytes)
        try text(&path, "limit path", within: TextLimit.path)
        limit = BindingLimit.Kind(rawValue: kind).map { BindingLimit($0, bytes: bytes, path: path) }
    }
}
