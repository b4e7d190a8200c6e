#ifndef CLINUX_ALLOCATOR_SYMBOLS_H
#define CLINUX_ALLOCATOR_SYMBOLS_H

/// The address of a function that an allocator offers besides malloc(3), or NULL if the program has none of that name.
///
/// Finds what is linked into the program as well as what a shared library exports.
void *_Nullable allocator_symbol(const char *_Nonnull name);

/// Where the program or library begins that a function is in, or NULL if that is not known.
void *_Nullable allocator_object(const void *_Nonnull function);

#endif
