// Whose a failure is, from what all hosts say.
import { describe, expect, it } from 'vitest'
import { Evidence, type MetFailure } from '../../src/faults/evidence.ts'
import type { FaultJudgement } from '../../src/faults/trouble.ts'
import { failure } from '../../src/ports/failure.ts'
import { saysUp } from '../../src/scheduler/retirements.ts'
import type { FailureCode } from '../../src/values/errors.ts'

const START = 1_000_000
const HOUR = 3_600_000

/** A guard with a clock of its own, counted from START. */
class Watched {
  readonly evidence = new Evidence()
  now = START

  /** Hosts `from`, …, one after the other in the same ms. */
  fail(code: FailureCode, from: number, count = 1, details: Partial<MetFailure> = {}): string[] {
    return Array.from({ length: count }, (_, n) => {
      const hostKey = `${from + n}.test`
      return this.#word(
        this.evidence.judge({
          hostKey,
          code,
          isUp: false,
          answered: false,
          isFailing: false,
          since: this.now,
          now: this.now,
          hosts: 100,
          ...details,
        }),
      )
    })
  }

  answer(from: number, count = 1, secure = true): boolean {
    const ends = Array.from({ length: count }, (_, n) =>
      this.evidence.received(`${from + n}.test`, { now: this.now, isSecure: secure }),
    )
    return ends.includes(true)
  }

  after(ms: number): this {
    this.now += ms
    return this
  }

  #word(judgement: FaultJudgement): string {
    return judgement.whose === 'ours' && judgement.begins ? 'begins' : judgement.whose
  }
}

const times = (count: number, word: string): string[] => Array.from({ length: count }, () => word)

describe('silence', () => {
  it.each([
    'AVO_DNS_FAILED',
    'AVO_DNS_NOT_FOUND',
    'AVO_CONNECT_TIMEOUT',
    'AVO_CONNECT_FAILED',
    'AVO_FIRST_BYTE_TIMEOUT',
    'AVO_IDLE_TIMEOUT',
  ] as const)('(%s) of ten hosts while nothing was ever received is ours, and the first nine are nobody’s', (code) => {
    const watched = new Watched()

    expect(watched.fail(code, 0, 12)).toEqual([...times(9, 'unproven'), 'begins', ...times(2, 'ours')])
  })

  it('of ten hosts an hour ago says nothing of one that nobody knows', () => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 10, { answered: true })
    watched.after(1_000).fail('AVO_CONNECT_REFUSED', 20)

    expect(watched.after(HOUR).fail('AVO_CONNECT_TIMEOUT', 30)).not.toContain('begins')
  })

  it('is a host’s own at once where the crawl has too few hosts to prove anything', () => {
    expect(new Watched().fail('AVO_CONNECT_TIMEOUT', 0, 9, { hosts: 9 })).toEqual(times(9, 'host'))
  })

  it('of the same few hosts is theirs after three times', () => {
    const watched = new Watched()
    const words = [1, 2, 3, 4].map(() => watched.after(1_000).fail('AVO_CONNECT_TIMEOUT', 0, 5))

    expect(words).toEqual([times(5, 'unproven'), times(5, 'unproven'), times(5, 'unproven'), times(5, 'host')])
  })

  it('of strangers is theirs once anything was received', () => {
    const watched = new Watched()
    watched.answer(90)

    expect(watched.after(60_000).fail('AVO_CONNECT_TIMEOUT', 0, 20)).toEqual(times(20, 'host'))
  })

  it('of ten hosts that used to answer is ours, however slowly they are asked', () => {
    const watched = new Watched()
    watched.answer(0, 20)
    const words = Array.from({ length: 10 }, (_, n) =>
      watched.after(60_000).fail('AVO_CONNECT_TIMEOUT', n, 1, { answered: true }),
    ).flat()

    expect(words).toEqual([...times(9, 'host'), 'begins'])
  })

  it('of nine that used to answer, and of strangers, is theirs, however long nothing was received', () => {
    const watched = new Watched()
    watched.answer(0, 9)
    watched.after(HOUR).fail('AVO_CONNECT_TIMEOUT', 10, 8)

    expect(watched.fail('AVO_CONNECT_TIMEOUT', 0, 9, { answered: true })).toEqual(times(9, 'host'))
  })

  it.each([
    ['an answer', (watched: Watched) => watched.answer(50)],
    ['a refused connection', (watched: Watched) => watched.fail('AVO_CONNECT_REFUSED', 50)],
    ['a reset', (watched: Watched) => watched.fail('AVO_RESET', 50)],
    ['a wrong certificate', (watched: Watched) => watched.fail('AVO_TLS_CERTIFICATE', 50)],
  ])('is over with %s', (_what, comes) => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 10)
    comes(watched.after(5_000))

    expect(watched.fail('AVO_CONNECT_TIMEOUT', 99)).toEqual(['host'])
  })

  it('is theirs when something was received meanwhile, and in the last two seconds', () => {
    const watched = new Watched()
    watched.answer(90)
    const details = { answered: true, since: START - 1 }

    expect(watched.after(1_000).fail('AVO_CONNECT_TIMEOUT', 0, 12, details)).toEqual(times(12, 'host'))
    expect(watched.after(1_000).fail('AVO_CONNECT_TIMEOUT', 0, 12, details)).toContain('begins')
  })

  it.each([
    'AVO_RESET',
    'AVO_TRUNCATED',
    'AVO_TOO_SLOW',
    'AVO_HEADERS_TOO_LARGE',
    'AVO_BODY_TOO_LARGE',
    'AVO_DECODE_FAILED',
  ] as const)('is over with what cannot be used, for it came from somewhere (%s)', (code) => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 10)

    expect(watched.after(1_000).fail(code, 20, 1, { isUp: saysUp(failure(code, 'no use', { sent: true })) === true })).toEqual([
      'host',
    ])
    expect(watched.fail('AVO_CONNECT_TIMEOUT', 99)).toEqual(['host'])
  })

  it('for an hour is theirs until something is received', () => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 10)

    expect(watched.after(HOUR).fail('AVO_CONNECT_TIMEOUT', 10, 20)).toEqual(times(20, 'host'))
    expect(watched.after(24 * HOUR).fail('AVO_CONNECT_TIMEOUT', 0, 20)).toEqual(times(20, 'host'))

    watched.answer(0)
    expect(watched.after(HOUR).fail('AVO_CONNECT_TIMEOUT', 0, 10, { answered: true }).at(-1)).toBe('begins')
  })

  it('is ours until the hour is over', () => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 10)

    expect(watched.after(HOUR - 1).fail('AVO_CONNECT_TIMEOUT', 10, 20)).toEqual(times(20, 'ours'))
  })

  it('that began anew is ours for an hour again', () => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 30)
    watched.answer(0, 30)
    expect(watched.after(HOUR).fail('AVO_CONNECT_TIMEOUT', 0, 10, { answered: true }).at(-1)).toBe('begins')

    expect(watched.after(HOUR - 1).fail('AVO_CONNECT_TIMEOUT', 0, 1, { answered: true })).toEqual(['ours'])
  })
})

