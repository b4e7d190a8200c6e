extension View {
    /// Makes the missing backings of the view and all views below it, now that they are on window.
    final func display(in window: Window) {
        // As for the layout (``layOut()``).
        guard controller?.loading != .runningLoadView else { return }
        isBackingCounted = false
        // The call may have taken the view out, or out and in again, which has given it a backing.
        if backing == nil, window.isVisible, let made = makeBacking(), backing == nil, self.window === window {
            backing = made
            window.host.backedViews.append(self)
        }
        for subview in subviews where subview.isSubview(of: self) { subview.display(in: window) }
    }

    /// The bytes that the view and its subviews give back in a delivery, without views of other controllers.
    ///
    /// Its backings count once, even if the program keeps the views and the backings are discarded later.
    final func countReleased() -> Int {
        let backingBytes = backing == nil || isBackingCounted ? 0 : backingCost
        isBackingCounted = true
        let own = cost.addingSaturated(backingBytes)
        return subviews.reduce(own) { $0.addingSaturated($1.controller == nil ? $1.countReleased() : 0) }
    }

    /// Drops the backing of a view off window and returns the bytes that it held, by its own count.
    final func discardBacking() -> Int {
        guard backing != nil else { return 0 }
        let cost = isBackingCounted ? 0 : backingCost
        // The override may have put the view on window.
        guard window == nil else { return 0 }
        // Its deinit may use the view. Without the closure the optimiser destroys it inside the access.
        withExtendedLifetime(Swift.exchange(&backing, with: nil)) {}
        return cost
    }
}
