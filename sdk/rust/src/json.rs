// SPDX-License-Identifier: Apache-2.0
//! JSON read strictly (RFC 8259, UTF-8, no repeated names, a depth of 128 at most), and its canonical form (RFC 8785).

use std::fmt::Write;

const DEPTH_MAX: usize = 128;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    /// `None` in the place of an escape that is not a character.
    Text(Option<String>),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The code of the finding that a text which is not JSON gets, and the pointer to a repeated name.
#[derive(Debug, PartialEq)]
pub(crate) struct JsonError {
    pub code: &'static str,
    pub pointer: String,
}

impl Json {
    pub fn get(&self, wanted: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(name, _)| name == wanted).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A text; "" for anything else.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(Some(text)) => text,
            _ => "",
        }
    }

    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    /// A number that is written as a whole number of the range of i64.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    path: String,
}

type Parsed<T> = Result<T, JsonError>;

fn syntax<T>() -> Parsed<T> {
    Err(JsonError { code: "JSON_SYNTAX", pointer: String::new() })
}

fn pointer_part(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

pub(crate) fn parse(text: &[u8]) -> Parsed<Json> {
    if std::str::from_utf8(text).is_err() {
        return Err(JsonError { code: "JSON_UTF8", pointer: String::new() });
    }
    let mut parser = Parser { text, at: 0, path: String::new() };
    parser.skip_space();
    let value = parser.parse_value(0)?;
    parser.skip_space();
    if parser.at == text.len() {
        Ok(value)
    } else {
        syntax()
    }
}

impl Parser<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Parsed<()> {
        if self.peek() != byte {
            return syntax();
        }
        self.at += 1;
        Ok(())
    }

    fn parse_value(&mut self, depth: usize) -> Parsed<Json> {
        match self.peek() {
            b'{' | b'[' if depth == DEPTH_MAX => Err(JsonError { code: "JSON_TOO_DEEP", pointer: String::new() }),
            b'{' => self.parse_object(depth + 1),
            b'[' => self.parse_array(depth + 1),
            b'"' => Ok(Json::Text(self.parse_string()?)),
            b'-' | b'0'..=b'9' => self.parse_number(),
            _ => {
                for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
                    if self.text[self.at..].starts_with(word.as_bytes()) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                syntax()
            }
        }
    }

    fn parse_inner(&mut self, part: String, depth: usize) -> Parsed<Json> {
        let outer = self.path.len();
        self.path += &part;
        let value = self.parse_value(depth)?;
        self.path.truncate(outer);
        Ok(value)
    }

    fn parse_array(&mut self, depth: usize) -> Parsed<Json> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        while self.peek() != b']' {
            if !items.is_empty() {
                self.expect(b',')?;
                self.skip_space();
            }
            items.push(self.parse_inner(format!("/{}", items.len()), depth)?);
            self.skip_space();
        }
        self.at += 1;
        Ok(Json::Array(items))
    }

    fn parse_object(&mut self, depth: usize) -> Parsed<Json> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        self.at += 1;
        self.skip_space();
        while self.peek() != b'}' {
            if !members.is_empty() {
                self.expect(b',')?;
                self.skip_space();
            }
            if self.peek() != b'"' {
                return syntax();
            }
            let Some(name) = self.parse_string()? else {
                return syntax(); // a name that is not text means nothing here
            };
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            let value = self.parse_inner(pointer_part(&name), depth)?;
            if !seen.insert(name.clone()) {
                return Err(JsonError { code: "JSON_DUPLICATE_KEY", pointer: self.path.clone() + &pointer_part(&name) });
            }
            members.push((name, value));
            self.skip_space();
        }
        self.at += 1;
        Ok(Json::Object(members))
    }

    fn skip_digits(&mut self) -> Parsed<()> {
        let begin = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at > begin {
            Ok(())
        } else {
            syntax()
        }
    }

    fn parse_number(&mut self) -> Parsed<Json> {
        let begin = self.at;
        if self.peek() == b'-' {
            self.at += 1;
        }
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.skip_digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.skip_digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.skip_digits()?;
        }
        Ok(Json::Number(String::from_utf8_lossy(&self.text[begin..self.at]).into_owned()))
    }

    fn parse_hex(&mut self) -> Parsed<u32> {
        let Some(digits) = self.text.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit)) else {
            return syntax();
        };
        self.at += 4;
        Ok(digits.iter().fold(0, |number, digit| number * 16 + (*digit as char).to_digit(16).unwrap_or(0)))
    }

    /// What follows a backslash; `None` for a surrogate without its partner.
    fn parse_escape(&mut self) -> Parsed<Option<char>> {
        let byte = self.peek();
        self.at += 1;
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.parse_hex()?;
                if (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with(b"\\u") {
                    let begin = self.at;
                    self.at += 2;
                    let second = self.parse_hex()?;
                    if (0xdc00..0xe000).contains(&second) {
                        return Ok(char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00)));
                    }
                    self.at = begin;
                }
                return Ok(char::from_u32(unit));
            }
            _ => return syntax(),
        };
        Ok(Some(plain))
    }

    fn parse_string(&mut self) -> Parsed<Option<String>> {
        let mut out = Some(Vec::new());
        self.at += 1;
        loop {
            let byte = self.peek();
            self.at += 1;
            match byte {
                _ if self.at > self.text.len() || byte < 0x20 => return syntax(),
                b'"' => return Ok(out.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
                b'\\' => match (self.parse_escape()?, &mut out) {
                    (Some(letter), Some(bytes)) => bytes.extend(letter.to_string().into_bytes()),
                    _ => out = None,
                },
                _ => {
                    if let Some(bytes) = &mut out {
                        bytes.push(byte);
                    }
                }
            }
        }
    }
}

/// Write a value in the form of RFC 8785. `None`: it has none.
pub(crate) fn canonical(value: &Json, out: &mut String) -> Option<()> {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(text) => put_number(text, out)?,
        Json::Text(text) => put_text(text.as_ref()?, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical(item, out)?;
            }
            out.push(']');
        }
        Json::Object(members) => {
            let mut sorted: Vec<&(String, Json)> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<u16>>());
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                put_text(name, out);
                out.push(':');
                canonical(member, out)?;
            }
            out.push('}');
        }
    }
    Some(())
}

fn put_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// A number as ECMAScript writes it.
fn put_number(text: &str, out: &mut String) -> Option<()> {
    let mut number: f64 = text.parse().ok()?;
    if !number.is_finite() {
        return None;
    }
    if number == 0.0 {
        out.push('0');
        return Some(());
    }
    if number < 0.0 {
        out.push('-');
        number = -number;
    }
    let scientific = format!("{number:e}"); // the shortest digits that give the number again
    let (mantissa, exponent) = scientific.split_once('e')?;
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().ok()?;
    let (point, count) = (exponent + 1, digits.len() as i32); // point: digits before the decimal point
    if count <= point && point <= 21 {
        out.push_str(&digits);
        out.push_str(&"0".repeat((point - count) as usize));
    } else if point > 0 && point <= 21 {
        let _ = write!(out, "{}.{}", &digits[..point as usize], &digits[point as usize..]);
    } else if point > -6 && point <= 0 {
        let _ = write!(out, "0.{}{digits}", "0".repeat(-point as usize));
    } else {
        out.push_str(&digits[..1]);
        if count > 1 {
            let _ = write!(out, ".{}", &digits[1..]);
        }
        let _ = write!(out, "e{exponent:+}");
    }
    Some(())
}
