/// Values by name: an object's properties in an archive, the saved state of a view, the state that is kept over a
/// restart.
///
/// Nest them at most 256 deep, as in files: ``PropertyValue``.
public struct Properties: Sendable, Hashable {
    /// All values, by their names.
    public var values: [String: PropertyValue]

    /// Properties with these values.
    public init(_ values: [String: PropertyValue] = [:]) {
        self.values = values
    }

    /// Whether there are no values.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of this name.
    ///
    /// Reading yields `nil` if there is no value of that name or it has another type; setting `nil` removes the value.
    public subscript<Value: PropertyConvertible>(_ name: String) -> Value? {
        get { values[name].flatMap(Value.init(propertyValue:)) }
        set { values[name] = newValue?.propertyValue }
    }

    /// These properties merged with `other`, whose values win for names that are in both.
    public func merging(_ other: Properties) -> Properties {
        var merged = self
        merged.merge(other)
        return merged
    }

    mutating func merge(_ other: Properties) {
        values.merge(other.values) { $1 }
    }
}
