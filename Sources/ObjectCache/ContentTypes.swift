// The protocols for the objects of a cache belong to this module's own API: one `import ObjectCache` has to be enough,
// also with checked member imports. Only these two are re-exported; the rest of ResourceCaches stays hidden.
@_exported public import enum ResourceCaches.ContentFault
@_exported public import protocol ResourceCaches.DiscardableContent
