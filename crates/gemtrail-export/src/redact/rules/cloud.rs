//! Cloud providers and hosting.

use crate::redact::rule::{Entry, Judge};

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b")
        .entropy(2.5)
        .proof("id AKIA{t16}.", "AKIASOUNDSLIKEAWORDBUTLONGER"),
    // The key id next to the key, as in the file that the console offers.
    Entry::context("aws-secret-key", &["AKIA", "ASIA"], r#"(?:AKIA|ASIA)[A-Z2-7]{16}["']?[\s,;:|/]{1,6}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#)
        .exact_case()
        .entropy(3.5)
        .proof("AKIA{t16},{b39}x\n", "AKIASOUNDSLIKEAWORDX, and more"),
    Entry::context("aws-secret-key", &["secret_access_key", "secretAccessKey", "SecretAccessKey", "secret-access-key", "secret access key", "Secret Access Key", "aws_secret"], r#"(?i)(?:secret[_ -]?access[_ -]?key|aws_secret(?:_key)?)\\*["']?(?:\s\[[^\]\n]{0,24}\])?\s*[:=,\s]\s*\\*["']?([A-Za-z0-9/+]{40})"#)
        .entropy(3.5)
        .proof("aws_secret_access_key = {b40}", "aws_secret_access_key = (unset)"),
    Entry::context("aws-session-token", &["session_token", "sessionToken", "SessionToken", "security_token", "security-token"], r#"(?i)(?:session|security)[_-]?token\\*["']?\s*[:=]\s*\\*["']?([A-Za-z0-9/+=%]{100,})"#)
        .proof("AWS_SESSION_TOKEN={b300}", "session_token = None"),
    Entry::shape("aws-session-token", &["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "FQoDYXdz"], r"\b(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz|FQoDYXdz)[A-Za-z0-9/+=%]{80,}")
        .proof("IQoJb3JpZ2lu{b300}", "IQoJb3JpZ2lu"),
    Entry::shape("aws-bedrock-key", &["ABSK", "bedrock-api-key-"], r"\b(?:ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{40,})")
        .entropy(4.0)
        .proof("ABSKQmVkcm9ja0FQSUtleS1{b110}", "ABSK"),
    Entry::shape("aws-marketplace-key", &["amzn.mws."], r"\bamzn\.mws\.[0-9a-f]{8}-[0-9a-f-]{27}")
        .proof("amzn.mws.{h8}-{h4}-{h4}-{h4}-{h12}", "amzn.mws.client"),
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
    Entry::shape("google-oauth-code", &["4/0A", "4%2F0A"], r"\b4(?:/|%2F)0A[\w-]{20,}")
        .entropy(3.5)
        .proof("code=4/0A{w70}&scope=x", "page 4/0A"),
    Entry::shape("firebase-server-key", &[":APA91b"], r"\bAAAA[\w-]{7}:APA91b[\w-]{100,}")
        .before(11)
        .proof("AAAA{w7}:APA91b{w134}", "x:APA91b"),
    Entry::shape("azure-storage-key", &["AccountKey="], r"AccountKey=([A-Za-z0-9+/]{86}==)")
        .proof("AccountKey={b86}==;", "AccountKey=<key>"),
    Entry::shape("azure-shared-access-key", &["SharedAccessKey="], r"SharedAccessKey=([A-Za-z0-9+/]{43}=)")
        .proof("SharedAccessKey={b43}=", "SharedAccessKey=$KEY"),
    Entry::shape("azure-client-secret", &["Q~"], r"[\w~.]{3}\dQ~[\w~.-]{31,34}")
        .before(4)
        .entropy(3.5)
        .proof("{a3}8Q~{w34}", "x8Q~short"),
    Entry::shape("azure-key", &["JQQJ99", "JQQJ9D", "JQQJ9H", "+ASt", "ACDb", "AzSe", "APIM"], r"(?:[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{24,26}|[A-Za-z0-9+/]{76}(?:\+ASt|ACDb|APIM)[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{4,8})")
        .before(76)
        .entropy(4.0)
        .proof("{a52}JQQJ99{a26}", "an APIM gateway"),
    Entry::shape("azure-sas-signature", &["sig="], r"\bsig=([A-Za-z0-9%+/]{43,}=?)")
        .entropy(3.5)
        .proof("?sv=1&sig={a43}%3D&se=2", "sig=signature"),
    Entry::shape("signed-url", &["X-Amz-Signature=", "X-Goog-Signature="], r"X-(?:Amz|Goog)-Signature=([0-9a-f]{64,})")
        .proof("?X-Amz-Expires=60&X-Amz-Signature={h64}", "X-Amz-Signature=…"),
    Entry::shape("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}\b")
        .proof("dop_v1_{h64}", "dop_v1_token"),
    Entry::shape("cloudflare-origin-key", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b")
        .proof("v1.0-{h24}-{h146}", "v1.0-beta"),
    Entry::shape("cloudflare-token", &["cfut_", "cfat_", "cfk_"], r"\bcf(?:ut|at|k)_[A-Za-z0-9_-]{40,}")
        .proof("cfut_{a40}", "cfut_x"),
    Entry::shape("heroku-key", &["HRKU-"], r"\bHRKU-[\w-]{36,}")
        .proof("HRKU-AA{w58}", "HRKU-1"),
    Entry::context("heroku-key", &["heroku"], r#"(?i)heroku[\w.-]{0,20}\\*["']?\s*[:=]\s*\\*["']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"#)
        .proof("HEROKU_API_KEY={h8}-{h4}-4{h3}-8{h3}-{h12}", "HEROKU_APP=shop"),
    Entry::shape("alibaba-key", &["LTAI"], r"\bLTAI[A-Za-z0-9]{12,24}\b")
        .entropy(3.0)
        .proof("LTAI{a20}", "LTAI is a prefix"),
    Entry::shape("tencent-key", &["AKID"], r"\bAKID[A-Za-z0-9]{32}\b")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("AKID{a32}", "AKIDNAPPED"),
    Entry::shape("yandex-key", &["AQVN", "t1.9eu", "y0_A"], r"\b(?:AQVN[\w-]{35,38}|t1\.9eu[\w=-]+\.[\w=-]{86}|y0_A[\w-]{50,})")
        .entropy(4.0)
        .proof("AQVN{w36}", "AQVN"),
    Entry::shape("scaleway-key", &["SCW"], r"\bSCW[A-Z0-9]{17}\b")
        .entropy(3.0)
        .proof("SCW{t17}", "SCW_ACCESS_KEY"),
    Entry::shape("fly-token", &["fo1_", "fm1_", "fm2_"], r"\b(?:fo1_[\w-]{40,}|fm[12]_[\w+/=,-]{100,})")
        .proof("fo1_{w43}", "fo1_x"),
    Entry::shape("netlify-token", &["nfp_", "nfc_"], r"\bnf[pc]_[A-Za-z0-9]{36,}")
        .proof("nfp_{a36}", "nfp_value"),
    Entry::shape("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], r"\bvc[piark]_[A-Za-z0-9]{24,}")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("vcp_{a56}", "vcp_name"),
    Entry::shape("render-key", &["rnd_"], r"\brnd_[A-Za-z0-9]{28,36}\b")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("rnd_{a32}", "rnd_seed"),
    Entry::shape("neon-key", &["napi_", "npg_"], r"\b(?:napi_[a-z0-9]{40,}|npg_[A-Za-z0-9]{12,24})\b")
        .entropy(3.0)
        .proof("napi_{h64}", "napi_create_function"),
    Entry::shape("aiven-password", &["AVNS_"], r"\bAVNS_[\w-]{19}")
        .proof("AVNS_{w19}", "AVNS_x"),
    Entry::shape("supabase-key", &["sbp_", "sb_secret_"], r"\b(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})")
        .proof("sbp_{h40}", "sbp_project"),
    Entry::shape("planetscale-secret", &["pscale_"], r"\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}")
        .proof("pscale_pw_{w43}", "pscale_branch_name_of_the_production_database"),
];
