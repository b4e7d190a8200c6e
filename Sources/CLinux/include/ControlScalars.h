#ifndef CLINUX_CONTROL_SCALARS_H
#define CLINUX_CONTROL_SCALARS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether a Unicode scalar is a control or format character, or a line or paragraph separator: categories Cc, Cf, Zl and
/// Zp.
///
/// Here, and not from the properties of a scalar in Swift's library: Embedded Swift brings the table of all categories
/// along, which is 33 KB.
bool scalar_is_control_or_format(uint32_t scalar);

#endif
