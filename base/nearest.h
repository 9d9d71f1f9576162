// What somebody who mistyped a name may have meant.
#pragma once

#include "base/str.h"

#define NEAREST_DISTANCE 2  // letters that a suggestion may differ by
#define NEAREST_BYTES 32    // longer names are like nothing

// Letters to change, add or take away to make one of the other; '-' and '_' are the same. A number
// that is larger than NEAREST_DISTANCE for names longer than NEAREST_BYTES.
unsigned nearest_distance(struct str a, struct str b);
