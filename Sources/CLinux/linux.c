// Everything is in the header; this file compiles it once as C, so that the compiler finds mistakes in it.
#include "CLinux.h"
