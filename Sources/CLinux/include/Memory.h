// What a program can do to hold less memory; of glibc.

#pragma once

/// Lets the kernel take back all pages of the program and its libraries that cannot be written to. Pages that are used
/// again are read from their files.
void release_read_only_pages(void);

/// Has large blocks be mapped each by itself, so that they go back to the kernel when they are freed, and all threads share a
/// heap. Call it before there are other threads.
void keep_heap_small(void);

/// Gives back to the kernel what is free in the heap; locked pages stay (madvise(2)).
void trim_heap(void);
