//! Payment and shops.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"], r"\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}")
        .proof("sk_live_{a24}", "sk_live_key"),
    Entry::shape("stripe-webhook-secret", &["whsec_"], r"\bwhsec_[A-Za-z0-9+/=]{24,}")
        .proof("whsec_{a32}", "whsec_secret"),
    Entry::shape("square-token", &["EAAA"], r"\bEAAA[\w-]{56,64}\b")
        .entropy(4.0)
        .proof("EAAA{a60}", "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Entry::shape("square-token", &["sq0atp-", "sq0csp-"], r"\bsq0(?:atp|csp)-[\w-]{22,43}")
        .proof("sq0csp-{w43}", "sq0csp-id"),
    Entry::shape("paypal-token", &["access_token$"], r"\baccess_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}\b")
        .proof("access_token$production${h16}${h32}", "access_token$production"),
    Entry::shape("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b")
        .proof("shpat_{h32}", "shpat_token"),
    Entry::shape("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], r"\baccess-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
        .proof("access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}", "access-production-logs"),
    Entry::shape("flutterwave-key", &["FLWSECK"], r"\bFLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,40}-X\b")
        .proof("FLWSECK-{h32}-X", "FLWSECK"),
];
