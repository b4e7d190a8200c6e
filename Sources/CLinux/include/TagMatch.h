#ifndef CLINUX_TAG_MATCH_H
#define CLINUX_TAG_MATCH_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

/// Compares the 16 bytes at an address with a tag: one bit for each equal byte, the lowest bit for the first byte.
static inline __attribute__((always_inline)) uint32_t tag_matches(const void *_Nonnull address, uint8_t tag) {
#if defined(__SSE2__)
    __m128i tags = _mm_loadu_si128((const __m128i *)address);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(tags, _mm_set1_epi8((char)tag)));
#elif defined(__ARM_NEON) && defined(__aarch64__)
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t found = vandq_u8(vceqq_u8(vld1q_u8((const uint8_t *)address), vdupq_n_u8(tag)), vld1q_u8(bits));
    return (uint32_t)vaddv_u8(vget_low_u8(found)) | (uint32_t)vaddv_u8(vget_high_u8(found)) << 8;
#else
    uint32_t found = 0;
    for (int place = 0; place < 16; place++) found |= (uint32_t)(((const uint8_t *)address)[place] == tag) << place;
    return found;
#endif
}

/// Compares the 8 numbers at an address with another: one bit for each equal number, the lowest bit for the first.
static inline __attribute__((always_inline)) uint32_t print_matches(const uint32_t *_Nonnull prints, uint32_t print) {
#if defined(__SSE2__)
    __m128i wanted = _mm_set1_epi32((int)print);
    __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)prints), wanted);
    __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(prints + 4)), wanted);
    __m128i both = _mm_packs_epi32(low, high);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(both, _mm_setzero_si128()));
#else
    uint32_t found = 0;
    for (int place = 0; place < 8; place++) found |= (uint32_t)(prints[place] == print) << place;
    return found;
#endif
}

/// Shifts 8 numbers by one place, which drops the last, and writes another in the first place.
static inline __attribute__((always_inline)) void print_insert(uint32_t *_Nonnull prints, uint32_t print) {
    __builtin_memmove(prints + 1, prints, 7 * sizeof *prints);
    prints[0] = print;
}

#endif
