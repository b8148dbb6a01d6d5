//! Tokens and keys that are recognised by their shape, written from the formats that the issuers
//! document. The most specific families come first.

use super::finders;
use super::judge::Judge;
use super::rule::{Basis, Rule};

/// `PRIVATE KEY` in base64, at each offset within a group of three bytes.
const PRIVATE_KEY_IN_BASE64: &[&str] = &["UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"];

/// The first bytes of private keys in base64, without any armour around them.
#[rustfmt::skip]
const KEY_BYTES: &[&str] = &[
    "MIIEvAIBADANBg", "MIIEvQIBADANBg", "MIIEvgIBADANBg", "MIIEvwIBADANBg", "MIIJQgIBADANBg",
    "MIIJQwIBADANBg", "MIIJRAIBADANBg", "MIIEogIBAAKCAQ", "MIIEowIBAAKCAQ", "MIIEpAIBAAKCAQ",
    "MIIEpQIBAAKCAQ", "MIIJKAIBAAKCAg", "MIIJKQIBAAKCAg", "MIIJKgIBAAKCAg", "MHcCAQEEI",
    "MIGHAgEAMBMGBy", "MIG2AgEAMBAGBy", "MC4CAQAwBQYDK2", "b3BlbnNzaC1rZXktdjE",
];

