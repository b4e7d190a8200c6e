extension String {
    /// The start of the string in at most `limit` bytes of UTF-8, for a field with a ``TextLimit``.
    ///
    /// It is cut between Unicode scalars, so the result is valid. A visible character of several scalars can lose its
    /// last scalars: such characters have no maximum length, and a cut between characters could leave nothing at all. A
    /// string that fits is returned unchanged, without a copy.
    package func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Slicing treats an index inside a scalar as the scalar's start (SE-0180).
        return String(self[..<utf8.index(startIndex, offsetBy: limit)])
    }
}
