internal import CLinux

/// What a command's end says to the program that started it: the codes of sysexits.h and of shells where they have one.
package struct ExitStatus: RawRepresentable, Hashable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// It did what it was asked to do, and found nothing wrong.
    package static let done = Self(rawValue: 0)
    /// Something went wrong that the user cannot help, or something is wrong with what was checked.
    package static let failed = Self(rawValue: 1)
    /// Nothing can be watched here.
    package static let nothingToWatch = Self(rawValue: 2)
    /// A host did not answer.
    package static let silent = Self(rawValue: 3)
    /// No host was meant.
    package static let noHost = Self(rawValue: 4)
    /// Hosts answered and gave too little or did not do it, or an expectation is not met.
    package static let notEnough = Self(rawValue: 5)
    /// A host answered after the deadline.
    package static let late = Self(rawValue: 6)
    /// The arguments mean nothing (EX_USAGE).
    package static let usage = Self(rawValue: 64)
    /// A file is not what it has to be (EX_DATAERR).
    package static let foreignFile = Self(rawValue: 65)
    /// A file cannot be read (EX_NOINPUT).
    package static let unreadable = Self(rawValue: 66)
    /// No daemon answers (EX_UNAVAILABLE).
    package static let unavailable = Self(rawValue: 69)
    /// One of the two programs of memwarnd is missing (EX_OSFILE).
    package static let incomplete = Self(rawValue: 72)
    /// A file cannot be made (EX_CANTCREAT).
    package static let cannotCreate = Self(rawValue: 73)
    /// A file cannot be written (EX_IOERR).
    package static let cannotWrite = Self(rawValue: 74)
    /// The kernel or the daemon says that this user may not (EX_NOPERM).
    package static let notPermitted = Self(rawValue: 77)
    /// The configuration is refused (EX_CONFIG).
    package static let configuration = Self(rawValue: 78)

    /// A program could not be started for this reason.
    package static func unstarted(errno: CInt) -> Self { Self(rawValue: errno == ENOENT ? 127 : 126) }
    /// A signal ended it.
    package static func signal(_ number: CInt) -> Self { Self(rawValue: 128 + number) }
}
