extension ControllerHost {
    /// Calls `observer` with each notification of a type that is posted in this host; for parts of a service that
    /// should be independent of each other.
    ///
    /// The type is the notification's name; ``MemoryWarning`` is one. Otherwise like ``onMemoryWarning(_:)``.
    public func onNotification<Notification>(
        _ type: Notification.Type,
        _ observer: @escaping (Notification) -> Void
    ) -> Registration {
        observers(of: type).add(observer)
    }

    /// Calls the observers of a notification's type, in the order of their registration.
    ///
    /// Synchronous, in the host's isolation. Without observers it costs a dictionary lookup.
    public func post<Notification>(_ notification: Notification) {
        (notificationObservers[ObjectIdentifier(Notification.self)] as? HandlerList<Notification>)?.callAll(
            notification
        )
    }

    func observers<Notification>(of type: Notification.Type) -> HandlerList<Notification> {
        let key = ObjectIdentifier(type)
        if let list = notificationObservers[key] as? HandlerList<Notification> { return list }
        let list = HandlerList<Notification>()
        notificationObservers[key] = list
        return list
    }
}
