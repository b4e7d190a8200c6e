#ifndef CLINUX_ALLOCATOR_SYMBOLS_H
#define CLINUX_ALLOCATOR_SYMBOLS_H

/// The address of an allocator's function other than malloc(3), or NULL if the program has no function with that name.
///
/// Finds functions that are linked into the program and functions that a shared library exports.
void *_Nullable allocator_symbol(const char *_Nonnull name);

/// The start address of the program or library that contains a function, or NULL if it is unknown.
void *_Nullable allocator_object(const void *_Nonnull function);

#endif
