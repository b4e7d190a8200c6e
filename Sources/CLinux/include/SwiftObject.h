// What the Swift runtime tells of an object, and the language does not.

#pragma once

#include <stdbool.h>

/// Whether the last strong reference to an object has gone, so that its deinit has begun; its memory must not be freed yet.
bool swift_isDeallocating(void *_Nonnull object);
