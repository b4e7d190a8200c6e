extension View {
    /// Makes the missing backings of the view and all views below it, now that they are on window.
    final func display(in window: Window) {
        if backing == nil, let made = makeBacking() {
            backing = made
            window.host.backedViews.append(self)
        }
        for subview in subviews { subview.display(in: window) }
    }

    /// Drops the backing and returns the bytes that it held, by its own count.
    final func discardBacking() -> Int {
        guard backing != nil else { return 0 }
        let cost = backingCost
        // Its deinit may use the view.
        _ = Swift.exchange(&backing, with: nil)
        return cost
    }
}
