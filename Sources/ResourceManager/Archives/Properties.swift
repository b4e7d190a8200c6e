/// Values by name: what an archive says about an object, what a controller saves of its view, what is kept over a restart.
public struct Properties: Sendable, Hashable {
    /// All values, by their names.
    public var values: [String: PropertyValue]

    /// Properties with these values.
    public init(_ values: [String: PropertyValue] = [:]) {
        self.values = values
    }

    /// Whether there are none.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of this name.
    ///
    /// `nil` if there is none or it is of another type; setting `nil` removes it.
    public subscript<Value: PropertyConvertible>(_ name: String) -> Value? {
        get { values[name].flatMap(Value.init(propertyValue:)) }
        set { values[name] = newValue?.propertyValue }
    }

    /// These properties, with those of `other` in their place where both have one of a name.
    public func merging(_ other: Properties) -> Properties {
        Properties(values.merging(other.values) { $1 })
    }
}
