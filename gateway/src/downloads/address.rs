//! Which addresses are downloaded from, and where a server may send on to.

use protocol::{Fault, tools::asset_import::is_address};
use ureq::http::Uri;

/// An address of http or https, without credentials.
#[derive(Debug, Clone)]
pub struct Address(Uri);

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if it is none that is downloaded from.
    pub fn parse(given: &str) -> Result<Address, Fault> {
        if !is_address(given) {
            return Err(Fault::invalid(format!(
                "'{given}' is no address of http or https; from others nothing is downloaded."
            )));
        }
        let uri: Uri = given.parse().map_err(|error| {
            Fault::invalid(format!(
                "'{given}' is no address: {error}. Write a space as %20, and whatever is not ASCII in \
                 the same way."
            ))
        })?;
        let authority = uri.authority().map(|it| it.as_str()).unwrap_or_default();
        if authority.contains('@') {
            return Err(Fault::invalid(
                "Nothing is downloaded with a user or a password in the address. Give one that needs \
                 neither, or download the file into a folder of the project.",
            ));
        }
        if uri.host().unwrap_or_default().is_empty() {
            return Err(Fault::invalid(format!("'{given}' names no host.")));
        }
        Ok(Address(uri))
    }

    /// Where `location` points to, as the server at this address wrote it.
    ///
    /// # Errors
    /// As for [`Address::parse`].
    pub fn redirected(&self, location: &str) -> Result<Address, Fault> {
        let location = location.trim();
        let (scheme, rest) = (self.0.scheme_str().unwrap_or_default(), self.0.path());
        let host = self.0.authority().map(|it| it.as_str()).unwrap_or_default();
        if has_scheme(location) {
            return Address::parse(location);
        }
        let whole = match location {
            _ if location.starts_with("//") => format!("{scheme}:{location}"),
            _ if location.starts_with('/') => format!("{scheme}://{host}{location}"),
            _ if location.starts_with(['?', '#']) => {
                format!("{scheme}://{host}{rest}{location}")
            }
            _ => {
                let folder = rest.rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{scheme}://{host}{folder}/{location}")
            }
        };
        Address::parse(&whole)
    }

    /// The host, for the eye.
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default()
    }

    /// As it is asked for.
    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Whether it begins with a scheme, whichever.
fn has_scheme(location: &str) -> bool {
    let Some((scheme, _)) = location.split_once(':') else { return false };
    let mut letters = scheme.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_network_is_an_address() {
        for given in ["http://example.org", "HTTPS://example.org:8443/a.png?b=c", "http://[::1]/a"]
        {
            assert!(Address::parse(given).is_ok(), "{given}");
        }
        for (given, told) in [
            ("file:///etc/passwd", "http or https"),
            ("ftp://example.org/a", "http or https"),
            ("a.png", "http or https"),
            ("http://user:password@example.org/a", "password"),
            ("https://user@example.org/a", "password"),
            ("http://example.org/a b", "%20"),
            ("http:///a", "http:///a"),
        ] {
            let fault = Address::parse(given).unwrap_err();
            assert_eq!(fault.code, protocol::ErrorCode::ValidationError);
            assert!(fault.hint.contains(told), "{given}: {}", fault.hint);
        }
    }

    #[test]
    fn servers_send_on_to_the_network_and_nowhere_else() {
        let here = Address::parse("https://example.org:8443/a/b.png?c").unwrap();
        for (location, there) in [
            ("http://other.org/x", "http://other.org/x"),
            ("//other.org/x", "https://other.org/x"),
            ("/x", "https://example.org:8443/x"),
            ("x.png", "https://example.org:8443/a/x.png"),
            ("x:y/z", ""),
            ("./x:y", "https://example.org:8443/a/./x:y"),
            ("?d", "https://example.org:8443/a/b.png?d"),
            ("file:///etc/passwd", ""),
            ("data:image/png;base64,AAAA", ""),
            ("//user:password@other.org/x", ""),
        ] {
            let told = here.redirected(location).map(|it| it.to_string()).unwrap_or_default();
            assert_eq!(told, there, "{location}");
        }
    }
}
