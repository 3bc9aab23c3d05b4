// The store as one process sees it: full at times, and silent once the process is dead, whatever it still waits for.
import { AvocetError } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'

/** What is written. To open, to read and to lease takes no room. */
const WRITES: ReadonlySet<string> = new Set(['add', 'commit', 'release', 'renew', 'retire', 'change', 'keep'])

/** `store`, a frontier or the part of one, for a process: `isFull` now, `isDead` now. */
export function machineStore<Store extends object = Frontier>(
  store: Store,
  state: { isFull: () => boolean; isDead: () => boolean },
): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (key === 'sinks' || key === 'rejects') return machineStore(member as object, state)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        if (state.isDead()) return forever()
        if (WRITES.has(String(key)) && state.isFull())
          return Promise.reject(new AvocetError('AVO_FRONTIER_FULL', 'expected room on the disk, got none; make room'))
        const answer: unknown = Reflect.apply(member, target, args)
        return answer instanceof Promise ? unlessDead(answer, state.isDead) : answer
      }
    },
  })
}

async function unlessDead(answer: Promise<unknown>, isDead: () => boolean): Promise<unknown> {
  try {
    const value = await answer
    return isDead() ? await forever() : value
  } catch (error) {
    if (isDead()) return forever()
    throw error
  }
}

function forever(): Promise<never> {
  return new Promise(() => {})
}
