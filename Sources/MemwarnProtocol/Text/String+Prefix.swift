extension String {
    /// The string's start in at most so many bytes of UTF-8, for a field with a ``TextLimit``.
    ///
    /// It is cut between Unicode scalars, so what remains is valid. A visible character of several scalars can lose
    /// its last ones: there is no bound on how long those are, and a cut between them could leave nothing at all.
    /// A string that fits is returned as it is, without a copy.
    package func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Slicing takes an index inside a scalar for the scalar's start (SE-0180).
        return String(self[..<utf8.index(startIndex, offsetBy: limit)])
    }
}
