extension View {
    /// Has the view laid out in the next pass; any number of requests make one pass (rule 3.6).
    ///
    /// A pass comes with ``layoutIfNeeded()``, with a changed budget or environment, and when the view comes on window.
    public final func setNeedsLayout() {
        needsLayout = true
    }

    /// Lays out what needs it in this view and below; does nothing off window.
    ///
    /// For each view that needs it: `viewWillLayoutSubviews` of its controller, ``layoutSubviews()``, then all of this for
    /// the subviews, `viewDidLayoutSubviews` (rules 3.5 to 3.8). Walks the tree once.
    public final func layoutIfNeeded() {
        guard window != nil else { return }
        layOut()
    }

    /// The pass, for a view that is on window.
    final func layOut() {
        guard needsLayout else {
            for subview in subviews { subview.layOut() }
            return
        }
        needsLayout = false
        let controller = controller
        controller?.announce(.viewWillLayoutSubviews)
        controller?.viewWillLayoutSubviews()
        let presentation = controller?.presentation
        presentation?.containerViewWillLayoutSubviews()
        layoutSubviews()
        for subview in subviews where subview.superview === self { subview.layOut() }
        controller?.announce(.viewDidLayoutSubviews)
        controller?.viewDidLayoutSubviews()
        presentation?.containerViewDidLayoutSubviews()
    }

    /// Has the whole tree laid out in its next pass.
    final func setTreeNeedsLayout() {
        needsLayout = true
        for subview in subviews { subview.setTreeNeedsLayout() }
    }
}
