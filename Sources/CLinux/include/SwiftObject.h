// What the Swift runtime does for a reference that keeps an object's memory but not the object.

#pragma once

/// Keeps the memory of an object, so that its reference counts can be read after its deinit too.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);
/// Ends one call of `swift_unownedRetain`; the last one frees the memory of an object that has ended.
void swift_unownedRelease(void *_Nonnull object);
/// Whether the deinit of an object has begun. Its memory has to be kept.
_Bool swift_isDeallocating(void *_Nonnull object);
/// Retains an object, atomically, unless its deinit has begun; `NULL` then. Its memory has to be kept.
void *_Nullable swift_tryRetain(void *_Nonnull object);
