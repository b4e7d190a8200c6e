// The frames of docs/PROTOCOL.md that the benchmarks need.
#pragma once
#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    FRAME_LIMIT = 4096,
    FRAME_HELLO = 1,
    FRAME_WELCOME = 2,
    FRAME_WARNING = 3,
    FRAME_ACKNOWLEDGEMENT = 4,
    FRAME_SIMULATE = 17,
    FRAME_ROUND = 35,
};

// A frame that is being written. No frame here is longer than its buffer.
struct frame {
    uint32_t size;
    unsigned char bytes[128];
};

static inline void put(struct frame *frame, const void *value, size_t size) {
    memcpy(frame->bytes + frame->size, value, size);
    frame->size += size;
}

static inline void put8(struct frame *frame, uint8_t value) { put(frame, &value, sizeof value); }

static inline void put16(struct frame *frame, uint16_t value) {
    value = htole16(value);
    put(frame, &value, sizeof value);
}

static inline void put32(struct frame *frame, uint32_t value) {
    value = htole32(value);
    put(frame, &value, sizeof value);
}

static inline void put64(struct frame *frame, uint64_t value) {
    value = htole64(value);
    put(frame, &value, sizeof value);
}

static inline void put_zeros(struct frame *frame, size_t count) {
    memset(frame->bytes + frame->size, 0, count);
    frame->size += count;
}

static inline void put_text(struct frame *frame, const char *text) {
    put16(frame, (uint16_t)strlen(text));
    put(frame, text, strlen(text));
}

static inline void begin_frame(struct frame *frame, uint8_t type, uint64_t sequence) {
    frame->size = 0;
    put8(frame, 1);
    put8(frame, type);
    put_zeros(frame, 6);
    put64(frame, sequence);
}

// Writes the frame's length into its header.
static inline void end_frame(struct frame *frame) {
    uint32_t size = htole32(frame->size);
    memcpy(frame->bytes + 4, &size, sizeof size);
}

static inline int frame_type(const unsigned char *bytes) { return bytes[1]; }

static inline uint32_t get32(const unsigned char *bytes, size_t offset) {
    uint32_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return le32toh(value);
}

static inline uint64_t get64(const unsigned char *bytes, size_t offset) {
    uint64_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return le64toh(value);
}

static inline uint64_t frame_sequence(const unsigned char *bytes) { return get64(bytes, 8); }
