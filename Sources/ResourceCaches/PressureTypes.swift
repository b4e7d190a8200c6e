// The level belongs to this module's own API: one `import ResourceCaches` has to be enough, also with checked member
// imports. Only this type is re-exported; the rest of MemoryPressure stays hidden.
@_exported public import enum MemoryPressure.PressureLevel
