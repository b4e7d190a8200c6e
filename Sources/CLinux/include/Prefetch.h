#ifndef CLINUX_PREFETCH_H
#define CLINUX_PREFETCH_H

/// Has the processor fetch the cache line of an address, which will be written soon; any address will do.
static inline __attribute__((always_inline)) void prefetch_for_writing(const void *_Nullable address) {
    __builtin_prefetch(address, 1);
}

#endif
