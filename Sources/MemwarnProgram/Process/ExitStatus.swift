internal import CLinux

/// The exit status of a command: the codes of sysexits.h and of shells where those define one.
package struct ExitStatus: RawRepresentable, Hashable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The command did its work and found nothing wrong.
    package static let done = Self(rawValue: 0)
    /// An error that the user cannot correct, or a mistake in the checked input.
    package static let failed = Self(rawValue: 1)
    /// Nothing can be watched here.
    package static let nothingToWatch = Self(rawValue: 2)
    /// A host did not answer.
    package static let silent = Self(rawValue: 3)
    /// The request matched no host.
    package static let noHost = Self(rawValue: 4)
    /// Hosts gave back too little or did not carry out the command, or an expectation is not met.
    package static let notEnough = Self(rawValue: 5)
    /// A host answered after the deadline.
    package static let late = Self(rawValue: 6)
    /// The arguments mean nothing (EX_USAGE).
    package static let usage = Self(rawValue: 64)
    /// A file has the wrong format (EX_DATAERR).
    package static let foreignFile = Self(rawValue: 65)
    /// A file cannot be read (EX_NOINPUT).
    package static let unreadable = Self(rawValue: 66)
    /// No daemon answers (EX_UNAVAILABLE).
    package static let unavailable = Self(rawValue: 69)
    /// One of the two programs of memwarnd is missing (EX_OSFILE).
    package static let incomplete = Self(rawValue: 72)
    /// A file cannot be created (EX_CANTCREAT).
    package static let cannotCreate = Self(rawValue: 73)
    /// A file cannot be written (EX_IOERR).
    package static let cannotWrite = Self(rawValue: 74)
    /// The kernel or the daemon denies permission to this user (EX_NOPERM).
    package static let notPermitted = Self(rawValue: 77)
    /// The configuration is refused (EX_CONFIG).
    package static let configuration = Self(rawValue: 78)

    /// A program could not be started, with this errno.
    package static func unstarted(errno: CInt) -> Self { Self(rawValue: errno == ENOENT ? 127 : 126) }
    /// A signal ended the program.
    package static func signal(_ number: CInt) -> Self { Self(rawValue: 128 + number) }
}