describe('no route', () => {
  const at = (watched: Watched, count: number, details: Partial<MetFailure> = {}): string[] =>
    watched.fail('AVO_UNREACHABLE', 0, count, { hosts: 5, answered: true, ...details })

  it.each([
    ['to three of five hosts', 3, {}, 'begins'],
    ['to three of six hosts', 3, { hosts: 6 }, 'unproven'],
    ['to three hosts that never answered', 3, { answered: false }, 'unproven'],
    ['to two hosts', 2, {}, 'unproven'],
  ])('%s', (_what, count, details, last) => {
    expect(at(new Watched(), count, details).at(-1)).toBe(last)
  })

  it('to the three hosts that are left of a hundred is no network of ours', () => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 50)
    watched.answer(0, 3)

    expect(at(watched.after(60_000), 3, { hosts: 3 })).toEqual(times(3, 'unproven'))
  })

  it('to most of a hundred hosts is ours once nothing was received for two seconds', () => {
    const afterQuiet = (ms: number, count: number): string | undefined => {
      const watched = new Watched()
      watched.answer(0, 100)
      return watched.after(ms).fail('AVO_UNREACHABLE', 0, count, { answered: true }).at(-1)
    }

    expect([afterQuiet(1_999, 51), afterQuiet(2_000, 50), afterQuiet(2_000, 51)]).toEqual(['unproven', 'unproven', 'begins'])
  })

  it('to one host is its own after three times, while others speak', () => {
    const watched = new Watched()
    const words = [1, 2, 3, 4].flatMap(() => {
      watched.after(1_000).answer(1)
      return watched.fail('AVO_UNREACHABLE', 0)
    })

    expect(words).toEqual([...times(3, 'unproven'), 'host'])
  })

  it('to the only two hosts of a crawl is their own', () => {
    expect(new Watched().fail('AVO_UNREACHABLE', 0, 2, { hosts: 2 })).toEqual(['host', 'host'])
  })
})

