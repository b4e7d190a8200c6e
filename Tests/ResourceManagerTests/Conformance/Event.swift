/// Something that happened, and what decides whether it counts.
struct Event: Sendable {
    /// Whom it happened to; empty for what belongs to nobody.
    let subject: String
    /// What alphabets call it.
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
