#!/usr/bin/env python3
"""A realistic home for pictures: 57 sessions of five projects in plain English, of the last 45 days.

    realistic_home.py DIR

writes DIR/.gemini. The projects are directories below DIR, and are made.
"""
import json,os,random,uuid,hashlib,datetime as dt,difflib
random.seed(4)
import sys
if len(sys.argv)!=2 or sys.argv[1].startswith('-'): sys.exit(__doc__)
ROOT=os.path.abspath(sys.argv[1])
OUT=ROOT+'/.gemini'
PROJ={k:ROOT+v for k,v in {'storefront':'/code/storefront','billing-api':'/code/billing-api','dotfiles':'/dotfiles','ml-ranker':'/code/ml-ranker','notes':'/notes'}.items()}
for root in PROJ.values(): os.makedirs(root,exist_ok=True)
now=dt.datetime.now(dt.timezone.utc).replace(tzinfo=None,hour=6,minute=0,second=0,microsecond=0)
def iso(t): return t.strftime('%Y-%m-%dT%H:%M:%S.')+'%03dZ'%(t.microsecond//1000)
def rid(): return str(uuid.UUID(int=random.getrandbits(128),version=4))
CART='''import { money } from "./money.js";

export function total(items, { coupon } = {}) {
  let sum = 0;
  for (const item of items) {
    sum += item.price * item.qty;
  }
  if (coupon) sum = sum - coupon.amount;
  return money(sum);
}
'''
CART2='''import { money } from "./money.js";
import { applyCoupon } from "./coupon.js";

/** Total of a cart in minor units. Never negative. */
export function total(items, { coupon } = {}) {
  const sum = items.reduce((acc, { price, qty }) => acc + price * qty, 0);
  return money(Math.max(0, coupon ? applyCoupon(sum, coupon) : sum));
}
'''
RS='''use sqlx::PgPool;

pub async fn invoice(pool: &PgPool, id: i64) -> anyhow::Result<Invoice> {
    let row = sqlx::query!("select * from invoices where id = $1", id)
        .fetch_one(pool)
        .await?;
    Ok(Invoice { id: row.id, cents: row.cents })
}
'''
RS2='''use sqlx::PgPool;

pub async fn invoice(pool: &PgPool, id: i64) -> Result<Invoice, ApiError> {
    let row = sqlx::query_as!(InvoiceRow, "select id, cents, currency from invoices where id = $1", id)
        .fetch_optional(pool)
        .await?
        .ok_or(ApiError::NotFound("invoice", id))?;
    Ok(row.into())
}
'''
JEST='''> storefront@2.4.0 test
> vitest run

 RUN  v2.1.4 /home/sam/code/storefront

 \u2713 src/money.test.ts (8 tests) 12ms
 \u276f src/cart.test.ts (6 tests | 1 failed) 31ms
   \u00d7 total > never goes below zero with a large coupon
     \u2192 expected -250 to be +0 // Object.is equality

 FAIL  src/cart.test.ts > total > never goes below zero with a large coupon
AssertionError: expected -250 to be +0 // Object.is equality

- Expected
+ Received

- 0
+ -250

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 13 passed (14)
   Duration  1.02s
'''
PYT='''Traceback (most recent call last):
  File "train.py", line 88, in <module>
    main(cfg)
  File "train.py", line 61, in main
    loss = model(batch["features"], batch["labels"])
  File "/home/sam/.venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1751, in _call_impl
    return forward_call(*args, **kwargs)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (256x128 and 96x64)
'''
ANS=['''Found it. `total()` subtracts the coupon **after** the loop without a floor, so a coupon larger than the basket gives a negative total.

I would change two things:

1. Move the discount into its own function, so that percentage and fixed coupons share one rule.
2. Clamp the result at zero.

```js
export function applyCoupon(sum, coupon) {
  switch (coupon.kind) {
    case "fixed":   return sum - coupon.amount;
    case "percent": return Math.round(sum * (1 - coupon.percent / 100));
    default: throw new TypeError(`unknown coupon kind: ${coupon.kind}`);
  }
}
```

Shall I go on and add a test for the percent case as well?''',
'''Here is how the three options compare:

| Option | Latency p95 | Effort | Risk |
|---|---:|---|---|
| Add an index on `(customer_id, created_at)` | ~12 ms | 10 min | low |
| Materialised view, refreshed every 5 min | ~3 ms | half a day | stale reads |
| Cache in Redis | ~1 ms | 2 days | invalidation |

I recommend the **index** first: the query plan shows a sequential scan over 4.2 M rows, and nothing else matters until that is gone.

> Note: `CREATE INDEX CONCURRENTLY` cannot run inside a transaction, so the migration needs `-- no-transaction` at the top.

```sql
-- no-transaction
CREATE INDEX CONCURRENTLY invoices_customer_created
    ON invoices (customer_id, created_at DESC);
```''',
'''The shapes do not match because `feature_dim` in `config/base.yaml` is still **96**, while the new tokenizer emits **128** features.

- `config/base.yaml`: `feature_dim: 96` \u2192 `128`
- `model.py` line 42: `nn.Linear(96, 64)` is hard-coded; it should read `cfg.feature_dim`
- the checkpoint `runs/2026-10-28` cannot be loaded after this change

```python
class Ranker(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.proj = nn.Linear(cfg.feature_dim, 64)
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x, y=None):
        score = self.head(self.proj(x)).squeeze(-1)
        return F.binary_cross_entropy_with_logits(score, y.float()) if y is not None else score
```''',
'''Done. All 14 tests pass now, and I have left the public API as it was.''',
'''I have looked at the handler and at the three callers. The short version: **nothing retries**, so one lost connection to Stripe leaves the invoice in `pending` for ever.\n\n### What I changed\n\n- `charge()` retries up to 4 times with jittered back-off, but only for `ConnectionError` and HTTP 429/5xx\n- every attempt carries the same `Idempotency-Key`, so that nobody is charged twice\n- after the last attempt the invoice goes to `failed`, with the reason\n\n### What I did not change\n\nThe nightly reconciliation job. It still assumes that `pending` means "in flight"; you may want to look at it in a separate change.''',
'''Your `.zshrc` takes 1.8 s because `nvm.sh` is sourced on every start (1.3 s of it). Lazy-load it:\n\n```zsh\nnvm() { unfunction nvm; source "$NVM_DIR/nvm.sh"; nvm "$@"; }\n```\n\nAfter that: `time zsh -i -c exit` says **0.21 s**.''']
PROMPTS={'storefront':['the cart total goes negative when the coupon is bigger than the basket, fix it and add a test','why is the checkout page flashing on first load?','migrate the product list from redux to tanstack query','write a playwright test for the guest checkout','upgrade vite to 7 and fix whatever breaks','the image carousel leaks event listeners, find out where','make the header sticky but not on mobile','add dark mode, respect prefers-color-scheme','explain @src/cart.ts and how discounts are applied'],
'billing-api':['invoices list is slow for big customers, look at the query plan','add retries with backoff to the stripe client','return 404 instead of 500 when an invoice does not exist','add a migration for the currency column','write an OpenAPI spec for /v2/invoices','why did the nightly reconciliation fail on the 11th?','rotate the webhook secret without downtime \u2014 how?','the docker image is 1.9 GB, make it smaller'],
'dotfiles':['my zsh takes two seconds to start, find out why','set up neovim lsp for rust and typescript','write a tmux status line with battery and git branch','convert my bash aliases to fish'],
'ml-ranker':['RuntimeError: mat1 and mat2 shapes cannot be multiplied (256x128 and 96x64), what now?','compare ndcg of the last three runs and plot it','speed up the data loader, gpu is idle 60% of the time','write a model card for the ranker'],
'notes':['summarise the meeting notes of this week','turn @talk.md into slides','draft an email to the team about the migration']}
FOLLOW=['yes, go on','now run the tests','that is not what I meant, keep the old signature','also update the README','what about the edge case where the list is empty?','commit this with a good message','explain the change in two sentences for the PR','why did that fail?','try again, but without the new dependency','looks good. anything left to do?','undo the last change please','can you make the function shorter','use the STRIPE key from .env: sk_live_51H8xQ2eZvKYlo2C9aBcDeFgHiJkLmNoPq and test it once']
def udiff(a,b,name):
    return 'Index: %s\n===================================================================\n'%name+''.join(difflib.unified_diff(a.splitlines(1),b.splitlines(1),name+'\tCurrent',name+'\tProposed',n=3))
def tool(proj,kind,t):
    root=PROJ[proj]; i=f'{kind}_{int(t.timestamp()*1000)}_{random.randint(0,99)}'
    ok=True
    if kind=='read':
        f,body=random.choice([('src/cart.ts',CART),('src/db/invoice.rs',RS),('README.md','# '+proj+'\n\nSee docs/.\n')])
        n='read_file';a={'file_path':root+'/'+f};r=body;d='';desc=f;dn='ReadFile'
    elif kind=='edit':
        f,x,y=random.choice([('src/cart.ts',CART,CART2),('src/db/invoice.rs',RS,RS2)])
        n='replace';a={'file_path':root+'/'+f,'old_string':x,'new_string':y,'instruction':'Refactor'};r='Successfully modified file: '+root+'/'+f+' (1 replacements).'
        dd=udiff(x,y,os.path.basename(f));d={'fileDiff':dd,'fileName':os.path.basename(f),'filePath':root+'/'+f,'originalContent':x,'newContent':y,'diffStat':{'model_added_lines':sum(l.startswith('+') for l in dd.split('\n'))-1,'model_removed_lines':sum(l.startswith('-') for l in dd.split('\n'))-1,'model_added_chars':0,'model_removed_chars':0,'user_added_lines':0,'user_removed_lines':0,'user_added_chars':0,'user_removed_chars':0},'isNewFile':False};desc=f+': '+x.split('\n')[2][:30]+' => '+y.split('\n')[2][:30];dn='Edit'
    elif kind=='write':
        f=random.choice(['src/coupon.ts','migrations/0042_currency.sql','docs/adr/0007-retries.md']);c='export function applyCoupon(sum, coupon) {\n  return coupon.kind === "fixed" ? sum - coupon.amount : Math.round(sum * (1 - coupon.percent / 100));\n}\n'
        n='write_file';a={'file_path':root+'/'+f,'content':c};r='Successfully created and wrote to new file: '+root+'/'+f;d={'fileDiff':udiff('',c,os.path.basename(f)),'fileName':os.path.basename(f),'filePath':root+'/'+f,'originalContent':'','newContent':c,'diffStat':{'model_added_lines':3,'model_removed_lines':0,'model_added_chars':0,'model_removed_chars':0,'user_added_lines':0,'user_removed_lines':0,'user_added_chars':0,'user_removed_chars':0},'isNewFile':True};desc='Writing to '+f;dn='WriteFile'
    elif kind=='sh':
        cmd,o,ec=random.choice([('npm test',JEST,1),('npm test','> vitest run\n\n Test Files  2 passed (2)\n      Tests  14 passed (14)\n',0),('git status --short',' M src/cart.ts\n?? src/coupon.ts\n',0),('python train.py --config config/base.yaml',PYT,1),('cargo check',"error[E0308]: mismatched types\n  --> src/db/invoice.rs:7:5\n   |\n7  |     Ok(row.into())\n   |     ^^^^^^^^^^^^^^ expected `Invoice`, found `Result<_, _>`\n\nerror: could not compile `billing-api` (lib) due to 1 previous error\n",101),('git log --oneline -5','a1b2c3d cart: clamp totals\n9f8e7d6 checkout: guest flow\n',0),('psql -c "explain analyze select * from invoices where customer_id = 7"',' Seq Scan on invoices  (cost=0.00..98231.40 rows=412 width=84) (actual time=0.05..812.31 rows=398 loops=1)\n   Filter: (customer_id = 7)\n   Rows Removed by Filter: 4199602\n Planning Time: 0.11 ms\n Execution Time: 812.52 ms\n',0)])
        n='run_shell_command';a={'command':cmd,'description':'Run '+cmd.split()[0]};r='<untrusted_context>\nOutput: '+o+('Exit Code: %d\n'%ec if ec else '')+'Process Group PGID: 4711\n</untrusted_context>';d=o;desc=cmd;dn='Shell'
    elif kind=='grep':
        n='grep_search';a={'pattern':'applyCoupon','context':2};r='Found 3 matches for pattern "applyCoupon" in path ".":\n---\nFile: src/cart.ts\nL2: import { applyCoupon } from "./coupon.js";\n---\n';d={'summary':'Found 3 matches','matches':[]};desc="'applyCoupon' within ./";dn='SearchText'
    else:
        n='read_file';a={'file_path':root+'/src/coupons.ts'};r=None;d='File not found.';desc='src/coupons.ts';dn='ReadFile';ok=False
    resp={'output':r} if r is not None else {'error':'File not found: '+root+'/src/coupons.ts'}
    return {'id':n+'__'+i,'name':n,'args':a,'result':[{'functionResponse':{'id':n+'__'+i,'name':n,'response':resp}}],'status':'success' if ok else 'error','timestamp':iso(t),'resultDisplay':d,'description':desc,'displayName':dn,'renderOutputAsMarkdown':True}
MODELS=['gemini-3-pro-preview','gemini-3-flash-preview','gemini-2.5-pro']
os.makedirs(OUT,exist_ok=True)
json.dump({'projects':{v:k for k,v in PROJ.items()}},open(OUT+'/projects.json','w'))
json.dump({'general':{'sessionRetention':{'enabled':True,'maxAge':'30d'}}},open(OUT+'/settings.json','w'))
def session(proj,start,nprompts,first=None):
    sid=rid();d=f'{OUT}/tmp/{proj}/chats';os.makedirs(d,exist_ok=True)
    open(f'{OUT}/tmp/{proj}/.project_root','w').write(PROJ[proj])
    h=hashlib.sha256(PROJ[proj].encode()).hexdigest()
    L=[{'sessionId':sid,'projectHash':h,'startTime':iso(start),'lastUpdated':iso(start),'kind':'main'}]
    t=start;ctx='<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nToday\'s date is '+t.strftime('%A, %B %d, %Y')+'\nMy operating system is: linux\n</session_context>'
    L.append({'$set':{'messages':[{'id':rid(),'timestamp':iso(t),'type':'user','content':[{'text':ctx}]}],'lastUpdated':iso(t)}})
    model=random.choice(MODELS);inp=8000
    for i in range(nprompts):
        t+=dt.timedelta(seconds=random.randint(20,240))
        text=(first or random.choice(PROMPTS[proj])) if i==0 else random.choice(FOLLOW[:-1] if random.random()<.97 else FOLLOW[-1:])
        L.append({'id':rid(),'timestamp':iso(t),'type':'user','content':[{'text':text}]})
        for k in range(random.randint(1,4)):
            t+=dt.timedelta(seconds=random.randint(3,25));inp+=random.randint(300,3000);last=False
            m={'id':rid(),'timestamp':iso(t),'type':'gemini','content':random.choice(["I'll look at the code first.",'','','Let me check the tests.']),'thoughts':[{'subject':random.choice(['Examining the cart logic','Tracing the failing test','Considering the alternatives','Checking the callers']),'description':'I should find out where the value comes from before I touch anything. The test expects zero, and the function has no floor.','timestamp':iso(t)}] if random.random()<.6 else [],'tokens':{'input':inp,'output':random.randint(40,600),'cached':int(inp*.7),'thoughts':random.randint(0,400),'tool':0,'total':inp+500},'model':model}
            m['tokens']['total']=m['tokens']['input']+m['tokens']['output']+m['tokens']['thoughts']
            m['toolCalls']=[tool(proj,random.choice(['read','edit','sh','sh','grep','write','miss'] if random.random()<.35 else ['read','edit','sh','grep','write']),t) for _ in range(random.choice([1,1,1,2,3]))]
            L.append(m);t+=dt.timedelta(seconds=random.randint(1,9))
            L.append({'id':rid(),'timestamp':iso(t),'type':'user','content':[x for c in m['toolCalls'] for x in c['result']]})
        t+=dt.timedelta(seconds=random.randint(3,25))
        L.append({'id':rid(),'timestamp':iso(t),'type':'gemini','content':random.choice(ANS),'thoughts':[],'tokens':{'input':inp,'output':random.randint(100,900),'cached':int(inp*.8),'thoughts':0,'tool':0,'total':inp+400},'model':model})
        if random.random()<.04: L.append({'id':rid(),'timestamp':iso(t),'type':'error','content':'[API Error: You have exhausted your capacity on this model. Your quota will reset after 42s.]'})
    L.append({'$set':{'lastUpdated':iso(t)}})
    fn=f"{d}/session-{start.strftime('%Y-%m-%dT%H-%M')}-{sid[:8]}.jsonl"
    open(fn,'w').write('\n'.join(json.dumps(x,ensure_ascii=False) for x in L)+'\n')
    os.utime(fn,(t.replace(tzinfo=dt.timezone.utc).timestamp(),)*2)
    lg=f'{OUT}/tmp/{proj}/logs.json'
    return sid,fn
n=0
for day in range(0,45):
    for _ in range(random.choice([0,1,1,2,3])):
        p=random.choices(list(PROJ),[5,5,1,2,1])[0]
        s=now-dt.timedelta(days=day)-dt.timedelta(minutes=random.randint(5,900))
        session(p,s,random.choice([1,1,2,3,4,6,9,14]));n+=1
session('storefront',now-dt.timedelta(days=2,hours=3),90,'rewrite the checkout flow step by step, we will be here for a while')
