// Ways to break the window of leased hosts, and who is given back.
import { caught, type Mutant } from '../mutant.ts'

export const WINDOW: readonly Mutant[] = [
  ...caught(
    'packages/core/src/scheduler/leavers.ts',
    ['packages/core/test/scheduler/standings.test.ts'],
    [
      {
        name: 'lets a host that comes back begin at the present',
        find: 'return virtualTime === undefined ? present : Math.max(virtualTime, present - MOST_BEHIND_MS)',
        replace: 'return present',
      },
      {
        name: 'lets a host claim all the time it was away',
        find: 'Math.max(virtualTime, present - MOST_BEHIND_MS)',
        replace: 'virtualTime',
      },
      {
        name: 'lets a host be behind by a hundred seconds',
        find: 'const MOST_BEHIND_MS = 10_000',
        replace: 'const MOST_BEHIND_MS = 100_000',
      },
      { name: 'remembers hosts without end', find: '    if (this.#virtualTimes.size > MAX_HOSTS) this.#forget()\n', replace: '' },
      {
        name: 'forgets those that left last',
        find: 'if (this.#virtualTimes.size <= MAX_HOSTS / 2) return',
        replace: 'if (this.#virtualTimes.size === 0) return',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/leavers.ts',
    ['packages/core/test/scheduler/leavers.test.ts'],
    [
      {
        name: 'gives a host back that rests for a moment',
        find: 'const SHORT_REST_MS = 100',
        replace: 'const SHORT_REST_MS = 10',
      },
      { name: 'keeps a host that rests for 150 ms', find: 'const SHORT_REST_MS = 100', replace: 'const SHORT_REST_MS = 200' },
      { name: 'gives a host back before its two seconds', find: 'const TENURE_MS = 2_000', replace: 'const TENURE_MS = 1_000' },
      {
        name: 'keeps a host for longer than two seconds',
        find: 'now - host.leasedAt >= TENURE_MS',
        replace: 'now - host.leasedAt > TENURE_MS',
      },
      {
        name: 'gives hosts back that were never asked',
        find: 'resting.filter(({ isServed }) => isServed).slice(0, count)',
        replace: 'resting.slice(0, count)',
      },
      {
        name: 'gives more hosts back than have to go',
        find: 'resting.filter(({ isServed }) => isServed).slice(0, count)',
        replace: 'resting.filter(({ isServed }) => isServed)',
      },
      {
        name: 'lets unpaid hosts go at any rate',
        find: 'if (first.length === count || !unpaid) return first',
        replace: 'if (first.length === count) return first',
      },
      {
        name: 'mixes up free and full slots',
        find: 'leave.slotsFree ? resting : mostServed',
        replace: '!leave.slotsFree ? resting : mostServed',
      },
      {
        name: 'gives those back that are behind',
        find: 'now - host.leasedAt >= TENURE_MS && host.virtualTime > virtualTime',
        replace: 'now - host.leasedAt >= TENURE_MS',
      },
      {
        name: 'gives those back first that rest shortest',
        find: 'return b.restsUntil - a.restsUntil',
        replace: 'return a.restsUntil - b.restsUntil',
      },
      {
        name: 'gives those back first that were served least',
        find: 'return b.virtualTime - a.virtualTime',
        replace: 'return a.virtualTime - b.virtualTime',
      },
      {
        name: 'gives busy hosts to another process before idle ones',
        find: 'return [...idle, ...busy].slice(0, count)',
        replace: 'return [...busy, ...idle].slice(0, count)',
      },
      {
        name: 'gives a host back that is leaving already',
        find: '=> !leaving && retiring === undefined',
        replace: '=> retiring === undefined',
      },
      { name: 'gives a host back that is being given up', find: '=> !leaving && retiring === undefined', replace: '=> !leaving' },
      {
        name: 'gives busy hosts back as resting',
        find: 'staying.filter((host) => host.isIdle && host.restsUntil',
        replace: 'staying.filter((host) => host.restsUntil',
      },
      { name: 'gives a host back twice', find: '.filter((host) => !chosen.has(host))', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/lease-moments.ts',
    ['packages/core/test/scheduler/lease-moments.test.ts'],
    [
      {
        name: 'looks for hosts of other processes once in ten seconds',
        find: 'const ELSEWHERE_MS = 250',
        replace: 'const ELSEWHERE_MS = 10_000',
      },
      {
        name: 'looks once in ten seconds while all slots are busy',
        find: 'const LOOK_MS = 250',
        replace: 'const LOOK_MS = 10_000',
      },
      { name: 'looks without a pause while all slots are busy', find: 'const LOOK_MS = 250', replace: 'const LOOK_MS = 1' },
      { name: 'leases twice at once', find: 'return this.#leasing ? Infinity : Math.max', replace: 'return Math.max' },
      { name: 'looks without a pause while there is no room', find: '    this.#fullUntil = now + LOOK_MS\n', replace: '' },
      {
        name: 'forgets hosts that others hold',
        find: 'Math.min(next, heldElsewhere ? now + ELSEWHERE_MS : Infinity)',
        replace: 'next',
      },
      { name: 'goes on leasing where nothing is left', find: '    this.#moreAt = Infinity\n', replace: '' },
      { name: 'never leases a second time', find: '    this.#leasing = false\n', replace: '' },
      {
        name: 'remembers the last moment at which hosts are due',
        find: 'this.#moreAt = Math.min(this.#moreAt, at)',
        replace: 'this.#moreAt = at',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/window-size.ts',
    ['packages/core/test/scheduler/window-size.test.ts'],
    [
      { name: 'holds fourteen hosts a slot', find: 'const HOSTS_PER_SLOT = 7', replace: 'const HOSTS_PER_SLOT = 14' },
      { name: 'holds three hosts a slot', find: 'const HOSTS_PER_SLOT = 7', replace: 'const HOSTS_PER_SLOT = 3' },
      { name: 'holds thirty-two hosts at least', find: 'const LEAST_HOSTS = 16', replace: 'const LEAST_HOSTS = 32' },
      { name: 'holds eight hosts for one slot', find: 'const LEAST_HOSTS = 16', replace: 'const LEAST_HOSTS = 8' },
      {
        name: 'holds half as many hosts more for a moment',
        find: 'most: usual + (usual >> 2)',
        replace: 'most: usual + (usual >> 1)',
      },
      { name: 'holds no host more for a moment', find: 'most: usual + (usual >> 2)', replace: 'most: usual' },
      { name: 'has one host on probation ready', find: 'const LEAST_ON_PROBATION = 4', replace: 'const LEAST_ON_PROBATION = 1' },
      {
        name: 'has half as many hosts on probation as slots',
        find: 'Math.max(LEAST_ON_PROBATION, 2 * slots)',
        replace: 'Math.max(LEAST_ON_PROBATION, slots / 2)',
      },
      {
        name: 'leases hosts on probation without end',
        find: 'return ready <= 0.75 * enough ? enough - ready : 0',
        replace: 'return enough',
      },
      { name: 'leases hosts on probation one by one', find: 'ready <= 0.75 * enough', replace: 'ready < enough' },
      {
        name: 'never leases hosts on probation again',
        find: 'return ready <= 0.75 * enough ? enough - ready : 0',
        replace: 'return ready === 0 ? 1 : 0',
      },
      { name: 'takes the share for none', find: 'return frontier.share?.(now) ?? Infinity', replace: 'return Infinity' },
      {
        name: 'throws where the store cannot tell a share',
        find: '  } catch {\n    return Infinity\n  }',
        replace: '  } catch (error) {\n    throw error\n  }',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['test/crawl/window.test.ts'],
    [
      { name: 'fetches sixteen times as much at once', find: 'const REFILL = 64', replace: 'const REFILL = 1_024' },
      { name: 'keeps thousands of requests of a host', find: 'const MAX_QUEUE = 256', replace: 'const MAX_QUEUE = 8_192' },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/window-size.ts',
    ['test/crawl/window.test.ts'],
    [{ name: 'keeps parked hosts for ten minutes', find: 'const PARKED_MS = 30_000', replace: 'const PARKED_MS = 600_000' }],
  ),
  ...caught(
    'packages/core/src/scheduler/window.ts',
    ['test/crawl/links/traps.test.ts'],
    [
      {
        name: 'takes in all that is leased in one turn of the event loop',
        find: 'this.#run.settings.loop.whenRoom(COST.row * requests, () => this.#run.calls.make(name, call))',
        replace: 'this.#run.calls.make(name, call)',
      },
    ],
  ),
]
