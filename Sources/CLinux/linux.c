// All of it is in the header; this compiles it once as C, and a mistake in it is found here.
#include "CLinux.h"
