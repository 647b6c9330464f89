// SPDX-License-Identifier: Apache-2.0
//! Where a server is, and whether a token may go there.

use std::net::IpAddr;

use crate::error::{Error, Result};

#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Scheme, authority and prefix of every path.
    pub base: String,
    /// The path of a Unix socket.
    pub socket: Option<String>,
}

fn invalid<T>(reason: impl Into<String>) -> Result<T> {
    Err(Error::Invalid(reason.into()))
}

fn parse_unix(url: &str) -> Result<Target> {
    let path = &url["unix:".len()..];
    let path = path.strip_prefix("//").unwrap_or(path);
    if !path.starts_with('/') || path.contains(['#', '?']) {
        return invalid("a URL that begins with unix: goes on with the absolute path of a socket");
    }
    Ok(Target { base: "http://localhost".into(), socket: Some(path.into()) })
}

/// Host and port of an authority. `None`: it has none that can be used.
fn split_authority(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        host.parse::<std::net::Ipv6Addr>().ok()?;
        return match port {
            "" => Some((host, None)),
            _ => Some((host, Some(port.strip_prefix(':')?))),
        };
    }
    match authority.split_once(':') {
        Some((host, port)) => Some((host, Some(port))),
        None => Some((authority, None)),
    }
}

fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A URL may hold a password by mistake, so no error repeats it.
pub(crate) fn parse(url: &str, token: Option<&str>, insecure: bool) -> Result<Target> {
    if url.chars().any(|letter| letter.is_control() || letter == ' ') {
        return invalid("a URL has no spaces and no control characters");
    }
    if token.is_some_and(|token| token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic())) {
        return invalid("a token is a text of visible ASCII characters");
    }
    if url.starts_with("unix:") {
        return parse_unix(url);
    }
    let (scheme, rest) = match (url.strip_prefix("http://"), url.strip_prefix("https://")) {
        (Some(rest), _) => ("http", rest),
        (_, Some(rest)) => ("https", rest),
        _ => return invalid("a URL begins with http:, https: or unix:"),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let Some((host, port)) = split_authority(authority) else {
        return invalid("a URL has a host, and may have a port");
    };
    if url.contains(['@', '#', '?', '\\']) || host.is_empty() || host.contains(':') && !authority.starts_with('[') {
        return invalid("a URL has a host, and neither a user nor a query nor a fragment; a token is given as token()");
    }
    if port.is_some_and(|port| !matches!(port.parse::<u16>(), Ok(1..))) {
        return invalid("a port is a number from 1 to 65535");
    }
    if token.is_some() && scheme == "http" && !is_local(host) && !insecure {
        return invalid(format!("the token would go to {host} unencrypted; use https:, or insecure() where the way there is trusted"));
    }
    Ok(Target { base: format!("{scheme}://{authority}{}", path.trim_end_matches('/')), socket: None })
}
