@_exported public import ResourceCaches

// The parts of a warning, the error of a run and the caches belong to the library's own API: one `import ResourceManager`
// has to suffice, even where member imports are checked. Only these types of the kernel's side are re-exported.
@_exported public import struct MemoryPressure.BindingLimit
@_exported public import struct MemoryPressure.KernelError
@_exported public import enum MemoryPressure.PressureLevel
@_exported public import struct MemoryPressure.PressureReason
@_exported public import struct MemoryPressure.Share