/// A Discord token begins with digits in base64, which can only begin like this.
const DIGITS_IN_BASE64: &[&str] = &["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];

#[rustfmt::skip]
pub(super) const TOKENS: &[Rule] = &[
    // Private keys, signed tokens, hashes of passwords, wallets.
    Rule::found_by("private-key", Basis::Shape, &["-----BEGIN"], finders::key)
        .proof("-----BEGIN EC PRIVATE KEY-----\n{P3}\n-----END EC PRIVATE KEY-----", "`-----BEGIN PRIVATE KEY-----` is the first line"),
    Rule::found_by("private-key", Basis::Shape, &["-----END"], finders::key_end)
        .proof("{P2}\n{b20}==\n-----END RSA PRIVATE KEY-----", "{P3}\n-----END CERTIFICATE-----"),
    Rule::shape("private-key", PRIVATE_KEY_IN_BASE64, r#"(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)[A-Za-z0-9+/]{20,}={0,2}(?:(?:\\+[nrt]|[\s"'+,\\>|]){1,8}[A-Za-z0-9+/]{40,}={0,2})*(?:(?:\\+[nrt]|\s){1,8}[A-Za-z0-9+/]{6,}={0,2})?"#)
        .entropy(4.0)
        .proof("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t{b200}", "UFJJVkFURSBLRVk="),
    Rule::shape("private-key", KEY_BYTES, r#"\b(?:MII[EJ][\w]{2}IB[A-Za-z]{6}|MHcCAQEEI|MIG[H2]AgEAM|MC4CAQAwBQ|b3BlbnNzaC1r)[A-Za-z0-9+/]{24,}={0,2}(?:(?:\\+[nrt]|[\s"'+,\\>|]){1,8}[A-Za-z0-9+/]{40,}={0,2})*(?:(?:\\+[nrt]|\s){1,8}[A-Za-z0-9+/]{6,}={0,2})?"#)
        .entropy(4.0)
        .proof("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b200}", "MIIEvQIBADANBg"),
    Rule::shape("putty-key", &["Private-Lines:"], r"Private-Lines: \d+\s+((?:[A-Za-z0-9+/=]{8,}\s+)+)")
        .proof("Private-Lines: 2\n{b64}\n{b64}\nPrivate-MAC", "Private-Lines: none"),
    Rule::shape("age-key", &["AGE-SECRET-KEY-1"], r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b")
        .proof("AGE-SECRET-KEY-1{t58}", "AGE-SECRET-KEY-1"),
    Rule::shape("jwk-private-key", &["\"kty\""], r#""kty"[^{}]{0,2000}"d"\s*:\s*"([\w-]{40,})""#)
        .proof(r#"{"kty":"OKP","crv":"Ed25519","d":"{w43}","x":"{w43}"}"#, r#"{"kty":"OKP","crv":"Ed25519","x":"abc"}"#),
    Rule::shape("jwt", &["eyJ"], r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}")
        .proof("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{w30}.{w43}", "eyJhbGciOiJIUzI1NiJ9.payload"),
    Rule::shape("jwe", &["eyJ"], r"\beyJ[\w-]{8,}\.[\w-]{0,700}\.[\w-]{12,24}\.[\w-]{16,}\.[\w-]{20,24}\b")
        .proof("eyJhbGciOiJSU0Et{w20}.{w342}.{w16}.{w80}.{w22}", "eyJhbGciOiJSU0Et.a.b.c.d"),
    Rule::shape("signed-token", &["eyJ"], r"\beyJ[\w-]{8,}\.[\w-]{16,}\.[\w-]{27,}")
        .entropy(4.5)
        .proof("eyJ0eXAiOiAiVENWMiJ9.{w40}.{w80}", "eyJ0eXAiOiAiVENWMiJ9.a.b"),
    Rule::shape("password-hash", &["$2a$", "$2b$", "$2x$", "$2y$"], r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}")
        .proof("alice:$2y$10${a53}", "$2b$12$salt"),
    Rule::shape("password-hash", &["$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$"], r"\$(?:1|5|6|7|y|gy|apr1)\$(?:rounds=\d+\$)?[./\w]{1,32}\$(?:[./\w]{1,64}\$)?[./A-Za-z0-9]{22,128}")
        .entropy(3.5)
        .proof("root:$6${a16}${a86}:19600:0:99999:7:::", "awk '{print $1$2}' costs $5$ or $6$"),
    Rule::shape("password-hash", &["$argon2", "$scrypt$", "$pbkdf2"], r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?)\$[\w=,.$+/-]{8,}\$[A-Za-z0-9+/.]{20,}")
        .proof("$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}", "$argon2id$v=19$m=65536"),
    Rule::shape("password-hash", &["pbkdf2_sha", "SCRAM-SHA-"], r"(?:pbkdf2_sha\d+\$\d+\$[\w+/=]{4,}\$[A-Za-z0-9+/]{40,}=?|SCRAM-SHA-\d+\$\d+:[A-Za-z0-9+/=]{16,}\$[A-Za-z0-9+/=:]{60,})")
        .proof("pbkdf2_sha256$260000${a22}${b43}=", "pbkdf2_sha256"),
    Rule::shape("password-hash", &["{SSHA", "{SHA}", "{PBKDF2"], r"\{(?:SSHA(?:256|512)?|SHA|PBKDF2-SHA\d+)\}[A-Za-z0-9+/.$=]{24,}")
        .proof("userPassword: {SSHA}{b38}==", "{SSHA} is salted"),
    // Windows: user, number, two hashes.
    Rule::shape("password-hash", &[":::"], r":\d{3,7}:([0-9a-f]{32}:[0-9a-f]{32}):::")
        .before(74)
        .proof("Administrator:500:{h32}:{h32}:::", "a:500:::"),
    Rule::shape("wallet-key", &["xprv", "yprv", "zprv", "tprv"], r"\b[xyzt]prv[1-9A-Za-z]{100,112}\b")
        .proof("xprv9s21ZrQH143K{u96}", "xprv9s21"),
    Rule::shape("wallet-key", &["nsec1"], r"\bnsec1[a-z0-9]{58}\b")
        .proof("nsec1{h58}", "nsec1 is a prefix"),
    Rule::context("wallet-key", &["WIF", "private key", "secret key", "privkey", "keypair"], r"(?i)(?:wif|private key|secret key|privkey|keypair)[^\w\n]{0,4}(?:is\s)?[^\w\n]{0,3}((?:0x)?[0-9a-f]{64}|[5KLc][1-9A-HJ-NP-Za-km-z]{50,51}|S[A-Z2-7]{55}|[1-9A-HJ-NP-Za-km-z]{86,88})\b")
        .entropy(3.0)
        .proof("private key: 0x{h64}", "the private key of the other side is needed"),
    Rule::context("seed-phrase", &["mnemonic", "seed phrase", "seed_phrase", "seedPhrase", "recovery phrase", "recovery_phrase", "secret phrase", "seed words", "backup phrase"], r#"(?i)(?:mnemonic(?:[ _]phrase)?|(?:seed|recovery|secret|backup)[ _]?(?:phrase|words))["'`*]{0,3}\s{0,3}(?:is\s{0,2})?[:=]\s{0,4}["'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"#)
        .judge(Judge::SeedPhrase)
        .proof("MNEMONIC=\"ocean visit rapid amber lunar stone quick velvet donkey maple humor crisp\"", "seed phrase: write down all twelve words and keep them safe from everyone else"),

    // Cloud providers and hosting.
    Rule::shape("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b")
        .entropy(2.5)
        .proof("id AKIA{t16}.", "AKIASOUNDSLIKEAWORDBUTLONGER"),
    // The key id next to the key, as in the file that the console offers.
    Rule::context("aws-secret-key", &["AKIA", "ASIA"], r#"(?:AKIA|ASIA)[A-Z2-7]{16}["']?[\s,;:|/]{1,6}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#)
        .exact_case()
        .entropy(3.5)
        .proof("AKIA{t16},{b39}x\n", "AKIASOUNDSLIKEAWORDX, and more"),
    Rule::context("aws-secret-key", &["secret_access_key", "secretAccessKey", "SecretAccessKey", "secret-access-key", "secret access key", "Secret Access Key", "aws_secret"], r#"(?i)(?:secret[_ -]?access[_ -]?key|aws_secret(?:_key)?)\\*["']?(?:\s\[[^\]\n]{0,24}\])?\s*[:=,\s]\s*\\*["']?([A-Za-z0-9/+]{40})"#)
        .entropy(3.5)
        .proof("aws_secret_access_key = {b40}", "aws_secret_access_key = (unset)"),
    Rule::context("aws-session-token", &["session_token", "sessionToken", "SessionToken", "security_token", "security-token"], r#"(?i)(?:session|security)[_-]?token\\*["']?\s*[:=]\s*\\*["']?([A-Za-z0-9/+=%]{100,})"#)
        .proof("AWS_SESSION_TOKEN={b300}", "session_token = None"),
    Rule::shape("aws-session-token", &["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "FQoDYXdz"], r"\b(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz|FQoDYXdz)[A-Za-z0-9/+=%]{80,}")
        .proof("IQoJb3JpZ2lu{b300}", "IQoJb3JpZ2lu"),
    Rule::shape("aws-bedrock-key", &["ABSK", "bedrock-api-key-"], r"\b(?:ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{40,})")
        .entropy(4.0)
        .proof("ABSKQmVkcm9ja0FQSUtleS1{b110}", "ABSK"),
    Rule::shape("aws-marketplace-key", &["amzn.mws."], r"\bamzn\.mws\.[0-9a-f]{8}-[0-9a-f-]{27}")
        .proof("amzn.mws.{h8}-{h4}-{h4}-{h4}-{h12}", "amzn.mws.client"),
    Rule::shape("google-api-key", &["AIza"], r"\bAIza[\w-]{35}")
        .entropy(3.0)
        .proof("key=AIza{w35}&v=3", "AIzaTooShort"),
    Rule::shape("google-oauth-secret", &["GOCSPX-"], r"\bGOCSPX-[\w-]{28}")
        .proof("GOCSPX-{w28}", "GOCSPX-…"),
    Rule::shape("google-access-token", &["ya29."], r"\bya29\.[\w.-]{20,}")
        .proof("Bearer ya29.{w120}", "ya29.example"),
    Rule::shape("google-refresh-token", &["1//0"], r"\b1//0[\w-]{40,}")
        .entropy(3.5)
        .proof("1//0{w60}", "1//0 is a comment"),
    Rule::shape("google-oauth-code", &["4/0A", "4%2F0A"], r"\b4(?:/|%2F)0A[\w-]{20,}")
        .entropy(3.5)
        .proof("code=4/0A{w70}&scope=x", "page 4/0A"),
    Rule::shape("firebase-server-key", &[":APA91b"], r"\bAAAA[\w-]{7}:APA91b[\w-]{100,}")
        .before(11)
        .proof("AAAA{w7}:APA91b{w134}", "x:APA91b"),
    Rule::shape("azure-storage-key", &["AccountKey="], r"AccountKey=([A-Za-z0-9+/]{86}==)")
        .proof("AccountKey={b86}==;", "AccountKey=<key>"),
    Rule::shape("azure-shared-access-key", &["SharedAccessKey="], r"SharedAccessKey=([A-Za-z0-9+/]{43}=)")
        .proof("SharedAccessKey={b43}=", "SharedAccessKey=$KEY"),
    Rule::shape("azure-client-secret", &["Q~"], r"[\w~.]{3}\dQ~[\w~.-]{31,34}")
        .before(4)
        .entropy(3.5)
        .proof("{a3}8Q~{w34}", "x8Q~short"),
    Rule::shape("azure-key", &["JQQJ99", "JQQJ9D", "JQQJ9H", "+ASt", "ACDb", "AzSe", "APIM"], r"(?:[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{24,26}|[A-Za-z0-9+/]{76}(?:\+ASt|ACDb|APIM)[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{4,8})")
        .before(76)
        .entropy(4.0)
        .proof("{a52}JQQJ99{a26}", "an APIM gateway"),
    Rule::shape("azure-sas-signature", &["sig="], r"\bsig=([A-Za-z0-9%+/]{43,}=?)")
        .entropy(3.5)
        .proof("?sv=1&sig={a43}%3D&se=2", "sig=signature"),
    Rule::shape("signed-url", &["X-Amz-Signature=", "X-Goog-Signature="], r"X-(?:Amz|Goog)-Signature=([0-9a-f]{64,})")
        .proof("?X-Amz-Expires=60&X-Amz-Signature={h64}", "X-Amz-Signature=…"),
    Rule::shape("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}\b")
        .proof("dop_v1_{h64}", "dop_v1_token"),
    Rule::shape("cloudflare-origin-key", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b")
        .proof("v1.0-{h24}-{h146}", "v1.0-beta"),
    Rule::shape("cloudflare-token", &["cfut_", "cfat_", "cfk_"], r"\bcf(?:ut|at|k)_[A-Za-z0-9_-]{40,}")
        .proof("cfut_{a40}", "cfut_x"),
    Rule::shape("heroku-key", &["HRKU-"], r"\bHRKU-[\w-]{36,}")
        .proof("HRKU-AA{w58}", "HRKU-1"),
    Rule::context("heroku-key", &["heroku"], r#"(?i)heroku[\w.-]{0,20}\\*["']?\s*[:=]\s*\\*["']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"#)
        .proof("HEROKU_API_KEY={h8}-{h4}-4{h3}-8{h3}-{h12}", "HEROKU_APP=shop"),
    Rule::shape("alibaba-key", &["LTAI"], r"\bLTAI[A-Za-z0-9]{12,24}\b")
        .entropy(3.0)
        .proof("LTAI{a20}", "LTAI is a prefix"),
    Rule::shape("tencent-key", &["AKID"], r"\bAKID[A-Za-z0-9]{32}\b")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("AKID{a32}", "AKIDNAPPED"),
    Rule::shape("yandex-key", &["AQVN", "t1.9eu", "y0_A"], r"\b(?:AQVN[\w-]{35,38}|t1\.9eu[\w=-]+\.[\w=-]{86}|y0_A[\w-]{50,})")
        .entropy(4.0)
        .proof("AQVN{w36}", "AQVN"),
    Rule::shape("scaleway-key", &["SCW"], r"\bSCW[A-Z0-9]{17}\b")
        .entropy(3.0)
        .proof("SCW{t17}", "SCW_ACCESS_KEY"),
    Rule::shape("fly-token", &["fo1_", "fm1_", "fm2_"], r"\b(?:fo1_[\w-]{40,}|fm[12]_[\w+/=,-]{100,})")
        .proof("fo1_{w43}", "fo1_x"),
    Rule::shape("netlify-token", &["nfp_", "nfc_"], r"\bnf[pc]_[A-Za-z0-9]{36,}")
        .proof("nfp_{a36}", "nfp_value"),
    Rule::shape("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], r"\bvc[piark]_[A-Za-z0-9]{24,}")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("vcp_{a56}", "vcp_name"),
    Rule::shape("render-key", &["rnd_"], r"\brnd_[A-Za-z0-9]{28,36}\b")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("rnd_{a32}", "rnd_seed"),
    Rule::shape("neon-key", &["napi_", "npg_"], r"\b(?:napi_[a-z0-9]{40,}|npg_[A-Za-z0-9]{12,24})\b")
        .entropy(3.0)
        .proof("napi_{h64}", "napi_create_function"),
    Rule::shape("aiven-password", &["AVNS_"], r"\bAVNS_[\w-]{19}")
        .proof("AVNS_{w19}", "AVNS_x"),
    Rule::shape("supabase-key", &["sbp_", "sb_secret_"], r"\b(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})")
        .proof("sbp_{h40}", "sbp_project"),
    Rule::shape("planetscale-secret", &["pscale_"], r"\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}")
        .proof("pscale_pw_{w43}", "pscale_branch_name_of_the_production_database"),

    // Version control, builds, and the trackers and design tools around them.
    Rule::shape("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{36,}")
        .proof("ghp_{a36}", "ghp_fixture_name"),
    Rule::shape("github-token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}")
        .proof("github_pat_{a22}_{a59}", "github_pat_example"),
    Rule::shape(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glft-", "glimt-", "glagent-", "glsoat-", "glffct-", "glrtr-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt|oas|ft|imt|agent|soat|ffct|rtr)-[\w.-]{20,}",
    )
    .proof("glpat-{w20}", "glpat-short"),
    Rule::shape("gitlab-token", &["GR1348941"], r"\bGR1348941[\w-]{20}")
        .proof("GR1348941{w20}", "GR1348941"),
    Rule::shape("bitbucket-password", &["ATBB"], r"\bATBB[A-Za-z0-9_=]{24,}")
        .proof("ATBB{a32}", "ATBB"),
    Rule::shape("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], r"\bAT[ACS]TT3[\w=-]{40,}")
        .proof("ATATT3xFfGF0{w180}={h8}", "ATATT3"),
    Rule::shape("sourcegraph-token", &["sgp_", "slk_"], r"\b(?:sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}|slk_[a-f0-9]{64})\b")
        .proof("sgp_{h16}_{h40}", "sgp_name"),
    Rule::shape("sonarqube-token", &["sqp_", "squ_", "sqa_"], r"\bsq[pua]_[a-f0-9]{40}\b")
        .proof("squ_{h40}", "squ_name"),
    Rule::shape("linear-key", &["lin_api_", "lin_oauth_"], r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}")
        .proof("lin_api_{a40}", "lin_api_version"),
    Rule::shape("figma-token", &["figd_", "figu_", "figo_"], r"\bfig[duo]_[\w-]{40,}")
        .proof("figd_{w40}", "figd_file"),
    Rule::shape("notion-token", &["ntn_", "secret_"], r"\b(?:ntn_[A-Za-z0-9]{43,}|secret_[A-Za-z0-9]{43})\b")
        .proof("ntn_{a46}", "secret_name_of_the_deployment_in_the_cluster_one"),
    Rule::shape("asana-token", &["1/1", "2/1"], r"\b[12]/1\d{9,}(?:/\d+)?:[a-f0-9]{32}\b")
        .proof("1/1{d14}:{h32}", "1/100:abc"),
    Rule::shape("clickup-token", &["pk_"], r"\bpk_\d{5,12}_[A-Z0-9]{32}\b")
        .proof("pk_{d8}_{t32}", "pk_user"),
    Rule::shape("hubspot-token", &["pat-na", "pat-eu"], r"\bpat-(?:na|eu)\d-[0-9a-f]{8}-[0-9a-f-]{27}")
        .proof("pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}", "pat-na1-x"),
    Rule::shape("contentful-token", &["CFPAT-"], r"\bCFPAT-[\w-]{40,}")
        .proof("CFPAT-{w43}", "CFPAT-x"),
    Rule::shape("typeform-token", &["tfp_"], r"\btfp_[\w.=-]{40,}")
        .proof("tfp_{w44}_{a14}", "tfp_form"),
    Rule::shape("dropbox-token", &["sl."], r"\bsl\.(?:u\.|B)[\w-]{120,}")
        .proof("sl.B{w135}", "sl.Button"),
    Rule::shape("launchdarkly-key", &["sdk-", "api-", "mob-"], r"\b(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
        .proof("sdk-{h8}-{h4}-{h4}-{h4}-{h12}", "sdk-2.1.0"),
    Rule::shape("mapbox-token", &["sk.eyJ"], r"\bsk\.eyJ[\w-]{50,}\.[\w-]{20,}")
        .proof("sk.eyJ{w80}.{w22}", "sk.eyJ"),
    Rule::shape("posthog-key", &["phx_"], r"\bphx_[A-Za-z0-9]{40,}")
        .proof("phx_{a43}", "phx_new"),
    Rule::shape("postman-key", &["PMAK-"], r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b")
        .proof("PMAK-{h24}-{h34}", "PMAK-1"),
    Rule::shape("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"\bCCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}\b")
        .proof("CCIPAT_{a22}_{h40}", "CCIPAT_"),
    Rule::shape("buildkite-token", &["bkua_", "bkaj_", "bkct_"], r"\bbk(?:ua|aj|ct)_[a-f0-9]{40}\b")
        .proof("bkua_{h40}", "bkua_pipeline"),

    // Model providers, and services that agents use.
    Rule::shape("anthropic-key", &["sk-ant-"], r"\bsk-ant-[\w-]{32,}")
        .proof("sk-ant-api03-{w93}AA", "sk-ant-api03"),
    Rule::shape("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{40,}")
        .proof("sk-proj-{w74}T3BlbkFJ{w74}", "sk-proj-name"),
    Rule::shape("openrouter-key", &["sk-or-"], r"\bsk-or-v\d-[a-f0-9]{64}\b")
        .proof("sk-or-v1-{h64}", "sk-or-v1-key"),
    Rule::shape("langfuse-key", &["sk-lf-"], r"\bsk-lf-[0-9a-f]{8}-[0-9a-f-]{27}")
        .proof("sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}", "sk-lf-x"),
    Rule::shape("openai-key", &["sk-"], r"\bsk-[A-Za-z0-9]{32,}\b")
        .entropy(3.0)
        .proof("sk-{a20}T3BlbkFJ{a20}", "task-00000000000000000000000000000000000000"),
    Rule::shape("huggingface-token", &["hf_", "api_org_"], r"\b(?:hf|api_org)_[A-Za-z]{30,}[A-Za-z0-9]{0,10}\b|\bhf_[A-Za-z0-9]{34,40}\b")
        .proof("hf_{a34}", "hf_hub_download"),
    Rule::shape("groq-key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}\b")
        .proof("gsk_{a52}", "gsk_renderer"),
    Rule::shape("cerebras-key", &["csk-"], r"\bcsk-[a-z0-9]{40,}\b")
        .proof("csk-{h48}", "csk-x"),
    Rule::shape("fireworks-key", &["fw_"], r"\bfw_[A-Za-z0-9]{20,24}\b")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("fw_{a22}", "fw_update_available"),
    Rule::shape("pinecone-key", &["pcsk_"], r"\bpcsk_[A-Za-z0-9_]{50,}")
        .proof("pcsk_{a6}_{a63}", "pcsk_x"),
    Rule::shape("voyage-key", &["pa-"], r"\bpa-[\w-]{40,48}\b")
        .entropy(4.3)
        .judge(Judge::RandomValue)
        .proof("pa-{w42}x", "pa-pa-is-the-name-of-a-language-and-not-a-key-of-anything"),
    Rule::shape("brave-key", &["BSA"], r"\bBSA[\w-]{27,30}\b")
        .entropy(4.0)
        .judge(Judge::RandomValue)
        .proof("BSA{a27}", "BSA"),
    Rule::shape("e2b-key", &["e2b_"], r"\be2b_[a-f0-9]{40}\b")
        .proof("e2b_{h40}", "e2b_template"),
    Rule::shape("runpod-key", &["rpa_"], r"\brpa_[A-Z0-9]{38,}")
        .proof("rpa_{t44}", "rpa_bot"),
    Rule::shape("modal-token", &["as-", "ak-"], r"\ba[ks]-[A-Za-z0-9]{22}\b")
        .entropy(4.0)
        .judge(Judge::RandomValue)
        .proof("as-Qx7{a19}", "as-is"),
    Rule::shape("replicate-token", &["r8_"], r"\br8_[A-Za-z0-9]{37}\b")
        .proof("r8_{a37}", "r8_unorm"),
    Rule::shape("xai-key", &["xai-"], r"\bxai-[A-Za-z0-9]{64,}\b")
        .proof("xai-{a80}", "xai-org"),
    Rule::shape("perplexity-key", &["pplx-"], r"\bpplx-[A-Za-z0-9]{40,}\b")
        .proof("pplx-{a48}", "pplx-70b-online"),
    Rule::shape("nvidia-key", &["nvapi-"], r"\bnvapi-[\w-]{60,}")
        .proof("nvapi-{w64}", "nvapi-key"),
    Rule::shape("langsmith-key", &["lsv2_", "ls__"], r"\b(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b")
        .proof("lsv2_pt_{h32}_{h10}", "lsv2_api"),
    Rule::shape("tavily-key", &["tvly-"], r"\btvly-[\w-]{30,}")
        .entropy(3.5)
        .proof("tvly-{a32}", "tvly-search"),
    Rule::shape("elevenlabs-key", &["sk_"], r"\bsk_[a-f0-9]{48}\b")
        .proof("sk_{h48}", "sk_buff"),
    Rule::shape("firecrawl-key", &["fc-"], r"\bfc-[a-f0-9]{32}\b")
        .proof("fc-{h32}", "fc-list"),
    Rule::shape("jina-key", &["jina_"], r"\bjina_[\w-]{50,}")
        .proof("jina_{w60}", "jina_embeddings"),

    // Chat, telephony, mail and social networks.
    Rule::shape("slack-token", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"], r"\bxox(?:[abceoprs][.-](?:xox[bp]-)?\d[\w-]{10,}|d-[\w%.+/=-]{40,})")
        .proof("xoxb-{d12}-{d13}-{a24}", "xoxb-your-token"),
    Rule::shape("slack-token", &["xapp-"], r"\bxapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{32,}\b")
        .proof("xapp-1-A{t10}-{d13}-{h64}", "xapp-1"),
    Rule::shape("slack-webhook", &["hooks.slack.com"], r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})")
        .proof("https://hooks.slack.com/services/T{t10}/B{t10}/{a24}", "https://hooks.slack.com/services/T/B/x"),
    Rule::shape("discord-token", DIGITS_IN_BASE64, r"\b(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5])(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4,5}[\w-]{0,4}\.[\w-]{6}\.[\w-]{27,40}")
        .proof("MTA5NzQ4MjQ2MTA0NTMxNzY2.G{a5}.{w38}", "MTA5NzQ4MjQ2MTA0NTMxNzY2"),
    Rule::shape("discord-token", &[".G", ".X", ".Y"], r"\b[MNO][\w-]{23,27}\.[GXY][\w-]{5}\.[\w-]{27,40}")
        .before(28)
        .entropy(4.2)
        .proof("M{a25}.G{a5}.{w38}", "MyApplicationsMainWindow.GetApp.ofTheOtherApplicationsMain"),
    Rule::shape("discord-webhook", &["/api/webhooks/"], r"/api/webhooks/\d{16,20}/([\w-]{60,})")
        .proof("https://discord.com/api/webhooks/{d18}/{w68}", "https://discord.com/api/webhooks/"),
    Rule::shape("telegram-token", &[":AA"], r"\d{8,10}:AA[\w-]{33}")
        .before(10)
        .proof("bot{d10}:AA{w33}/getMe", "12345678:AAA battery"),
    Rule::shape("teams-webhook", &["webhook.office.com", "outlook.office.com/webhook"], r"(?:webhook|outlook)\.office\.com/webhook(?:b2)?/([\w@-]{70,}/IncomingWebhook/[\w-]{30,}/[\w-]{30,})")
        .proof("https://acme.webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}/{h36}", "webhook.office.com"),
    Rule::shape("webhook", &["hooks.zapier.com", "maker.ifttt.com", "hook.eu", "hook.us"], r"(?:hooks\.zapier\.com/hooks/catch/\d+/|maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/|hook\.(?:eu|us)\d\.make\.com/)([\w-]{6,})")
        .proof("https://hooks.zapier.com/hooks/catch/{d7}/{l7}/", "hooks.zapier.com/hooks"),
    Rule::shape("twilio-key", &["SK"], r"\bSK[0-9a-f]{32}\b")
        .entropy(2.8)
        .proof("SK{h32}", "SKIP"),
    Rule::shape("sendgrid-key", &["SG."], r"\bSG\.[\w-]{20,24}\.[\w-]{40,45}")
        .proof("SG.{w22}.{w43}", "SG.mail.send"),
    Rule::shape("mailgun-key", &["key-"], r"\bkey-[0-9a-f]{32}\b")
        .entropy(2.8)
        .proof("key-{h32}", "key-value"),
    Rule::shape("mailchimp-key", &["-us"], r"\b[0-9a-f]{32}-us\d{1,2}\b")
        .before(32)
        .proof("{h32}-us14", "region-us12"),
    Rule::shape("brevo-key", &["xkeysib-", "xsmtpsib-"], r"\bx(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b")
        .proof("xkeysib-{h64}-{a16}", "xkeysib-key"),
    Rule::shape("resend-key", &["re_"], r"\bre_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}\b")
        .entropy(3.8)
        .proof("re_{a8}_{a24}", "re_compile_pattern"),
    Rule::shape("facebook-token", &["EAA"], r"\bEAA[A-Za-z][A-Za-z0-9]{80,}")
        .entropy(4.3)
        .proof("EAAG{a120}", "EAAA"),
    Rule::shape("twitter-token", &["AAAAAAAAAAAAAAAAAAAA"], r"\bA{20,30}[A-Za-z0-9%]{60,}")
        .entropy(4.0)
        .proof("AAAAAAAAAAAAAAAAAAAAAB{a20}%2F{a60}", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Rule::shape("twitch-token", &["oauth:"], r"\boauth:([a-z0-9]{30})\b")
        .entropy(2.8)
        .proof("pass oauth:{h30}", "oauth:token"),

    // Payment, shops and shipping.
    Rule::shape("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"], r"\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}")
        .proof("sk_live_{a24}", "sk_live_key"),
    Rule::shape("stripe-webhook-secret", &["whsec_"], r"\bwhsec_[A-Za-z0-9+/=]{24,}")
        .proof("whsec_{a32}", "whsec_secret"),
    Rule::shape("square-token", &["EAAA"], r"\bEAAA[\w-]{56,64}\b")
        .entropy(4.0)
        .proof("EAAA{a60}", "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Rule::shape("square-token", &["sq0atp-", "sq0csp-"], r"\bsq0(?:atp|csp)-[\w-]{22,43}")
        .proof("sq0csp-{w43}", "sq0csp-id"),
    Rule::shape("paypal-token", &["access_token$"], r"\baccess_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}\b")
        .proof("access_token$production${h16}${h32}", "access_token$production"),
    Rule::shape("adyen-key", &["AQE"], r"\bAQE[\w+/]{60,}-[\w+/=]{40,}-\S{16}")
        .entropy(4.0)
        .proof("AQEyhmfx{a70}-{b44}=-{a16}", "AQE"),
    Rule::shape("mollie-key", &["live_", "test_"], r"\b(?:live|test)_[A-Za-z0-9]{30,40}\b")
        .entropy(4.0)
        .judge(Judge::RandomValue)
        .proof("live_{a30}", "test_the_order_of_words_in_a_long_name"),
    Rule::shape("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], r"\bshp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}\b")
        .proof("shpat_{h32}", "shpat_token"),
    Rule::shape("woocommerce-key", &["cs_", "ck_"], r"\bc[sk]_[a-f0-9]{40}\b")
        .proof("cs_{h40}", "cs_open"),
    Rule::shape("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], r"\baccess-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
        .proof("access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}", "access-production-logs"),
    Rule::shape("flutterwave-key", &["FLWSECK"], r"\bFLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,40}-X\b")
        .proof("FLWSECK-{h32}-X", "FLWSECK"),
    Rule::shape("shipping-key", &["EZAK", "EZTK", "shippo_live_", "shippo_test_", "duffel_live_", "duffel_test_"], r"\b(?:EZ[AT]K[A-Za-z0-9]{54}|shippo_(?:live|test)_[a-f0-9]{40}|duffel_(?:live|test)_[\w-]{43})")
        .proof("shippo_live_{h40}", "shippo_live_mode"),

    // Package registries.
    Rule::shape("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b")
        .proof("npm_{a36}", "npm_config_registry"),
    Rule::context("npm-token", &["_authToken", ":_password", ":_auth=", "\n_auth="], r#"[:\n]?_(?:authToken|password|auth)\s*=\s*["']?([\w+/=.-]{12,})"#)
        .exact_case()
        .entropy(2.5)
        .proof("//r.example/:_authToken={h8}-{h4}-{h4}-{h4}-{h12}", "_authToken=${NPM_TOKEN}"),
    Rule::shape("pypi-token", &["pypi-AgE"], r"\bpypi-AgE[\w-]{50,}")
        .proof("pypi-AgEIcHlwaS5vcmc{w150}", "pypi-AgE"),
    Rule::shape("crates-io-token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b")
        .entropy(3.5)
        .proof("cio{a32}", "cio"),
    Rule::shape("docker-token", &["dckr_pat_", "dckr_oat_"], r"\bdckr_[po]at_[\w-]{24,}")
        .proof("dckr_pat_{w27}", "dckr_pat_x"),
    Rule::shape("rubygems-key", &["rubygems_"], r"\brubygems_[a-f0-9]{48}\b")
        .proof("rubygems_{h48}", "rubygems_api_key"),
    Rule::shape("nuget-key", &["oy2"], r"\boy2[a-z0-9]{43}\b")
        .proof("oy2{h43}", "oy2"),
    Rule::shape("jfrog-key", &["AKCp", "cmVmdGtu"], r"\b(?:AKCp|cmVmdGtu)[A-Za-z0-9]{50,}\b")
        .proof("AKCp{a69}", "AKCp"),
    Rule::shape("clojars-token", &["CLOJARS_"], r"\bCLOJARS_[a-f0-9]{60}\b")
        .proof("CLOJARS_{h60}", "CLOJARS_USERNAME"),

    // Operations software: secret stores, monitoring, networks, infrastructure.
    Rule::shape("vault-token", &["hvs.", "hvb.", "hvr."], r"\bhv[sbr]\.[\w-]{24,}")
        .proof("hvs.{w95}", "hvs.token"),
    Rule::shape("terraform-token", &[".atlasv1."], r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}")
        .before(14)
        .proof("{a14}.atlasv1.{w67}", "x.atlasv1.y"),
    Rule::shape("pulumi-token", &["pul-"], r"\bpul-[a-f0-9]{40}\b")
        .proof("pul-{h40}", "pul-stack"),
    Rule::shape("databricks-token", &["dapi"], r"\bdapi[a-f0-9]{32}(?:-\d)?\b")
        .proof("dapi{h32}-2", "dapikey"),
    Rule::shape("doppler-token", &["dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim."], r"\bdp\.(?:pt|st|sa|ct|scim)\.[A-Za-z0-9._-]{40,}")
        .proof("dp.pt.{a43}", "dp.pt.x"),
    Rule::shape("tailscale-key", &["tskey-"], r"\btskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}")
        .proof("tskey-auth-{a17}-{a32}", "tskey-auth"),
    Rule::shape("grafana-token", &["glsa_", "glc_"], r"\b(?:glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/=]{40,})")
        .proof("glsa_{a32}_{h8}", "glsa_name"),
    Rule::shape("new-relic-key", &["NRAK-", "NRJS-", "NRII-"], r"\b(?:NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}|NRII-[\w-]{32})\b")
        .proof("NRAK-{t27}", "NRAK-1"),
    Rule::shape("new-relic-key", &["NRAL"], r"\b(?:eu01xx)?[a-f0-9]{30,36}(?:FFFF)?NRAL\b")
        .before(42)
        .proof("{h36}NRAL", "NRAL"),
    Rule::shape("sentry-token", &["sntrys_", "sntryu_"], r"\bsntry(?:s_[\w+/=-]{60,}|u_[a-f0-9]{64})")
        .proof("sntryu_{h64}", "sntrys_org"),
    Rule::shape("dynatrace-token", &["dt0c01."], r"\bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b")
        .proof("dt0c01.{t24}.{t64}", "dt0c01.x"),
    Rule::shape("onepassword-token", &["ops_eyJ"], r"\bops_eyJ[\w+/=-]{200,}")
        .proof("ops_eyJ{w250}", "ops_eyJ"),
    Rule::shape("grafana-token", &["eyJrIjoi"], r"\beyJrIjoi[\w+/=-]{60,}")
        .proof("eyJrIjoi{w80}", "eyJrIjoi"),
    Rule::shape("swarm-token", &["SWMTKN-1-", "SWMKEY-1-"], r"\bSWM(?:TKN|KEY)-1-[\w+/-]{40,}")
        .proof("SWMTKN-1-{h50}-{h25}", "SWMTKN-1-"),
    Rule::shape("k3s-token", &["K10"], r"\bK10[a-f0-9]{48,64}::(?:server|node|\w+):[\w.-]{16,}")
        .proof("K10{h64}::server:{h32}", "K10 pass"),
    Rule::shape("infisical-token", &["st."], r"\bst\.[a-f0-9-]{24,36}\.[a-f0-9]{32}\.[a-f0-9]{32}\b")
        .proof("st.{h24}.{h32}.{h32}", "st.session_state"),
    Rule::shape("okta-token", &["SSWS "], r"\bSSWS ([\w-]{42})")
        .entropy(3.5)
        .proof("Authorization: SSWS 00{w40}", "SSWS token"),
];
