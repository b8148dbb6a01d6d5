//! Operations software: secret stores, monitoring, networks, infrastructure.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("vault-token", &["hvs.", "hvb.", "hvr."], r"\bhv[sbr]\.[\w-]{24,}")
        .proof("hvs.{w95}", "hvs.token"),
    Entry::shape("terraform-token", &[".atlasv1."], r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}")
        .before(14)
        .proof("{a14}.atlasv1.{w67}", "x.atlasv1.y"),
    Entry::shape("pulumi-token", &["pul-"], r"\bpul-[a-f0-9]{40}\b")
        .proof("pul-{h40}", "pul-stack"),
    Entry::shape("databricks-token", &["dapi"], r"\bdapi[a-f0-9]{32}(?:-\d)?\b")
        .proof("dapi{h32}-2", "dapikey"),
    Entry::shape("doppler-token", &["dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim."], r"\bdp\.(?:pt|st|sa|ct|scim)\.[A-Za-z0-9._-]{40,}")
        .proof("dp.pt.{a43}", "dp.pt.x"),
    Entry::shape("tailscale-key", &["tskey-"], r"\btskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}")
        .proof("tskey-auth-{a17}-{a32}", "tskey-auth"),
    Entry::shape("grafana-token", &["glsa_", "glc_"], r"\b(?:glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/=]{40,})")
        .proof("glsa_{a32}_{h8}", "glsa_name"),
    Entry::shape("new-relic-key", &["NRAK-", "NRJS-", "NRII-"], r"\b(?:NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}|NRII-[\w-]{32})\b")
        .proof("NRAK-{t27}", "NRAK-1"),
    Entry::shape("new-relic-key", &["NRAL"], r"\b(?:eu01xx)?[a-f0-9]{30,36}(?:FFFF)?NRAL\b")
        .before(42)
        .proof("{h36}NRAL", "NRAL"),
    Entry::shape("sentry-token", &["sntrys_", "sntryu_"], r"\bsntry(?:s_[\w+/=-]{60,}|u_[a-f0-9]{64})")
        .proof("sntryu_{h64}", "sntrys_org"),
    Entry::shape("dynatrace-token", &["dt0c01."], r"\bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b")
        .proof("dt0c01.{t24}.{t64}", "dt0c01.x"),
    Entry::shape("onepassword-token", &["ops_eyJ"], r"\bops_eyJ[\w+/=-]{200,}")
        .proof("ops_eyJ{w250}", "ops_eyJ"),
    Entry::shape("grafana-token", &["eyJrIjoi"], r"\beyJrIjoi[\w+/=-]{60,}")
        .proof("eyJrIjoi{w80}", "eyJrIjoi"),
    Entry::shape("swarm-token", &["SWMTKN-1-", "SWMKEY-1-"], r"\bSWM(?:TKN|KEY)-1-[\w+/-]{40,}")
        .proof("SWMTKN-1-{h50}-{h25}", "SWMTKN-1-"),
    Entry::shape("k3s-token", &["K10"], r"\bK10[a-f0-9]{48,64}::(?:server|node|\w+):[\w.-]{16,}")
        .proof("K10{h64}::server:{h32}", "K10 pass"),
    Entry::shape("infisical-token", &["st."], r"\bst\.[a-f0-9-]{24,36}\.[a-f0-9]{32}\.[a-f0-9]{32}\b")
        .proof("st.{h24}.{h32}.{h32}", "st.session_state"),
    Entry::shape("okta-token", &["SSWS "], r"\bSSWS ([\w-]{42})")
        .entropy(3.5)
        .proof("Authorization: SSWS 00{w40}", "SSWS token"),
];
