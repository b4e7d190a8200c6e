extension Array where Element: AnyObject {
    /// Whether the object itself is in the array.
    func holds(_ object: Element) -> Bool { contains { $0 === object } }

    /// Removes an object that is in the array once at most.
    mutating func remove(_ object: Element) {
        if let index = firstIndex(where: { $0 === object }) { remove(at: index) }
    }
}
