/* SPDX-License-Identifier: Apache-2.0 */
#include "probes.h"

#include <errno.h>

const struct probe *probe_at(size_t number)
{
    if (number < probes_of_files_count) {
        return &probes_of_files[number];
    }
    number -= probes_of_files_count;
    if (number < probes_of_world_count) {
        return &probes_of_world[number];
    }
    number -= probes_of_world_count;
    return number < probes_of_kernel_count ? &probes_of_kernel[number] : NULL;
}

int probe_escaped(const struct probe *probe, int result)
{
    if (probe->kind == PROBE_SUCCESS) {
        return result == 0;
    }
    return result != EPERM && result != EACCES && result != ENOSYS;
}
