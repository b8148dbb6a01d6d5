// Loaded into a client: its clock is so many milliseconds behind.
const behind = Number(process.env.CLOCK_BEHIND_MS || 0);
const RealDate = Date;
const now = () => RealDate.now() - behind;
globalThis.Date = new Proxy(RealDate, {
  get: (date, name) => (name === "now" ? now : date[name]),
  construct: (date, args, called) => Reflect.construct(date, args.length ? args : [now()], called === globalThis.Date ? date : called),
  apply: () => new RealDate(now()).toString(),
});
