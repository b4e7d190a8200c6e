// What Swift needs of libsystemd. Anything Swift cannot import itself (macros, variadics) gets a wrapper here
// with the prefix memwarnd_, and a sentence saying why.
#pragma once

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