describe('certificates', () => {
  it('of ten hosts in a row are ours, and over with a fine one, not with an answer over http', () => {
    const watched = new Watched()

    expect(watched.fail('AVO_TLS_CERTIFICATE', 0, 12)).toEqual([...times(9, 'unproven'), 'begins', ...times(2, 'ours')])
    watched.answer(50, 1, false)
    expect(watched.fail('AVO_TLS_CERTIFICATE', 20)).toEqual(['ours'])
    watched.answer(50, 1, true)
    expect(watched.fail('AVO_TLS_CERTIFICATE', 21)).toEqual(['unproven'])
  })

  it('of ten hosts are nobody’s for as long as others were fine in the last two seconds', () => {
    const afterFine = (ms: number): string | undefined => {
      const watched = new Watched()
      watched.answer(20)
      return watched.after(ms).fail('AVO_TLS_CERTIFICATE', 0, 10).at(-1)
    }

    expect([afterFine(1_999), afterFine(2_000)]).toEqual(['unproven', 'begins'])
  })

  it('that fail again and again while others are fine are theirs', () => {
    const watched = new Watched()
    watched.fail('AVO_TLS_CERTIFICATE', 0, 10)
    const words = Array.from({ length: 20 }, () => {
      watched.after(1_000).answer(50)
      return watched.fail('AVO_TLS_CERTIFICATE', 0, 10).at(-1)
    })

    expect(words).toEqual([...times(2, 'unproven'), ...times(18, 'host')])
  })

  it('that are wrong for an hour are the hosts’', () => {
    const watched = new Watched()
    watched.fail('AVO_TLS_CERTIFICATE', 0, 10)

    expect(watched.after(HOUR).fail('AVO_TLS_CERTIFICATE', 0, 20).at(-1)).toBe('host')
  })
})

