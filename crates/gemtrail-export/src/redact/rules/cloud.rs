//! Cloud providers.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b")
        .entropy(2.5)
        .proof("id AKIA{t16}.", "AKIASOUNDSLIKEAWORDBUTLONGER"),
    Entry::context("aws-secret-key", &["secret_access_key", "secretAccessKey", "SecretAccessKey", "secret-access-key", "aws_secret"], r#"(?i)(?:secret[_-]?access[_-]?key|aws_secret(?:_key)?)\\*["']?\s*[:=]\s*\\*["']?([A-Za-z0-9/+]{40})"#)
        .entropy(3.5)
        .proof("aws_secret_access_key = {b40}", "aws_secret_access_key = (unset)"),
    Entry::context("aws-session-token", &["session_token", "sessionToken", "SessionToken", "security_token"], r#"(?i)(?:session|security)_?token\\*["']?\s*[:=]\s*\\*["']?([A-Za-z0-9/+=]{100,})"#)
        .proof("AWS_SESSION_TOKEN={b300}", "session_token = None"),
    Entry::shape("google-api-key", &["AIza"], r"\bAIza[\w-]{35}")
        .entropy(3.0)
        .proof("key=AIza{w35}&v=3", "AIzaTooShort"),
    Entry::shape("google-oauth-secret", &["GOCSPX-"], r"\bGOCSPX-[\w-]{28}")
        .proof("GOCSPX-{w28}", "GOCSPX-…"),
    Entry::shape("google-access-token", &["ya29."], r"\bya29\.[\w.-]{20,}")
        .proof("Bearer ya29.{w120}", "ya29.example"),
    Entry::shape("google-refresh-token", &["1//0"], r"\b1//0[\w-]{40,}")
        .entropy(3.5)
        .proof("1//0{w60}", "1//0 is a comment"),
    Entry::shape("azure-storage-key", &["AccountKey="], r"AccountKey=([A-Za-z0-9+/]{86}==)")
        .proof("AccountKey={b86}==;", "AccountKey=<key>"),
    Entry::shape("azure-shared-access-key", &["SharedAccessKey="], r"SharedAccessKey=([A-Za-z0-9+/]{43}=)")
        .proof("SharedAccessKey={b43}=", "SharedAccessKey=$KEY"),
    Entry::shape("azure-client-secret", &["Q~"], r"[\w~.]{3}\dQ~[\w~.-]{31,34}")
        .before(4)
        .entropy(3.5)
        .proof("{a3}8Q~{w34}", "x8Q~short"),
    Entry::shape("azure-sas-signature", &["sig="], r"\bsig=([A-Za-z0-9%+/]{43,}=?)")
        .entropy(3.5)
        .proof("?sv=1&sig={a43}%3D&se=2", "sig=signature"),
    Entry::shape("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}\b")
        .proof("dop_v1_{h64}", "dop_v1_token"),
    Entry::shape("cloudflare-origin-key", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b")
        .proof("v1.0-{h24}-{h146}", "v1.0-beta"),
    Entry::shape("heroku-key", &["HRKU-"], r"\bHRKU-[\w-]{36,}")
        .proof("HRKU-AA{w58}", "HRKU-1"),
    Entry::context("heroku-key", &["heroku"], r#"(?i)heroku[\w.-]{0,20}\\*["']?\s*[:=]\s*\\*["']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"#)
        .proof("HEROKU_API_KEY={h8}-{h4}-4{h3}-8{h3}-{h12}", "HEROKU_APP=shop"),
    Entry::shape("alibaba-key", &["LTAI"], r"\bLTAI[A-Za-z0-9]{12,24}\b")
        .entropy(3.0)
        .proof("LTAI{a20}", "LTAI is a prefix"),
    Entry::shape("fly-token", &["fo1_", "fm2_"], r"\b(?:fo1_[\w-]{40,}|fm2_[\w+/=,-]{100,})")
        .proof("fo1_{w43}", "fo1_x"),
    Entry::shape("netlify-token", &["nfp_"], r"\bnfp_[A-Za-z0-9]{36,}")
        .proof("nfp_{a36}", "nfp_value"),
    Entry::shape("supabase-key", &["sbp_", "sb_secret_"], r"\b(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})")
        .proof("sbp_{h40}", "sbp_project"),
    Entry::shape("planetscale-secret", &["pscale_"], r"\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}")
        .proof("pscale_pw_{w43}", "pscale_branch_name_of_the_production_database"),
];
