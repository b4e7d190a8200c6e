extension View {
    /// Requests a layout of the view in the next pass; any number of requests make one pass (rule 3.6).
    ///
    /// ``layoutIfNeeded()`` makes a pass, as do a changed budget or environment, and coming on window.
    public final func setNeedsLayout() {
        needsLayout = true
    }

    /// Lays out this view and the views below it, as far as they need it; does nothing off window.
    ///
    /// For each view that needs it: calls `viewWillLayoutSubviews` of its controller, then ``layoutSubviews()``, then
    /// does all of this for the subviews, then calls `viewDidLayoutSubviews` (rules 3.5 to 3.8). Walks the tree once.
    /// Refused 16 operations deep: ``ResourceFault/tooManyOperations`` (rule 3.25).
    public final func layoutIfNeeded() {
        guard let host = window?.host, host.beginLayout(by: self) else { return }
        layOut()
        host.endOperation()
    }

    /// The pass, for a view that is on window.
    final func layOut() {
        guard needsLayout else {
            for subview in subviews where subview.isSubview(of: self) { subview.layOut() }
            return
        }
        // A callback of this pass may have taken the view out, or hidden the window.
        guard window != nil else { return }
        let controller = controller
        // It is laid out when it arrives, after its load.
        guard controller?.loading != .runningLoadView else { return }
        needsLayout = false
        // A callback may make another pass in the middle of this one.
        let isNested = isLayingOut
        isLayingOut = true
        defer { isLayingOut = isNested }
        controller?.announce(.viewWillLayoutSubviews)
        controller?.viewWillLayoutSubviews()
        let presentation = controller?.presentation
        presentation?.containerViewWillLayoutSubviews()
        layoutSubviews()
        for subview in subviews where subview.isSubview(of: self) { subview.layOut() }
        controller?.announce(.viewDidLayoutSubviews)
        controller?.viewDidLayoutSubviews()
        presentation?.containerViewDidLayoutSubviews()
    }

    /// Requests a layout of the whole tree in its next pass.
    final func setTreeNeedsLayout() {
        needsLayout = true
        for subview in subviews { subview.setTreeNeedsLayout() }
    }
}
