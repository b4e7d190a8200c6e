/// The argument of `init(coder:)`: the properties that an archive gives the object, and the host in which it is made.
public struct Coder {
    /// The host in which the object is made.
    public let host: ControllerHost
    /// The object's properties in the archive, with the variants for the present environment applied.
    public let properties: Properties
    let scene: Scene?

    /// A coder for an object that the program makes itself, in a test for example.
    public init(host: ControllerHost, properties: Properties = Properties()) {
        self.init(host: host, properties: properties, scene: nil)
    }

    init(host: ControllerHost, properties: Properties, scene: Scene?) {
        self.host = host
        self.properties = properties
        self.scene = scene
    }

    /// A property; `nil` if the archive has none of that name or it has another type.
    public subscript<Value: PropertyConvertible>(_ name: String) -> Value? { properties[name] }
}
