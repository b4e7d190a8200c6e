@_exported public import ResourceCaches

// What a warning is made of, and the caches that it makes shrink, belong to the library's own API: one
// `import ResourceManager` has to do, also where member imports are checked. Of the kernel's side only these three types
// are re-exported, the rest stays out of sight.
@_exported public import enum MemoryPressure.PressureLevel
@_exported public import struct MemoryPressure.PressureReason
@_exported public import struct MemoryPressure.Share
