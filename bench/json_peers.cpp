// SPDX-License-Identifier: Apache-2.0
// json_peers.cpp - simdjson's DOM and rapidjson, as their manuals say to use them when speed counts.
#include "json_peers.h"

#include <new>

#include <rapidjson/document.h>
#include <simdjson.h>

namespace {

void *simdjson_open()
{
    return new (std::nothrow) simdjson::dom::parser;
}

bool simdjson_parse(void *state, const char *text, size_t size)
{
    auto *parser = static_cast<simdjson::dom::parser *>(state);
    simdjson::dom::element root;
    return parser->parse(text, size, false).get(root) == simdjson::SUCCESS;
}

void simdjson_close(void *state)
{
    delete static_cast<simdjson::dom::parser *>(state);
}

// The pool is reused from text to text, like our arena.
using Pool = rapidjson::MemoryPoolAllocator<>;

void *rapidjson_open()
{
    return new (std::nothrow) Pool;
}

bool rapidjson_parse(void *state, const char *text, size_t size)
{
    auto *pool = static_cast<Pool *>(state);
    pool->Clear();
    rapidjson::Document document(pool);
    document.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag>(
        text, size);
    return !document.HasParseError();
}

void rapidjson_close(void *state)
{
    delete static_cast<Pool *>(state);
}

} // namespace

extern "C" const struct peer peer_simdjson = {"simdjson", simdjson_open, simdjson_parse,
                                              simdjson_close};
extern "C" const struct peer peer_rapidjson = {"rapidjson", rapidjson_open, rapidjson_parse,
                                               rapidjson_close};
