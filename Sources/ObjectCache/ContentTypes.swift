// What the objects of a cache can be belongs to this module's own API: one `import ObjectCache` has to do, also where
// member imports are checked. Only these two are re-exported, the rest of the other caches stays out of sight.
@_exported public import enum ResourceCaches.ContentFault
@_exported public import protocol ResourceCaches.DiscardableContent
