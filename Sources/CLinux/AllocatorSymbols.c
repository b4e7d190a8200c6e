// For dladdr(3).
#define _GNU_SOURCE
#include "AllocatorSymbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Weak, so that a program links without them. A statically linked allocator exports nothing that dlsym(3) finds, and the
// linker often does not know a preloaded allocator: each way finds the functions that the other misses.
#define WEAK(name) extern void name(void) __attribute__((weak));
#define ENTRY(name) {#name, name},
#define ALL(each)                                                                                                      \
    each(malloc_trim)                                                                                                  \
    each(mallctl)                                                                                                      \
    each(mi_collect)                                                                                                   \
    each(mi_is_in_heap_region)                                                                                         \
    each(mi_option_get)                                                                                                \
    each(mi_option_set)                                                                                                \
    each(MallocExtension_GetNumericProperty)                                                                           \
    each(MallocExtension_GetOwnership)                                                                                 \
    each(MallocExtension_ReleaseToSystem)                                                                              \
    each(MallocExtension_Internal_GetOwnership)                                                                        \
    each(MallocExtension_Internal_ReleaseMemoryToSystem)

ALL(WEAK)

static const struct {
    const char *name;
    void (*function)(void);
} linked[] = {ALL(ENTRY){"malloc", (void (*)(void))malloc}};

void *allocator_symbol(const char *name) {
    for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
        if (linked[i].function && strcmp(linked[i].name, name) == 0) return (void *)linked[i].function;
    return dlsym(NULL, name);
}

void *allocator_object(const void *function) {
    Dl_info place;
    return dladdr(function, &place) ? place.dli_fbase : NULL;
}
