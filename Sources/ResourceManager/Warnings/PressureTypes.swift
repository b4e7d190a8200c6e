// What a warning is made of belongs to the library's own API: one `import ResourceManager` has to do, also where member
// imports are checked. Only these three are re-exported, the rest of the kernel's side stays out of sight.
@_exported public import enum MemoryPressure.PressureLevel
@_exported public import struct MemoryPressure.PressureReason
@_exported public import struct MemoryPressure.Share