describe('a fault of this machine', () => {
  it('at three hosts is ours, at one or two nobody’s', () => {
    expect(new Watched().fail('AVO_LOCAL_RESOURCES', 0, 4)).toEqual(['unproven', 'unproven', 'begins', 'ours'])
  })

  it.each([
    ['one host', 1, 3],
    ['three hosts', 3, 20],
  ])('that only %s meet while others work is theirs after a while', (_what, hosts, after) => {
    const watched = new Watched()
    let rounds = 0
    while (rounds < 100) {
      watched.after(1_000).answer(50)
      if (watched.fail('AVO_LOCAL_RESOURCES', 0, hosts).includes('host')) break
      rounds++
    }

    expect(rounds).toBe(after)
  })

  it('begins once in an outage, however far apart the hosts are that meet it', () => {
    const watched = new Watched()
    watched.answer(50)
    const words = Array.from({ length: 30 }, (_, n) => watched.after(200_000).fail('AVO_NETWORK_DOWN', 3 * n, 3)).flat()

    expect(words.filter((word) => word === 'begins')).toHaveLength(1)
  })

  it('begins again when something was received between', () => {
    const watched = new Watched()
    const words = [1, 2].flatMap(() => {
      watched.after(200_000).answer(50)
      return watched.after(200_000).fail('AVO_NETWORK_DOWN', 0, 3)
    })

    expect(words.filter((word) => word === 'begins')).toHaveLength(2)
  })

  it('is the trouble of before within ten seconds, and begins anew after that, where something was received between', () => {
    const watched = new Watched()
    const round = (ms: number): string | undefined => {
      watched.after(ms).answer(50)
      return watched.fail('AVO_NETWORK_DOWN', 0, 3).at(-1)
    }

    expect([round(0), round(9_999), round(10_000)]).toEqual(['begins', 'ours', 'begins'])
  })

  it('lasts: the first that feels for the end of it does not stand alone', () => {
    const watched = new Watched()
    watched.fail('AVO_NETWORK_DOWN', 0, 3)

    expect(watched.after(60_000).fail('AVO_NETWORK_DOWN', 0)).toEqual(['ours'])
  })

  it('at the only host is nobody’s, whatever that host itself said before', () => {
    const watched = new Watched()
    watched.answer(0)
    const words = [1, 2, 3, 4, 5].flatMap(() => watched.after(1_000).fail('AVO_LOCAL_RESOURCES', 0, 1, { hosts: 1 }))

    expect(words).toEqual(times(5, 'unproven'))
  })

  it('is that of the only host after an hour, however seldom it was asked', () => {
    const watched = new Watched()
    const words = Array.from({ length: 31 }, () => watched.after(120_000).fail('AVO_LOCAL_RESOURCES', 0, 1, { hosts: 1 })).flat()

    expect(words).toEqual([...times(30, 'unproven'), 'host'])
  })

  it('has its host rest for a second, doubling to a minute', () => {
    const watched = new Watched()
    const rests = Array.from({ length: 8 }, () => restMs(watched.after(100_000), '0.test'))

    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('is remembered of a thousand hosts', () => {
    const watched = new Watched()
    restMs(watched, '0.test')
    for (let n = 1; n <= 1_000; n++) restMs(watched.after(2_000), `${n}.test`)

    expect(restMs(watched.after(20_000), '0.test')).toBe(1_000)
  })

  it('at the only host is nobody’s for an hour', () => {
    const watched = new Watched()
    const words = Array.from({ length: 62 }, () => watched.after(60_000).fail('AVO_LOCAL_RESOURCES', 0, 1, { hosts: 1 })).flat()

    expect(words).toEqual([...times(60, 'unproven'), 'host', 'host'])
  })
})

/** How long a host rests that failed alone for a fault of this machine. */
function restMs({ evidence, now }: Watched, hostKey: string): number {
  const judgement = evidence.judge({
    hostKey,
    code: 'AVO_LOCAL_RESOURCES',
    isUp: false,
    answered: false,
    isFailing: false,
    since: now,
    now,
    hosts: 1,
  })
  return judgement.whose === 'host' ? -1 : judgement.until - now
}

describe('what names one cause only', () => {
  it.each(['AVO_TLS_FAILED', 'AVO_BODY_TOO_LARGE', 'AVO_HANDLER_THREW', 'AVO_ADDRESS_REFUSED'] as const)(
    '%s is no evidence',
    (code) => {
      expect(new Watched().fail(code, 0, 20)).toEqual(times(20, 'host'))
    },
  )
})

describe('hosts that are down in a crawl with quiet hours', () => {
  it.each(['AVO_DNS_NOT_FOUND', 'AVO_UNREACHABLE', 'AVO_TLS_CERTIFICATE', 'AVO_TLS_INTERMEDIATE'] as const)(
    'prove nothing (%s), until they have answered',
    (code) => {
      const watched = new Watched()
      watched.answer(0, 20)

      expect(watched.after(HOUR).fail(code, 0, 12, { answered: true, isFailing: true, hosts: 20 })).toEqual(times(12, 'host'))
      expect(watched.fail(code, 0, 12, { answered: true, hosts: 20 })).toContain('begins')
    },
  )

  it('are excused like all others while there is trouble of ours', () => {
    const watched = new Watched()
    watched.fail('AVO_CONNECT_TIMEOUT', 0, 10)

    expect(watched.fail('AVO_CONNECT_TIMEOUT', 20, 1, { answered: true, isFailing: true })).toEqual(['ours'])
  })
})

describe('certificates', () => {
  it('of a second portal are ours again, when they were fine between', () => {
    const watched = new Watched()
    watched.fail('AVO_TLS_CERTIFICATE', 0, 10)
    watched.after(HOUR / 4).answer(0, 10)

    expect(watched.after(HOUR).fail('AVO_TLS_CERTIFICATE', 0, 10)).toContain('begins')
  })

  it('of ten hosts, one every five seconds, are ours beside those that answered without one before a certificate was fine', () => {
    const watched = new Watched()
    watched.answer(50, 30, false)
    watched.answer(80)
    const words = Array.from({ length: 10 }, (_, n) => watched.after(5_000).fail('AVO_TLS_CERTIFICATE', n)).flat()

    expect(words.at(-1)).toBe('begins')
  })

  it('of a crawl with fewer than ten hosts are theirs at once', () => {
    expect(new Watched().fail('AVO_TLS_CERTIFICATE', 0, 3, { hosts: 9 })).toEqual(times(3, 'host'))
  })

  it('are theirs after an hour in which all hosts failed that have one, however many hosts there are', () => {
    const watched = new Watched()
    watched.fail('AVO_TLS_CERTIFICATE', 0, 10)

    expect(watched.after(HOUR).fail('AVO_TLS_CERTIFICATE', 0, 10).at(-1)).toBe('host')
  })
})
