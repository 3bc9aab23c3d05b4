// The plugin contract is worth what it catches: a good plugin passes, and each way of being bad is found and named.
import { definePlugin, type Plugin } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { checkClock, checkConduct, checkDeterminism, checkOrder, checkResume, pluginContract } from '../src/contracts/index.ts'

/** Doubles its spacing on a refusal, once for a burst, and shrinks it on success. */
function goodPacer(): Plugin {
  return definePlugin({
    name: 'good-pacer',
    policy: 'rate',
    hostMemory: () => ({ spacingMs: 400, lastAt: 0, changedAtSeq: 0 }),
    admit(ask, host) {
      ask.notBefore(host.lastAt + host.spacingMs, 'pace')
      ask.atMost(1, 'one at a time')
    },
    onAdmit({ admittedAt }, host) {
      host.lastAt = admittedAt
    },
    onResponse(answer, host) {
      const { exchange, response, now } = answer
      const refused = response.status === 429 || response.status === 503
      if (!refused) host.spacingMs = Math.max(100, host.spacingMs * 0.9)
      if (refused && exchange.seq > host.changedAtSeq) {
        host.spacingMs = Math.min(30_000, host.spacingMs * 2)
        host.changedAtSeq = exchange.host.seq
      }
      if (refused) answer.retry(now + host.spacingMs, `http-${String(response.status)}`, { counted: false })
    },
  })
}

pluginContract('a pacer', goodPacer)
pluginContract('two pacers that belong together', () => [goodPacer(), { ...goodPacer(), name: 'second-pacer' }])

