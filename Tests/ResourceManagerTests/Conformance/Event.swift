/// An event of a case, with the names by which an alphabet decides whether it counts.
struct Event: Sendable {
    /// The name of the object that the event happened to; empty if the event belongs to no object.
    let subject: String
    /// The event's kind, as alphabets name it.
    let kind: String
    let text: String

    init(_ subject: String, _ kind: String, text: String) {
        self.subject = subject
        self.kind = kind
        self.text = text
    }

    /// `A.viewDidLoad`.
    init(_ subject: String, _ kind: String) {
        self.init(subject, kind, text: "\(subject).\(kind)")
    }

    /// `K.get(a)`.
    init(_ subject: String, _ kind: String, _ detail: String) {
        self.init(subject, kind, text: "\(subject).\(kind)(\(detail))")
    }

    /// `fault:viewAlreadyOwned`.
    static func fault(_ fault: some CustomStringConvertible) -> Event {
        Event("", "fault", text: "fault:\(fault)")
    }
}
