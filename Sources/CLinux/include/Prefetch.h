#ifndef CLINUX_PREFETCH_H
#define CLINUX_PREFETCH_H

/// Asks the processor to fetch the cache line of an address that will be written soon; any address is allowed.
static inline __attribute__((always_inline)) void prefetch_for_writing(const void *_Nullable address) {
    __builtin_prefetch(address, 1);
}

#endif