describe('plugin checks', () => {
  it('find a plugin that writes in admit', async () => {
    const make = (): Plugin =>
      definePlugin({ name: 'bad', hostMemory: () => ({ asked: 0 }), admit: (_ask, host) => void host.asked++ })

    expect(await checkConduct(make)).toContainEqual(
      expect.stringMatching(/^bad: admit must write nothing, yet memory went from .*"asked":0/),
    )
  })

  it('find memory that JSON cannot carry', async () => {
    const nan = (): Plugin =>
      definePlugin({
        name: 'bad',
        hostMemory: () => ({ rate: 1 }),
        onResponse: (_answer, host) => void (host.rate = Number.NaN),
      })
    const date = (): Plugin => ({
      name: 'bad',
      hostMemory: () => ({ since: new Date(0) }),
    })

    expect(await checkConduct(nan)).toContain(
      'bad: after onResponse, hostMemory is not plain JSON: memory.rate is NaN, and JSON has no such number',
    )
    expect(await checkConduct(date)).toContain('bad: after onAdmit, hostMemory is not plain JSON: memory.since is a Date')
  })

  it('find memory that grows above the cap', async () => {
    const make = (): Plugin =>
      definePlugin({
        name: 'bad',
        hostMemory: () => ({ text: '' }),
        onAdmit: (_exchange, host) => void (host.text += 'x'.repeat(40_000)),
      })

    expect(await checkConduct(make)).toContain('bad: after onAdmit, hostMemory is larger than 65536 characters of JSON')
  })

  it('find a plugin that looks at what others have said so far', async () => {
    const make = (): Plugin =>
      definePlugin({
        name: 'bad',
        hostMemory: () => ({ sawMs: 0 }),
        onAdmit: ({ limits }, host) => void (host.sawMs = limits.firstByteMs),
      })

    expect((await checkOrder(make)).join('\n')).toMatch(/in the order .*: memory differs at line/)
  })

  it('find two plugins that share what is no memory', async () => {
    const make = (): Plugin[] => {
      let calls = 0
      const caller = (name: string, factor: number): Plugin =>
        definePlugin({
          name,
          onResponse(answer) {
            calls = calls * factor + 1
            if (calls % 7 === 3 && answer.exchange.request.attempts < 2) answer.retry(answer.now + 1_000, 'whim')
          },
        })
      return [caller('bad-one', 2), caller('bad-two', 3)]
    }

    expect((await checkOrder(make)).join('\n')).toMatch(/the decision log differs at line/)
  })

  it('find dice and clocks that are not the crawl’s', async () => {
    const make = (): Plugin =>
      definePlugin({
        name: 'bad',
        hostMemory: () => ({ until: 0 }),
        admit: (ask, host) => ask.notBefore(host.until, 'whim'),
        onAdmit: ({ admittedAt }, host) => void (host.until = admittedAt + 20_000 * Math.random()),
      })

    expect((await checkDeterminism(make)).join('\n')).toMatch(/the decision log differs at line/)
  })

  it('find a plugin that throws', async () => {
    const make = (): Plugin =>
      definePlugin({
        name: 'bad',
        onError() {
          throw new Error('I did not think of that')
        },
      })

    expect((await checkConduct(make)).join('\n')).toMatch(/the crawl had a problem: .*I did not think of that/)
  })

  it('find a plugin that holds a host for ever', async () => {
    const make = (): Plugin =>
      definePlugin({
        name: 'bad',
        admit: (ask) => {
          if (ask.host.seq > 2) ask.notBefore(Infinity, 'never again')
        },
      })

    expect((await checkConduct(make)).join('\n')).toMatch(/quick\.test is well, and yet was given up: .*never again/)
  })

  it('find a plugin that gives up a host that is well', async () => {
    const make = (): Plugin =>
      definePlugin({
        name: 'bad',
        admit: (ask) => {
          if (ask.host.seq > 2) ask.giveUp('enough of it')
        },
      })

    expect((await checkConduct(make)).join('\n')).toMatch(/quick\.test is well, and yet was given up: .*bad: enough of it/)
  })

  it('find a plugin that forgets what it decided when the process dies', async () => {
    const make = (): Plugin => {
      let links = 0
      return definePlugin({
        name: 'bad',
        onDiscover(discovery) {
          if (discovery.kind === 'link' && ++links > 40) discovery.refuse('enough')
        },
      })
    }

    expect((await checkResume(make)).join('\n')).toMatch(
      /^cut (before|after) commit \d+ was written: what is settled differs at line/,
    )
  })

  it('find a plugin that keeps a moment as seconds, which stay when a clock that was ahead is put right', async () => {
    const make = (): Plugin =>
      definePlugin<{ untilSeconds: number }>({
        name: 'bad',
        hostMemory: () => ({ untilSeconds: 0 }),
        admit: (ask, host) => ask.notBefore(host.untilSeconds * 1_000, 'its own pace'),
        onAdmit: ({ admittedAt }, host) => void (host.untilSeconds = admittedAt / 1_000 + 1),
      })

    const found = (await checkClock(make)).join('\n')
    expect(found).toMatch(
      /^clock back by 2 h after commit \d+: the rest took [\d.]+ [a-z\d ]+ instead of [\d.]+ (?:ms|s|min|min \d+ s)$/m,
    )
    expect(found).toMatch(/^clock back by 365 d after commit \d+: the crawl ended as patience: all that is left waits/m)
  })

  it('find a plugin that is thrown off by negative time', async () => {
    const make = (): Plugin =>
      definePlugin<{ lastAt: number }>({
        name: 'bad',
        hostMemory: () => ({ lastAt: 0 }),
        admit(ask, host) {
          if (ask.now < host.lastAt) throw new RangeError('time cannot be negative')
        },
        onAdmit: ({ admittedAt }, host) => void (host.lastAt = admittedAt),
      })

    expect((await checkClock(make)).join('\n')).toMatch(/clock back by 4\.0 s .*time cannot be negative/)
  })

  it('say so when a cut comes after the end', async () => {
    expect(await checkResume(goodPacer, { cuts: [{ commit: 100_000, written: true }] })).toEqual([
      expect.stringMatching(
        /^cut after commit 100000 was written: the crawl was over after \d+ commits, so this cut tries nothing$/,
      ),
    ])
  })
})
