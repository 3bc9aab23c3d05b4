// What is due at another moment, because somebody said so: hosts that are given up or revived, requests that are opened again, dropped, or scheduled.
import type { StoreChange, ChangeOf, Frontier, LeaseToken } from '@avocet/core/store'
import { NEVER } from '@avocet/store-sql'
import { numbersText, textsText, inRange, MOST_INT } from './connection/storable-text.ts'
import { storedWord } from './names/word-ids.ts'
import type { ServerStore } from './store.ts'

/** The part of a frontier that says so. Each call is this process's, and counts at it: one that was buried signs in anew first. */
export function rescheduling(use: () => ServerStore): Pick<Frontier, 'retire' | 'change'> {
  return {
    retire: async (hostKey, reason, probeAt, by) => retire(use(), { hostKey, reason, probeAt, by }),
    change: async (change) => changeIn(use(), change),
  }
}

/** Returns how many requests were reopened or dropped, or how many held items were settled. */
async function changeIn(store: ServerStore, change: StoreChange): Promise<number> {
  if (change.kind === 'reopen') {
    return asked<number>(store, 'reopen', () => [...whichOf(change), Math.min(change.limit, MOST_INT), numbersText(store.out)])
  }
  if (change.kind === 'drop') {
    const { underRetired = false, limit } = change
    return asked<number>(store, 'drop_given_up', () => [...whichOf(change), underRetired, Math.min(limit, MOST_INT)])
  }
  if (change.kind === 'settle-held') return asked<number>(store, 'settle_held', () => [change.hostKey, change.to])
  if (change.kind === 'revisit') {
    const [ids, moments] = [change.wanted.map(({ id }) => id), change.wanted.map(({ at }) => at && Math.ceil(at))]
    await asked(store, 'revisit', () => [numbersText(ids), numbersText(moments), numbersText(store.out)])
  } else if (change.kind === 'revive')
    await retire(store, { hostKey: change.hostKey, reason: null, probeAt: Infinity, by: change.by })
  else if (change.kind === 'probe-retired') {
    const moments = [inRange(Math.min(Math.ceil(change.from), NEVER)), inRange(Math.ceil(change.now))]
    await asked(store, 'probe_retired', () => moments)
  }
  return 0
}

/** Host, reasons and ids of a query; null: any. */
function whichOf({ hostKey, reasons, ids }: ChangeOf<'reopen' | 'drop'>): readonly unknown[] {
  const words = reasons === undefined ? null : textsText(reasons.map(storedWord))
  return [hostKey ?? null, words, ids === undefined ? null : numbersText(ids)]
}

interface Retirement {
  readonly hostKey: string
  readonly reason: string | null
  readonly probeAt: number
  readonly by: LeaseToken | undefined
}

/** Gives a host up, or revives it; `by` a holder only while it still holds the host. */
async function retire(store: ServerStore, { hostKey, reason, probeAt, by }: Retirement): Promise<void> {
  if (by !== undefined && store.held.get(by.hostKey)?.epoch !== by.epoch) return
  const moment = probeAt === Infinity ? null : inRange(Math.ceil(probeAt))
  await asked(store, 'retire', () => [hostKey, reason, moment, by?.epoch ?? null])
}

/** `values`: between the number of the call and the durability. */
function asked<Answer = unknown>(store: ServerStore, name: string, values: () => readonly unknown[]): Promise<Answer> {
  return store.askInTurn((no) => store.connections.call<Answer | null>(name, [...store.me, no, ...values(), store.durability]))
}
