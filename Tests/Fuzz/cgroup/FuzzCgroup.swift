import MemoryPressure

/// libFuzzer calls this with each input, which is read as a mountinfo, a membership and a meminfo file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCgroup(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    let path = Cgroup.path(inMembership: text)
    if let path, !path.hasPrefix("/") { fatalError("\(path) is no absolute path") }
    for mount in CgroupMount.all(inMountinfo: text) {
        let directory = mount.directory(of: path ?? "/a/b")
        if let directory, !directory.hasPrefix(mount.directory) {
            fatalError("\(directory) is not below \(mount.directory)")
        }
    }
    let raw = UnsafeRawBufferPointer(start: bytes, count: count)
    if let memory = MemoryAvailability(parsing: raw) { _ = memory.headroom }
    return 0
}
