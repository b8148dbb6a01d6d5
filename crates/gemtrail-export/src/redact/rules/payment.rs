//! Payment, shops and shipping.

use crate::redact::rule::{Entry, Judge};

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
    Entry::shape("adyen-key", &["AQE"], r"\bAQE[\w+/]{60,}-[\w+/=]{40,}-\S{16}")
        .entropy(4.0)
        .proof("AQEyhmfx{a70}-{b44}=-{a16}", "AQE"),
    Entry::shape("mollie-key", &["live_", "test_"], r"\b(?:live|test)_[A-Za-z0-9]{30,40}\b")
        .entropy(4.0)
        .judge(Judge::RandomValue)
        .proof("live_{a30}", "test_the_order_of_words_in_a_long_name"),
    Entry::shape("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], r"\bshp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}\b")
        .proof("shpat_{h32}", "shpat_token"),
    Entry::shape("woocommerce-key", &["cs_", "ck_"], r"\bc[sk]_[a-f0-9]{40}\b")
        .proof("cs_{h40}", "cs_open"),
    Entry::shape("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], r"\baccess-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
        .proof("access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}", "access-production-logs"),
    Entry::shape("flutterwave-key", &["FLWSECK"], r"\bFLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,40}-X\b")
        .proof("FLWSECK-{h32}-X", "FLWSECK"),
    Entry::shape("shipping-key", &["EZAK", "EZTK", "shippo_live_", "shippo_test_", "duffel_live_", "duffel_test_"], r"\b(?:EZ[AT]K[A-Za-z0-9]{54}|shippo_(?:live|test)_[a-f0-9]{40}|duffel_(?:live|test)_[\w-]{43})")
        .proof("shippo_live_{h40}", "shippo_live_mode"),
];
