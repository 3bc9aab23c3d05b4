// Ways to break the orders of operators.
import { caught, type Mutant } from '../mutant.ts'

export const ORDERS: readonly Mutant[] = [
  ...caught(
    'packages/core/src/controls/controls.ts',
    ['packages/core/test/controls/controls.test.ts'],
    [
      {
        name: 'lets an order be as late as its clock alone',
        find: 'Math.max(Math.floor(now), latestOf(controls) + 1)',
        replace: 'Math.floor(now)',
      },
      {
        name: 'takes two batches of one moment for one',
        find: "return `${at.toString().padStart(15, '0')} ${hash}`",
        replace: "return `${at.toString().padStart(15, '0')}${hash.slice(0, 0)}`",
      },
      { name: 'lets an order to stop overrule one to stop now', find: "before?.value === 'now' && ", replace: 'false && ' },
    ],
  ),
  ...caught(
    'packages/core/src/controls/host-controls.ts',
    ['packages/core/test/controls/controls.test.ts'],
    [
      { name: 'lets the earlier order hold', find: 'return a.at > b.at ? a : b', replace: 'return a.at > b.at ? b : a' },
      {
        name: 'lets an order that was left out come back',
        find: 'return register !== undefined && other === undefined && register.at <= horizon ? undefined : register',
        replace: 'return horizon < 0 ? other : register',
      },
      {
        name: 'leaves out orders that some process may not know',
        find: 'Math.min(carriedOut, now - SETTLED_MS)',
        replace: 'Math.min(carriedOut, now)',
      },
      {
        name: 'leaves out orders that nobody has carried out',
        find: 'Math.min(carriedOut, now - SETTLED_MS)',
        replace: 'now - SETTLED_MS',
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/live-controls.ts',
    ['test/crawl/controls.test.ts'],
    [
      {
        name: 'lets a paused host that is held go on',
        find: '    host.pausedUntil = controls.pausedUntil(hostKey)\n',
        replace: '',
      },
      {
        name: 'does not wake a host that nobody holds',
        find: '    if (elsewhere.length > 0) this.#during(() => this.#wake(elsewhere))\n',
        replace: '',
      },
      {
        name: 'does not ask the store again',
        find: '    window.hastened()\n    await this.#told',
        replace: '    await this.#told',
      },
      {
        name: 'opens no site of a batch that another process has offered',
        find: 'if (seeds.length + origins.length > 0)',
        replace: 'if (seeds.length > 0)',
      },
      {
        name: 'begins a paused crawl',
        find: 'isPauseNew: controls.isPaused, hosts: controls.wakeable, seeds: controls.seeds',
        replace: 'isPauseNew: false, hosts: controls.wakeable, seeds: controls.seeds',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/renewed.ts',
    ['test/crawl/controls.test.ts'],
    [
      {
        name: 'forgets nothing of a host that is held',
        find: '  host.memory = memories.forgotten(host, controls.forgottenAt(host.key)).memory\n',
        replace: '  memories.forgotten(host, controls.forgottenAt(host.key))\n',
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/ending.ts',
    ['test/crawl/controls.test.ts'],
    [
      {
        name: 'ends a crawl for patience with a host that an operator has paused',
        find: ' || isUntilResumed(nextAt)',
        replace: '',
      },
    ],
  ),
]
