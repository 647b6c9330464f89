/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc.c - the functions of the C library that would otherwise ask the host for files, clocks and
 * an environment. The module imports two functions alone: a clock and randomness.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define IMPORT(name) __attribute__((import_module("baton"), import_name(#name)))

/* Milliseconds since 1970. */
IMPORT(now_ms) double host_now_ms(void);
IMPORT(random) void host_random(void *out, size_t size);

/* Functions of the C library are defined under other names, since only base/ may call them. */
int libc_read_clock(clockid_t clock, struct timespec *out) __asm__("clock_gettime");

int libc_read_clock(clockid_t clock, struct timespec *out)
{
    const double now = host_now_ms();
    const int64_t ms = now > 0 ? (int64_t)now : 0;
    (void)clock;
    *out = (struct timespec){.tv_sec = (time_t)(ms / 1000),
                             .tv_nsec = (long)(ms % 1000) * 1000000 +
                                        (long)((now - (double)ms) * 1000000)};
    return 0;
}

int libc_fill_random(void *out, size_t size) __asm__("getentropy");

int libc_fill_random(void *out, size_t size)
{
    host_random(out, size);
    return 0;
}

/* A failed assertion ends the instance. */
_Noreturn void __assert_fail(const char *text, const char *file, int line, const char *function)
{
    (void)text;
    (void)file;
    (void)line;
    (void)function;
    __builtin_trap();
}

_Noreturn void libc_end(void) __asm__("abort");

_Noreturn void libc_end(void)
{
    __builtin_trap();
}

char *strerror(int number)
{
    static char text[] = "the host failed";
    (void)number;
    return text;
}

/* ---- Formatting ------------------------------------------------------------------------------ */

/* Where formatted text goes; what has no room is counted alone. */
struct libc_output {
    char *at;
    size_t size;
    size_t count;
};

/* One conversion: %[-0+][width][.precision][length]letter. */
struct libc_conversion {
    int is_left;
    int is_zero;
    int has_plus;
    int width;
    int precision; /* -1: none */
    int length;    /* in bytes of an integer */
};

static void put_bytes(struct libc_output *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, out->count++) {
        if (out->count + 1 < out->size) {
            out->at[out->count] = bytes[i];
        }
    }
}

static void put_padding(struct libc_output *out, char byte, int count)
{
    for (; count > 0; count--) {
        put_bytes(out, &byte, 1);
    }
}

static void put_padded(struct libc_output *out, const struct libc_conversion *how,
                       const char *prefix, const char *text, size_t size)
{
    const int gap = how->width - (int)(size + strlen(prefix));
    const int is_zero = how->is_zero && !how->is_left;
    put_padding(out, ' ', how->is_left || is_zero ? 0 : gap);
    put_bytes(out, prefix, strlen(prefix));
    put_padding(out, '0', is_zero ? gap : 0);
    put_bytes(out, text, size);
    put_padding(out, ' ', how->is_left ? gap : 0);
}

static void put_number(struct libc_output *out, const struct libc_conversion *how, uint64_t value,
                       const char *prefix, char letter)
{
    const char *digits = letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const unsigned base = letter == 'x' || letter == 'X' ? 16 : letter == 'o' ? 8 : 10;
    char text[32];
    size_t at = sizeof(text);
    do {
        text[--at] = digits[value % base];
        value /= base;
    } while (value > 0);
    while (how->precision > 0 && (int)(sizeof(text) - at) < how->precision && at > 0) {
        text[--at] = '0';
    }
    put_padded(out, how, prefix, text + at, sizeof(text) - at);
}

static int read_number(const char **at, va_list *arguments)
{
    int number = 0;
    if (**at == '*') {
        (*at)++;
        return va_arg(*arguments, int);
    }
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        number = number * 10 + (**at - '0');
    }
    return number;
}

static void read_conversion(const char **at, va_list *arguments, struct libc_conversion *out)
{
    *out = (struct libc_conversion){.precision = -1, .length = sizeof(int)};
    for (; **at == '-' || **at == '0' || **at == '+'; (*at)++) {
        out->is_left |= **at == '-';
        out->is_zero |= **at == '0';
        out->has_plus |= **at == '+';
    }
    out->width = read_number(at, arguments);
    if (out->width < 0) {
        out->is_left = 1;
        out->width = -out->width;
    }
    if (**at == '.') {
        (*at)++;
        out->precision = read_number(at, arguments);
    }
    for (; **at == 'l' || **at == 'z' || **at == 'j' || **at == 't' || **at == 'h'; (*at)++) {
        out->length = **at == 'j' || (**at == 'l' && (*at)[1] == 'l') ? 8
                      : out->length == 8                              ? 8
                                                                      : (int)sizeof(long);
    }
}

static void put_conversion(struct libc_output *out, const struct libc_conversion *how, char letter,
                           va_list *arguments)
{
    if (letter == 's') {
        const char *text = va_arg(*arguments, const char *);
        const char *end = how->precision < 0 ? NULL : memchr(text, '\0', (size_t)how->precision);
        const size_t size = end || how->precision < 0 ? strlen(text) : (size_t)how->precision;
        put_padded(out, how, "", text, size);
    } else if (letter == 'c') {
        const char byte = (char)va_arg(*arguments, int);
        put_padded(out, how, "", &byte, 1);
    } else if (letter == 'd' || letter == 'i') {
        const int64_t value =
            how->length == 8 ? va_arg(*arguments, int64_t) : (int64_t)va_arg(*arguments, int);
        put_number(out, how, value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value,
                   value < 0       ? "-"
                   : how->has_plus ? "+"
                                   : "",
                   letter);
    } else if (letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
        put_number(out, how,
                   how->length == 8 ? va_arg(*arguments, uint64_t)
                                    : (uint64_t)va_arg(*arguments, unsigned),
                   "", letter);
    } else {
        __builtin_trap(); /* nothing else is used; see test_module.py */
    }
}

int vsnprintf(char *restrict text, size_t size, const char *restrict format,
              __builtin_va_list arguments)
{
    struct libc_output out = {.at = text, .size = size};
    const char *at = format;
    va_list rest;
    va_copy(rest, arguments);
    while (*at) {
        struct libc_conversion how;
        if (*at != '%') {
            put_bytes(&out, at++, 1);
        } else if (at[1] == '%') {
            put_bytes(&out, at, 1);
            at += 2;
        } else {
            at++;
            read_conversion(&at, &rest, &how);
            put_conversion(&out, &how, *at++, &rest);
        }
    }
    va_end(rest);
    if (size > 0) {
        text[out.count < size ? out.count : size - 1] = '\0';
    }
    return (int)out.count;
}

int snprintf(char *restrict text, size_t size, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return count;
}
