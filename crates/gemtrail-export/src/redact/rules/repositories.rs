//! Version control, builds, and the trackers and design tools around them.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{36,}")
        .proof("ghp_{a36}", "ghp_fixture_name"),
    Entry::shape("github-token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}")
        .proof("github_pat_{a22}_{a59}", "github_pat_example"),
    Entry::shape(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glft-", "glimt-", "glagent-", "glsoat-", "glffct-", "glrtr-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt|oas|ft|imt|agent|soat|ffct|rtr)-[\w.-]{20,}",
    )
    .proof("glpat-{w20}", "glpat-short"),
    Entry::shape("gitlab-token", &["GR1348941"], r"\bGR1348941[\w-]{20}")
        .proof("GR1348941{w20}", "GR1348941"),
    Entry::shape("bitbucket-password", &["ATBB"], r"\bATBB[A-Za-z0-9_=]{24,}")
        .proof("ATBB{a32}", "ATBB"),
    Entry::shape("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], r"\bAT[ACS]TT3[\w=-]{40,}")
        .proof("ATATT3xFfGF0{w180}={h8}", "ATATT3"),
    Entry::shape("sourcegraph-token", &["sgp_", "slk_"], r"\b(?:sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}|slk_[a-f0-9]{64})\b")
        .proof("sgp_{h16}_{h40}", "sgp_name"),
    Entry::shape("sonarqube-token", &["sqp_", "squ_", "sqa_"], r"\bsq[pua]_[a-f0-9]{40}\b")
        .proof("squ_{h40}", "squ_name"),
    Entry::shape("linear-key", &["lin_api_", "lin_oauth_"], r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}")
        .proof("lin_api_{a40}", "lin_api_version"),
    Entry::shape("figma-token", &["figd_", "figu_", "figo_"], r"\bfig[duo]_[\w-]{40,}")
        .proof("figd_{w40}", "figd_file"),
    Entry::shape("notion-token", &["ntn_", "secret_"], r"\b(?:ntn_[A-Za-z0-9]{43,}|secret_[A-Za-z0-9]{43})\b")
        .proof("ntn_{a46}", "secret_name_of_the_deployment_in_the_cluster_one"),
    Entry::shape("asana-token", &["1/1", "2/1"], r"\b[12]/1\d{9,}(?:/\d+)?:[a-f0-9]{32}\b")
        .proof("1/1{d14}:{h32}", "1/100:abc"),
    Entry::shape("clickup-token", &["pk_"], r"\bpk_\d{5,12}_[A-Z0-9]{32}\b")
        .proof("pk_{d8}_{t32}", "pk_user"),
    Entry::shape("hubspot-token", &["pat-na", "pat-eu"], r"\bpat-(?:na|eu)\d-[0-9a-f]{8}-[0-9a-f-]{27}")
        .proof("pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}", "pat-na1-x"),
    Entry::shape("contentful-token", &["CFPAT-"], r"\bCFPAT-[\w-]{40,}")
        .proof("CFPAT-{w43}", "CFPAT-x"),
    Entry::shape("typeform-token", &["tfp_"], r"\btfp_[\w.=-]{40,}")
        .proof("tfp_{w44}_{a14}", "tfp_form"),
    Entry::shape("dropbox-token", &["sl."], r"\bsl\.(?:u\.|B)[\w-]{120,}")
        .proof("sl.B{w135}", "sl.Button"),
    Entry::shape("launchdarkly-key", &["sdk-", "api-", "mob-"], r"\b(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
        .proof("sdk-{h8}-{h4}-{h4}-{h4}-{h12}", "sdk-2.1.0"),
    Entry::shape("mapbox-token", &["sk.eyJ"], r"\bsk\.eyJ[\w-]{50,}\.[\w-]{20,}")
        .proof("sk.eyJ{w80}.{w22}", "sk.eyJ"),
    Entry::shape("posthog-key", &["phx_"], r"\bphx_[A-Za-z0-9]{40,}")
        .proof("phx_{a43}", "phx_new"),
    Entry::shape("postman-key", &["PMAK-"], r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b")
        .proof("PMAK-{h24}-{h34}", "PMAK-1"),
    Entry::shape("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"\bCCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}\b")
        .proof("CCIPAT_{a22}_{h40}", "CCIPAT_"),
    Entry::shape("buildkite-token", &["bkua_", "bkaj_", "bkct_"], r"\bbk(?:ua|aj|ct)_[a-f0-9]{40}\b")
        .proof("bkua_{h40}", "bkua_pipeline"),
];
