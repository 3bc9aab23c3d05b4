// What is due at another moment, because somebody said so: hosts that are given up or revived, requests that are opened again, hastened, or scheduled.
import type { Frontier, LeaseToken } from '@avocet/core/store'
import { NEVER } from '@avocet/store-sql'
import { numbersText, textsText, inRange, MOST_INT } from './connection/storable-text.ts'
import { storedWord } from './names/word-ids.ts'
import type { ServerStore } from './store.ts'

type Rescheduling = Pick<Frontier, 'retire' | 'revive' | 'probeRetired' | 'reopen' | 'drop' | 'hasten' | 'revisit'>

/** The part of a frontier that says so. Each call is this process's, and counts at it: one that was buried signs in anew first. */
export function rescheduling(use: () => ServerStore): Rescheduling {
  return {
    retire: async (hostKey, reason, probeAt, by) => retire(use(), { hostKey, reason, probeAt, by }),
    revive: async (hostKey, by) => retire(use(), { hostKey, reason: null, probeAt: Infinity, by }),
    async probeRetired({ from, now }) {
      const moments = [inRange(Math.min(Math.ceil(from), NEVER)), inRange(Math.ceil(now))]
      await asked(use(), 'probe_retired', () => moments)
    },
    async reopen({ hostKey = null, reasons, ids, limit }) {
      const store = use()
      return asked<number>(store, 'reopen', () => [
        ...[hostKey, reasons === undefined ? null : textsText(reasons.map(storedWord))],
        ...[ids === undefined ? null : numbersText(ids), Math.min(limit, MOST_INT), numbersText(store.out)],
      ])
    },
    async drop({ hostKey = null, reasons, ids, underRetired = false, limit }) {
      return asked<number>(use(), 'drop_given_up', () => [
        ...[hostKey, reasons === undefined ? null : textsText(reasons.map(storedWord))],
        ...[ids === undefined ? null : numbersText(ids), underRetired, Math.min(limit, MOST_INT)],
      ])
    },
    async hasten({ reason, now, limit }) {
      const store = use()
      return asked<number>(store, 'hasten', () => [
        storedWord(reason),
        Math.floor(now),
        Math.min(limit, MOST_INT),
        numbersText(store.out),
      ])
    },
    async revisit(wanted) {
      const store = use()
      const [ids, moments] = [wanted.map(({ id }) => id), wanted.map(({ at }) => at && Math.ceil(at))]
      await asked(store, 'revisit', () => [numbersText(ids), numbersText(moments), numbersText(store.out)])
    },
  }
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
