import CLinux
import MemoryPressure

extension KernelError {
    /// There is no such file.
    var isMissing: Bool { errno == ENOENT }
    /// PSI is compiled in and off.
    var isSwitchedOff: Bool { errno == EOPNOTSUPP }
    /// The file system is mounted read-only.
    var isReadOnly: Bool { errno == EROFS }
    /// The file's mode denies access to this user.
    var isDenied: Bool { errno == EACCES || errno == EPERM }
    /// A trigger's window requires a privilege: `EINVAL`, and `EPERM` before Linux 6.4.
    var isRefusedForPrivilege: Bool { errno == EINVAL || errno == EPERM }
}
