/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.c - a handler in C: adds the two integers of its payload.
 *
 *     cc -shared -fPIC -o libadd.so add.c
 *
 *     listeners:
 *       - name: calculator.add
 *         description: adds two integers
 *         handler: libadd.so
 *         payload_type: AddPayload
 *         fields: {a: int, b: int}
 *         result: int
 *
 * The payload was checked before it came here, so its form is known:
 * <calculator.add.addpayload><a>40</a><b>2</b></calculator.add.addpayload>
 */
#include <baton/handler.h>

#include <stdio.h>
#include <string.h>

int baton_handler_init(uint32_t abi, const char *ready_json, void **state)
{
    (void)ready_json;
    *state = NULL;
    return abi == BATON_HANDLER_ABI ? 0 : 1;
}

/* The integer behind a tag, with blanks around it and perhaps a sign. False when it is beyond what
 * this handler adds. */
static int number_behind(const char *payload, const char *tag, long long *out)
{
    const char *at = strstr(payload, tag);
    long long number = 0;
    if (!at) {
        return 0;
    }
    at += strlen(tag);
    at += strspn(at, " \t\r\n");
    const int negative = *at == '-';
    at += *at == '-' || *at == '+';
    for (; *at >= '0' && *at <= '9'; at++) {
        if (number > 100000000000000000) {
            return 0;
        }
        number = 10 * number + (*at - '0');
    }
    *out = negative ? -number : number;
    return 1;
}

void baton_handler_call(void *state, const baton_call *call, baton_done_fn done, void *token)
{
    (void)state;
    char result[64];
    long long a = 0;
    long long b = 0;
    if (!number_behind(call->payload, "<a>", &a) || !number_behind(call->payload, "<b>", &b)) {
        static const char why[] = "a number is too large for this handler";
        done(token, 1, why, sizeof(why) - 1);
        return;
    }
    const int size = snprintf(result, sizeof(result), "<result>%lld</result>", a + b);
    done(token, 0, result, (size_t)size);
}
