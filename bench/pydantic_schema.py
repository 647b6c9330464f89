# SPDX-License-Identifier: Apache-2.0
"""pydantic_schema.py - a JSON Schema as a schema of pydantic_core, which has a language of its own; for the comparison in python.py alone.

It knows what the schemas of the comparison use. Untranslated says why another one cannot be used; `dropped` lists keywords that pydantic_core lacks.
"""
from pydantic_core import SchemaValidator, core_schema

# Told to people, or checked in no other way than its neighbours are.
SAID = {"$schema", "$id", "id", "$defs", "$comment", "definitions", "description", "title", "discriminator", "format"}
LACKING = {"uniqueItems"}


class Untranslated(Exception):
    """The schema uses what is not translated."""


class Translation:
    def __init__(self, schema):
        self.root, self.made, self.dropped = schema, {}, set()
        self.core = self.translate(schema)

    def validator(self):
        return SchemaValidator(core_schema.definitions_schema(self.core, [core for core in self.made.values() if core]))

    def target(self, ref):
        if not ref.startswith("#/"):
            raise Untranslated(f"a reference to {ref}")
        found = self.root
        for word in ref[2:].split("/"):
            found = found[word]
        return found

    def translate(self, schema, ref=None):
        if schema is True or schema == {}:
            return core_schema.any_schema(ref=ref)
        if "$ref" in schema:
            return self.refer(schema["$ref"], ref)
        for keyword in ("const", "enum"):
            if keyword in schema:
                return core_schema.literal_schema([schema[keyword]] if keyword == "const" else schema[keyword], ref=ref)
        if "oneOf" in schema:
            return self.choose(self.take(schema, "oneOf")[0], ref)
        kinds = schema.get("type", "object" if "properties" in schema else None)
        if kinds is None:
            self.take(schema)
            return core_schema.any_schema(ref=ref)
        if isinstance(kinds, list):
            return core_schema.union_schema([self.translate({**schema, "type": kind}) for kind in kinds], ref=ref)
        return getattr(self, f"make_{kinds}", self.make_scalar)(schema, ref)

    def take(self, schema, *names):
        """The values of these keywords; there must be no others."""
        self.dropped |= LACKING & set(schema)
        others = set(schema) - SAID - LACKING - {"type", *names}
        if others:
            raise Untranslated(f"the keyword {sorted(others)[0]}")
        return [schema.get(name) for name in names]

    def refer(self, ref, own=None):
        if ref not in self.made:
            self.made[ref] = None  # it may refer to itself
            self.made[ref] = self.translate(self.target(ref), ref)
        return core_schema.definition_reference_schema(ref, ref=own)

    def choose(self, choices, ref):
        """Alternatives that name themselves by one constant, as resources of FHIR do."""
        if not all("$ref" in choice for choice in choices):
            raise Untranslated("alternatives without names")
        parts = [self.target(choice["$ref"]) for choice in choices]
        names = set.intersection(*({name for name, inner in part.get("properties", {}).items() if "const" in inner} & set(part.get("required", [])) for part in parts))
        if not names:
            raise Untranslated("alternatives without a constant")
        name = min(names)
        return core_schema.tagged_union_schema({part["properties"][name]["const"]: self.refer(choice["$ref"]) for choice, part in zip(choices, parts)}, name, ref=ref)

    def make_scalar(self, schema, ref):
        self.take(schema, "pattern")  # which says nothing about these
        return core_schema.none_schema(ref=ref) if schema["type"] == "null" else core_schema.bool_schema(strict=True, ref=ref)

    def make_string(self, schema, ref):
        pattern, shortest, longest = self.take(schema, "pattern", "minLength", "maxLength")
        return core_schema.str_schema(pattern=pattern, min_length=shortest, max_length=longest, strict=True, ref=ref)

    def make_number(self, schema, ref, make=core_schema.float_schema):
        least, most, _ = self.take(schema, "minimum", "maximum", "pattern")  # a pattern says nothing about numbers
        return make(ge=least, le=most, strict=True, ref=ref)

    def make_integer(self, schema, ref):
        return self.make_number(schema, ref, core_schema.int_schema)

    def make_array(self, schema, ref):
        items, least, most = self.take(schema, "items", "minItems", "maxItems")
        return core_schema.list_schema(self.translate(items or {}), min_length=least, max_length=most, strict=True, ref=ref)

    def make_object(self, schema, ref):
        properties, required, others = self.take(schema, "properties", "required", "additionalProperties")
        if not properties and not required:
            return core_schema.dict_schema(core_schema.str_schema(), self.translate({} if others is None else others), strict=True, ref=ref)
        if set(required or ()) - set(properties or ()) or isinstance(others, dict):
            raise Untranslated("members that are not described")
        fields = {name: core_schema.typed_dict_field(self.translate(inner), required=name in (required or ())) for name, inner in properties.items()}
        return core_schema.typed_dict_schema(fields, strict=True, extra_behavior="forbid" if others is False else "allow", ref=ref)
