/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - the version of the library, from the build, and the parts that it has.
 */
#include <baton/version.h>

#include "report/version.h"

/* Only the source distribution of the Python package can be without one of these. */
#ifdef BT_WITHOUT_YAML
#define YAML_PART ""
#else
#define YAML_PART "\"yaml\","
#endif
#ifdef BT_WITHOUT_ED25519
#define ED25519_PART ""
#else
#define ED25519_PART "\"ed25519\","
#endif
#ifdef BT_PROFILE_CORE
#define PROFILE "\"core\",\"parts\":[]"
#elif defined(BT_PROFILE_CHECK)
#define PROFILE "\"check\",\"parts\":[\"tokens\"," YAML_PART ED25519_PART "\"files\"]"
#else
#define PROFILE "\"full\",\"parts\":[\"tokens\",\"yaml\",\"ed25519\",\"files\",\"store\"]"
#endif
#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)

_Static_assert(sizeof(BATON_VERSION) == sizeof(BT_VERSION), "the headers have the version");

const char *bt_version(void)
{
    return BATON_VERSION;
}

uint32_t bt_version_number(void)
{
    return BT_VERSION_NUMBER;
}

bool bt_version_serves(uint32_t compiled)
{
    return compiled <= BT_VERSION_NUMBER;
}

bt_str bt_build_info(void)
{
    return BT_STR("{\"version\":\"" BATON_VERSION
                  "\",\"abi\":" NUMBER_TEXT(BT_ABI) ",\"profile\":" PROFILE "}");
}
