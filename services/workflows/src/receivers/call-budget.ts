import type { AccountId } from '@mp/ids';
/** The account and host that a call counts against. */
export type Call = { account_id: AccountId; host: string };

type Limits = { maxCalls: number; maxPerAccount: number; maxPerHost: number };

/** Far more than a healthy process needs, and few enough that hanging calls cost only open connections. */
const usual: Limits = { maxCalls: 256, maxPerAccount: 8, maxPerHost: 16 };

/** Limits the calls in flight in this process: in total, per account and per host. */
export function createCallBudget({ maxCalls, maxPerAccount, maxPerHost }: Limits = usual) {
  const accounts = new Map<AccountId, number>();
  const hosts = new Map<string, number>();
  let total = 0;

  function count({ account_id, host }: Call, change: 1 | -1) {
    total += change;
    add(accounts, account_id, change);
    add(hosts, host, change);
  }

  return {
    room: () => maxCalls - total,

    /** Counts the call, unless its account or its host is at its limit. Returns whether it did. */
    take(call: Call): boolean {
      const within = total < maxCalls && (accounts.get(call.account_id) ?? 0) < maxPerAccount && (hosts.get(call.host) ?? 0) < maxPerHost;
      if (within) count(call, 1);
      return within;
    },

    giveBack: (call: Call) => count(call, -1),

    full: () => ({ accounts: atLeast(accounts, maxPerAccount), hosts: atLeast(hosts, maxPerHost) }),
  };
}

function add<Name>(counts: Map<Name, number>, name: Name, change: number) {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

const atLeast = <Name>(counts: ReadonlyMap<Name, number>, max: number) =>
  [...counts].filter(([, count]) => count >= max).map(([name]) => name);
