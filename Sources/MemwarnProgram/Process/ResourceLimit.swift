package import CLinux

/// A resource limit of this process, which child processes inherit; getrlimit(2).
package enum ResourceLimit {
    /// How many descriptors may be open.
    case descriptors
    /// How many bytes may be locked in memory.
    case lockedMemory

    /// The descriptors that the daemon keeps for itself: a few of its own, three for each watched
    /// cgroup, and up to 128 files of limits and usage that stay open.
    package static let ownDescriptors = 512

    private var number: __rlimit_resource_t {
        switch self {
        case .descriptors: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        case .lockedMemory: __rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue)
        }
    }

    /// The soft and the hard limit.
    package var value: rlimit {
        get {
            var limit = rlimit()
            getrlimit(number, &limit)
            return limit
        }
        nonmutating set {
            var limit = newValue
            setrlimit(number, &limit)
        }
    }

    /// The hard limit; `nil` if there is none.
    package var hard: UInt64? {
        let most = value.rlim_max
        return most == .max ? nil : UInt64(most)
    }

    /// Raises the soft limit to the hard limit.
    package func raise() {
        var limit = value
        limit.rlim_cur = limit.rlim_max
        value = limit
    }
}
