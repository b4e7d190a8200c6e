package import WarningPolicy

extension Settings {
    /// Where the system's configuration is.
    package static let systemPath = "/etc/memwarnd/memwarnd.toml"

    /// Reads the configuration at `path`, or the system's if that is `nil`, and its drop-ins.
    ///
    /// The system's file need not be there; one that was asked for must.
    ///
    /// - Throws: ``ConfigurationError`` with all that is wrong.
    package static func load(_ path: String?) throws(ConfigurationError) -> Self {
        let reading = ConfigurationReading(of: path)
        guard reading.problems.isEmpty else { throw ConfigurationError(problems: reading.problems) }
        return reading.configuration
    }
}
