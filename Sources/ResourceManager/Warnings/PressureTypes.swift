@_exported public import ResourceCaches

// A warning consists of these types, so they belong to the library's own API: one `import ResourceManager` has to
// suffice, even where member imports are checked. Only these three types of the kernel's side are re-exported; the
// others stay hidden.
@_exported public import enum MemoryPressure.PressureLevel
@_exported public import struct MemoryPressure.PressureReason
@_exported public import struct MemoryPressure.Share
