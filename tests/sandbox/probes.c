/* SPDX-License-Identifier: Apache-2.0 */
#include "probes.h"

#include <errno.h>

const struct probe *probe_at(size_t number)
{
    const struct {
        const struct probe *probes;
        size_t count;
    } parts[] = {
        {probes_of_files, probes_of_files_count},
        {probes_of_world, probes_of_world_count},
        {probes_of_kernel, probes_of_kernel_count},
        {probes_of_descriptors, probes_of_descriptors_count},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (number < parts[i].count) {
            return &parts[i].probes[number];
        }
        number -= parts[i].count;
    }
    return NULL;
}

int probe_escaped(const struct probe *probe, int result)
{
    if (probe->kind == PROBE_SUCCESS) {
        return result == 0;
    }
    return result != EPERM && result != EACCES && result != ENOSYS;
}
