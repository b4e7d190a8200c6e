extension View {
    /// Makes the missing backings of the view and all views below it, now that they are on window.
    final func display(in window: Window) {
        // The call may have taken the view out, or out and in again, which has given it a backing.
        if backing == nil, let made = makeBacking(), backing == nil, self.window === window {
            backing = made
            window.host.backedViews.append(self)
        }
        for subview in subviews where subview.superview === self { subview.display(in: window) }
    }

    /// Drops the backing and returns the bytes that it held, by its own count.
    final func discardBacking() -> Int {
        guard backing != nil else { return 0 }
        let cost = backingCost
        // Its deinit may use the view. Without the closure the optimiser destroys it inside the access.
        withExtendedLifetime(Swift.exchange(&backing, with: nil)) {}
        return cost
    }
}
