extension View {
    /// Gives the view and all below it the backings they lack, now that they are on window.
    final func display(in window: Window) {
        if backing == nil, let made = makeBacking() {
            backing = made
            window.host.backedViews.append(self)
        }
        for subview in subviews { subview.display(in: window) }
    }

    /// Drops the backing and returns the bytes it held by its own count.
    final func discardBacking() -> Int {
        guard backing != nil else { return 0 }
        let cost = backingCost
        backing = nil
        return cost
    }
}
