// For dl_iterate_phdr(3) and madvise(2).
#define _GNU_SOURCE
#include "Memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

static int release(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        // What the loader has written to, and protected then, belongs to a part that could be written to at first.
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
        madvise((void *)start, object->dlpi_addr + part->p_vaddr + part->p_memsz - start, MADV_DONTNEED);
    }
    return 0;
}

void release_read_only_pages(void) {
    dl_iterate_phdr(release, NULL);
}

// Other C libraries have neither, and no need of them.
void keep_heap_small(void) {
#ifdef __GLIBC__
    // glibc would raise the bound once something that large was freed, and keep the next in the middle of its heap.
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    // Threads that hardly allocate would have heaps of their own.
    mallopt(M_ARENA_MAX, 1);
#endif
}

void trim_heap(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
