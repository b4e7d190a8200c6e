package import MemoryPressure

/// Goes through the fields of a message in their order on the wire.
///
/// Each message lists its fields once, in ``FrameBody/visit(_:)``, and every visitor follows that list: one takes the values
/// from a frame, one puts them into a frame, one makes JSON of them. A visitor that only looks leaves the values as they are.
package protocol FieldVisitor {
    /// A whole number, little-endian.
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ name: String,
        in unit: FieldUnit
    ) throws(FrameError)

    /// A string of so many bytes of UTF-8.
    mutating func text(_ text: inout String, _ name: String, within limit: ClosedRange<Int>) throws(FrameError)

    /// One byte that stands for one of a closed set; any other is an error.
    mutating func choice<Value: RawRepresentable<UInt8>>(_ value: inout Value, _ name: String) throws(FrameError)

    /// One byte that stands for one of a set that may grow; one that is not known yet is read as `unknown`.
    mutating func choice<Value: RawRepresentable<UInt8>>(
        _ value: inout Value,
        _ name: String,
        unknown: Value
    ) throws(FrameError)

    /// One byte of flags; those that are not known are dropped.
    mutating func flags<Value: OptionSet>(
        _ value: inout Value,
        _ name: String,
        known: Value
    ) throws(FrameError) where Value.RawValue == UInt8

    /// A share, in hundredths of a percent.
    mutating func share(_ share: inout Share, _ name: String) throws(FrameError)

    /// Why a scope has its level, without the limit, which ends a message.
    mutating func reason(_ reason: inout PressureReason) throws(FrameError)

    /// The limit that ends a message; `nil` if there is none, or one of a kind that is not known yet.
    mutating func limit(_ limit: inout BindingLimit?) throws(FrameError)

    /// Whether the frame ends here, before fields that were added later: the values stay what they are then.
    var isAtEnd: Bool { get }
}

/// What the number in a field counts.
package enum FieldUnit {
    /// Things, events; or it is a number that something has.
    case count
    case bytes
    case milliseconds
    case microseconds
}

/// What a frame says besides its header.
package protocol FrameBody {
    /// One that says nothing yet.
    init()

    /// Hands each field to a visitor, in the order of the wire.
    mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError)
}

extension FrameBody {
    /// One with the fields that `set` sets.
    package init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }
}

// What fields are made of, for the visitors that have nothing else to do with them.
extension FieldVisitor {
    package var isAtEnd: Bool { false }

    package mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ name: String
    ) throws(FrameError) {
        try integer(&value, name, in: .count)
    }

    /// As many whole numbers as there are.
    package mutating func integers(_ values: inout [UInt64], _ name: String) throws(FrameError) {
        for index in values.indices {
            var value = values[index]
            try integer(&value, name)
            // Not where it is the same: that would copy the array of a message that is written.
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
        // A path that is too long is cut, as it is where scopes have one.
        var path = limit?.path.prefix(utf8: TextLimit.path.upperBound) ?? ""
        try integer(&kind, "limit kind")
        try integer(&bytes, "limit bytes", in: .bytes)
        try text(&path, "limit path", within: TextLimit.path)
        limit = BindingLimit.Kind(rawValue: kind).map { BindingLimit($0, bytes: bytes, path: path) }
    }
}
