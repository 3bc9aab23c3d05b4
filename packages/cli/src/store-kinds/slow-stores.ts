// Says that a store on a server has not answered yet, whichever command opens it.
//
// Commands open stores in many places, and a server that accepts connections and says nothing is given 15 s by each of them. What a command may say, and to
// whom, goes along with its asynchronous calls: handing it to each of these places was forgotten in half of them. Each store is said once in a command.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '@avocet/core/store'
import { shownStore } from './store-address.ts'
import type { StoreKind } from './store-kind.ts'

/** A server that takes longer is said to be waited for. */
const SLOW_MS = 3_000

/** Whom to tell. */
interface Told {
  readonly clock: Pick<Clock, 'now' | 'at'>
  say(line: string): void
}

const commands = new AsyncLocalStorage<(Told & { readonly said: Set<string> }) | undefined>()

/** Runs a command, which is told of stores that are slow to answer. Undefined: it is not to be told. */
export function toldOfSlowStores<Answer>(told: Told | undefined, command: () => Answer): Answer {
  return commands.run(told && { ...told, said: new Set() }, command)
}

/** The same kind, whose stores are said to be waited for. */
export function saidWhereSlow(kind: StoreKind): StoreKind {
  return {
    async frontier(address, opening) {
      const frontier = await kind.frontier(address, opening)
      return { ...frontier, open: (...given) => wordFor(address).within(() => frontier.open(...given)) }
    },
    reader: (address) => wordFor(address).within(() => kind.reader(address)),
    exists: (address) => wordFor(address).within(() => kind.exists(address)),
    probe: (address, spec, clock) => wordFor(address).within(() => kind.probe(address, spec, clock)),
    remove: (address) => wordFor(address).within(() => kind.remove(address)),
  }
}

/** Makes calls to a store, which is said to be waited for where it does not answer. */
function wordFor(address: string): { within<Answer>(call: () => Promise<Answer>): Promise<Answer> } {
  const told = commands.getStore()
  return {
    async within(call) {
      if (told === undefined || told.said.has(address)) return call()
      const timer = told.clock.at(told.clock.now() + SLOW_MS, () => {
        told.said.add(address)
        told.say(`waiting for the store ${shownStore(address)}, which has not answered yet`)
      })
      return call().finally(() => timer[Symbol.dispose]())
    },
  }
}
