//! Model providers, and services that agents use.

use crate::redact::rule::{Entry, Judge};

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("anthropic-key", &["sk-ant-"], r"\bsk-ant-[\w-]{32,}")
        .proof("sk-ant-api03-{w93}AA", "sk-ant-api03"),
    Entry::shape("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{40,}")
        .proof("sk-proj-{w74}T3BlbkFJ{w74}", "sk-proj-name"),
    Entry::shape("openrouter-key", &["sk-or-"], r"\bsk-or-v\d-[a-f0-9]{64}\b")
        .proof("sk-or-v1-{h64}", "sk-or-v1-key"),
    Entry::shape("langfuse-key", &["sk-lf-"], r"\bsk-lf-[0-9a-f]{8}-[0-9a-f-]{27}")
        .proof("sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}", "sk-lf-x"),
    Entry::shape("openai-key", &["sk-"], r"\bsk-[A-Za-z0-9]{32,}\b")
        .entropy(3.0)
        .proof("sk-{a20}T3BlbkFJ{a20}", "task-00000000000000000000000000000000000000"),
    Entry::shape("huggingface-token", &["hf_", "api_org_"], r"\b(?:hf|api_org)_[A-Za-z]{30,}[A-Za-z0-9]{0,10}\b|\bhf_[A-Za-z0-9]{34,40}\b")
        .proof("hf_{a34}", "hf_hub_download"),
    Entry::shape("groq-key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}\b")
        .proof("gsk_{a52}", "gsk_renderer"),
    Entry::shape("cerebras-key", &["csk-"], r"\bcsk-[a-z0-9]{40,}\b")
        .proof("csk-{h48}", "csk-x"),
    Entry::shape("fireworks-key", &["fw_"], r"\bfw_[A-Za-z0-9]{20,24}\b")
        .entropy(3.5)
        .judge(Judge::RandomValue)
        .proof("fw_{a22}", "fw_update_available"),
    Entry::shape("pinecone-key", &["pcsk_"], r"\bpcsk_[A-Za-z0-9_]{50,}")
        .proof("pcsk_{a6}_{a63}", "pcsk_x"),
    Entry::shape("voyage-key", &["pa-"], r"\bpa-[\w-]{40,48}\b")
        .entropy(4.3)
        .judge(Judge::RandomValue)
        .proof("pa-{w42}x", "pa-pa-is-the-name-of-a-language-and-not-a-key-of-anything"),
    Entry::shape("brave-key", &["BSA"], r"\bBSA[\w-]{27,30}\b")
        .entropy(4.0)
        .judge(Judge::RandomValue)
        .proof("BSA{a27}", "BSA"),
    Entry::shape("e2b-key", &["e2b_"], r"\be2b_[a-f0-9]{40}\b")
        .proof("e2b_{h40}", "e2b_template"),
    Entry::shape("runpod-key", &["rpa_"], r"\brpa_[A-Z0-9]{38,}")
        .proof("rpa_{t44}", "rpa_bot"),
    Entry::shape("modal-token", &["as-", "ak-"], r"\ba[ks]-[A-Za-z0-9]{22}\b")
        .entropy(4.0)
        .judge(Judge::RandomValue)
        .proof("as-Qx7{a19}", "as-is"),
    Entry::shape("replicate-token", &["r8_"], r"\br8_[A-Za-z0-9]{37}\b")
        .proof("r8_{a37}", "r8_unorm"),
    Entry::shape("xai-key", &["xai-"], r"\bxai-[A-Za-z0-9]{64,}\b")
        .proof("xai-{a80}", "xai-org"),
    Entry::shape("perplexity-key", &["pplx-"], r"\bpplx-[A-Za-z0-9]{40,}\b")
        .proof("pplx-{a48}", "pplx-70b-online"),
    Entry::shape("nvidia-key", &["nvapi-"], r"\bnvapi-[\w-]{60,}")
        .proof("nvapi-{w64}", "nvapi-key"),
    Entry::shape("langsmith-key", &["lsv2_", "ls__"], r"\b(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b")
        .proof("lsv2_pt_{h32}_{h10}", "lsv2_api"),
    Entry::shape("tavily-key", &["tvly-"], r"\btvly-[\w-]{30,}")
        .entropy(3.5)
        .proof("tvly-{a32}", "tvly-search"),
    Entry::shape("elevenlabs-key", &["sk_"], r"\bsk_[a-f0-9]{48}\b")
        .proof("sk_{h48}", "sk_buff"),
    Entry::shape("firecrawl-key", &["fc-"], r"\bfc-[a-f0-9]{32}\b")
        .proof("fc-{h32}", "fc-list"),
    Entry::shape("jina-key", &["jina_"], r"\bjina_[\w-]{50,}")
        .proof("jina_{w60}", "jina_embeddings"),
];
