// Ways to break what a turn writes.
import { caught, type Mutant } from '../mutant.ts'

export const TURNS: readonly Mutant[] = [
  ...caught(
    'packages/plugin-sqlite/src/commit/commit-transaction.ts',
    ['packages/plugin-sqlite/test/fence.test.ts'],
    [
      {
        name: 'takes turns of a host that it lost',
        find: 'held?.epoch === unit.lease.epoch ? this.#store.ownHost(held) : undefined',
        replace: 'held && this.#store.hosts.get(held.hostId)',
      },
      {
        name: 'takes turns of an older lease',
        find: 'const host = held?.epoch === unit.lease.epoch ? this.#store.ownHost(held) : undefined',
        replace: 'const host = held && this.#store.ownHost(held)',
      },
      {
        name: 'takes a repeated turn for an error',
        find: 'const repeated = this.#concluded.get(id) === held || held.returned.has(id) || this.#store.isSettledAt(held, id)',
        replace: 'const repeated = false',
      },
      {
        name: 'takes an outcome of what it did not hand out',
        find: '    return repeated ? { repeated } : { error:',
        replace: '    return repeated ? { repeated } : id > 0 ? {} : { error:',
      },
      { name: 'loses the memory of a turn', find: '    this.#store.memories.setHost(host.id, unit.memory)\n', replace: '' },
      {
        name: 'retries a page a fraction of a millisecond too soon',
        find: '?? this.#store.rankOf(id) }, Math.ceil(nextAt))',
        replace: '?? this.#store.rankOf(id) }, Math.floor(nextAt))',
      },
    ],
  ),
]
