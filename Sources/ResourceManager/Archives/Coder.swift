/// What an `init(coder:)` is made from: the properties that an archive gives an object, and the host it is made in.
public struct Coder {
    /// The host that the object is made in.
    public let host: ControllerHost
    /// What the archive says about the object, variants for the present environment included.
    public let properties: Properties
    let scene: Scene?

    /// A coder for an object that is made by hand, in a test for example.
    public init(host: ControllerHost, properties: Properties = Properties()) {
        self.init(host: host, properties: properties, scene: nil)
    }

    init(host: ControllerHost, properties: Properties, scene: Scene?) {
        self.host = host
        self.properties = properties
        self.scene = scene
    }

    /// A property; `nil` if there is none of that name or it is of another type.
    public subscript<Value: PropertyConvertible>(_ name: String) -> Value? { properties[name] }
}
