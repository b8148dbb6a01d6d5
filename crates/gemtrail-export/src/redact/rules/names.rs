//! Names whose values are secrets.

/// Inserts the names that mean a secret into a pattern.
macro_rules! named {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "passw|passphrase|passcode|pwd|secret|token|api[_ -]?key|access[_-]?key|",
            "private[_-]?key|credential|encryption[_-]?key|signing[_-]?key|auth[_-]?key|",
            "account[_-]?key|master[_-]?key|preshared[_-]?key|subscription-key|_pass",
            $after
        )
    };
}
pub(super) use named;

/// Parts of such names, case-insensitive.
pub(super) const SECRET_NAMES: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "apikey",
    "apiKey",
    "ApiKey",
    "APIKey",
    "api_key",
    "api-key",
    "api key",
    "API key",
    "Api-Key",
    "API-Key",
    "accesskey",
    "accessKey",
    "AccessKey",
    "access_key",
    "access-key",
    "private_key",
    "private-key",
    "privatekey",
    "privateKey",
    "PrivateKey",
    "credential",
    "encryption_key",
    "encryption-key",
    "encryptionKey",
    "signing_key",
    "signingKey",
    "auth_key",
    "authkey",
    "authKey",
    "account_key",
    "AccountKey",
    "master_key",
    "masterKey",
    "PresharedKey",
    "preshared_key",
    "Subscription-Key",
    "_pass",
];

/// Parts of the names of environment variables.
pub(super) const SECRET_VARIABLES: &[&str] = &[
    "PASSW",
    "PASSPHRASE",
    "PASSCODE",
    "_PWD",
    "SECRET",
    "TOKEN",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "CREDENTIAL",
    "ENCRYPTION_KEY",
    "SIGNING_KEY",
    "AUTH_KEY",
    "ACCOUNT_KEY",
    "MASTER_KEY",
    "_PASS",
    "APP_KEY",
    "_PSK",
];
