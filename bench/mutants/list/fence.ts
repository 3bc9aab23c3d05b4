// Ways to break leases, the fence around them, and what processes know of each other.
import { caught, type Mutant } from '../mutant.ts'

export const FENCE: readonly Mutant[] = [
  ...caught(
    'packages/plugin-sqlite/src/leasing.ts',
    ['packages/plugin-sqlite/test/contract.test.ts'],
    [
      {
        name: 'leases a host by its key that another process holds',
        find: 'host === undefined || (host.owner === null && host.retired_for === null)',
        replace: 'host === undefined || host.retired_for === null',
      },
      {
        name: 'leases a host by its key that was given up',
        find: 'host === undefined || (host.owner === null && host.retired_for === null)',
        replace: 'host === undefined || host.owner === null',
      },
      {
        name: 'hands out of a host that another process holds now',
        find: 'if (held === undefined || host === undefined || host.retired_for !== null) return { requests: [] }',
        replace: 'if (held === undefined || host?.retired_for === 0) return { requests: [] }',
      },
      {
        name: 'hands out of a host that was given up',
        find: '|| host === undefined || host.retired_for !== null) return { requests: [] }',
        replace: '|| host === undefined) return { requests: [] }',
      },
      {
        name: 'does not take back what is put back',
        find: '      if (held !== undefined) this.#store.queue.putBack(held, putBack)\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/leasing.ts',
    ['packages/plugin-sqlite/test/fence.test.ts'],
    [
      {
        name: 'says that it holds what another process holds',
        find: 'if (held === undefined || host === undefined) return { held: false, waiting: 0 }',
        replace: 'if (held === undefined || host === undefined) return { held: held !== undefined, waiting: 0 }',
      },
      {
        name: 'counts what it handed out as waiting',
        find: 'return { held: true, waiting: host.ready + host.delayed - held.out.size }',
        replace: 'return { held: true, waiting: host.ready + host.delayed }',
      },
      {
        name: 'releases a host that another process holds now',
        find: '    const host = held && this.#store.ownHost(held)\n    if (held !== undefined) this.#store.lost(held)',
        replace:
          '    const host = held && this.#store.hosts.get(held.hostId)\n    if (held !== undefined) this.#store.lost(held)',
      },
      {
        name: 'releases a host without its moment',
        find: '    host.ready_at = Math.min(Math.ceil(readyAt), NEVER)\n',
        replace: '',
      },
      {
        name: 'releases a host a fraction of a millisecond too soon',
        find: 'host.ready_at = Math.min(Math.ceil(readyAt), NEVER)',
        replace: 'host.ready_at = Math.min(Math.floor(readyAt), NEVER)',
      },
      {
        name: 'releases a host without its memory',
        find: '    this.#store.memories.setHost(host.id, memory)\n',
        replace: '',
      },
      {
        name: 'releases a host as one that answers',
        find: 'host.probation = onProbation ? 1 : 0',
        replace: 'host.probation = 0',
      },
      {
        name: 'does not free what it releases',
        find: '    host.owner = null\n    host.probation',
        replace: '    host.probation',
      },
      {
        name: 'lets a holder give a host up that it lost',
        find: 'by === undefined ? hosts.find(hostKey) : held && this.#store.ownHost(held)',
        replace: 'hosts.find(hostKey)',
      },
      {
        name: 'takes the hosts of a dead process for held',
        find: '    if (hosts > 0 && (due.has(0, now) || (onProbation > 0 && due.has(1, now)))) return false\n    return this.#store.goneOwners().length === 0',
        replace: '    if (hosts > 0 && (due.has(0, now) || (onProbation > 0 && due.has(1, now)))) return false\n    return true',
      },
      {
        name: 'leases no host on probation',
        find: '(onProbation > 0 && due.has(1, now))',
        replace: '(onProbation < 0 && due.has(1, now))',
      },
      {
        name: 'does not recover the hosts of the dead when it leases',
        find: '    totals.sees(now)\n    owners.recover(this.#store.goneOwners())\n    this.#store.save()\n    const entered',
        replace: '    totals.sees(now)\n    const entered',
      },
      {
        name: 'does not say that the last holder died',
        find: 'const takenOver = host.abandoned === 1',
        replace: 'const takenOver = false',
      },
      { name: 'says for ever that the last holder died', find: '    host.abandoned = 0\n', replace: '' },
      { name: 'leases under the epoch of the lease before', find: '    host.epoch++\n', replace: '' },
      { name: 'leases without owning', find: '    host.owner = processes.id\n', replace: '' },
      {
        name: 'reads a host of an older lease',
        find: 'return host?.owner === this.#store.processes.id && host.epoch === held.epoch ? host : undefined',
        replace: 'return host?.owner === this.#store.processes.id ? host : undefined',
      },
      {
        name: 'reads a host that another process holds',
        find: 'return host?.owner === this.#store.processes.id && host.epoch === held.epoch ? host : undefined',
        replace: 'return host?.epoch === held.epoch ? host : undefined',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/store.ts',
    ['packages/plugin-sqlite/test/fence.test.ts'],
    [
      {
        name: 'writes to a host of an older lease',
        find: 'return host?.owner === this.processes.id && host.epoch === held.epoch ? host : undefined',
        replace: 'return host?.owner === this.processes.id ? host : undefined',
      },
      {
        name: 'writes to a host that another process holds',
        find: 'return host?.owner === this.processes.id && host.epoch === held.epoch ? host : undefined',
        replace: 'return host?.epoch === held.epoch ? host : undefined',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/store.ts',
    ['packages/plugin-sqlite/test/slow-process.test.ts'],
    [
      {
        name: 'does not know owners that are no processes',
        find: 'return [...new Set([...dead, ...this.owners.unknown()])]',
        replace: 'return dead',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/process/owners.ts',
    ['packages/plugin-sqlite/test/shares.test.ts'],
    [
      { name: 'takes a process for idle for a minute', find: 'const IDLE_MS = 3_000', replace: 'const IDLE_MS = 60_000' },
      { name: 'takes a process for idle for a moment', find: 'const IDLE_MS = 3_000', replace: 'const IDLE_MS = 500' },
      { name: 'counts retired hosts as held', find: " AND retired_for IS NULL'", replace: "'" },
      {
        name: 'counts hosts with nothing to do as held',
        find: " AND ready + delayed > 0 AND retired_for IS NULL'",
        replace: " AND retired_for IS NULL'",
      },
      {
        name: 'shares with nobody',
        find: 'const sharing = [this.#processes.id, ...idle]',
        replace: 'const sharing = [this.#processes.id]',
      },
      {
        name: 'does not count itself',
        find: 'const sharing = [this.#processes.id, ...idle]',
        replace: 'const sharing = idle',
      },
      {
        name: 'does not count what is due',
        find: '(held + this.#due.count(now)) / sharing.length',
        replace: 'held / sharing.length',
      },
      { name: 'rounds shares down', find: 'Math.ceil((held +', replace: 'Math.floor((held +' },
      { name: 'gives everything away', find: 'Math.max(1, Math.ceil', replace: 'Math.max(0, Math.ceil' },
    ],
  ),
]
