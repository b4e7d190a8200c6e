// The level belongs to this module's own API: one `import ResourceCaches` has to do, also where member imports are
// checked. Only this type is re-exported, the rest of the kernel's side stays out of sight.
@_exported public import enum MemoryPressure.PressureLevel
