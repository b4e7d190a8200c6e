// What Swift rounds a Double by on processors that have no instruction for it, where libm is not linked: the daemon needs
// nothing else of libm, which would take 0.2 MB of its memory.
#ifdef MEMWARND_EMBEDDED

#include <stdint.h>

// From 2^52 on every number is whole; what is no number stays so.
static int is_whole(double x) {
    return !(__builtin_fabs(x) < 4503599627370496.0);
}

double trunc(double x) {
    return is_whole(x) ? x : __builtin_copysign((double)(int64_t)x, x);
}

double ceil(double x) {
    double whole = trunc(x);
    return whole < x ? whole + 1 : whole;
}

double round(double x) {
    double whole = trunc(x);
    double rest = x - whole;
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

#endif
