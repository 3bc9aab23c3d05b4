// The commands that steer a crawl: pause, resume, stop, host, accept, add; as the command line knows them.
import { AvocetError } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { checkSeedUrl, typedHost } from '@avocet/project/load'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { given, parseDuration, parsePositive, parseWholeNumber, parseWord, textOf, textsOf } from '@avocet/project/options'
import { namedStore, type Typed } from '@avocet/project/options'
import { commandName } from '@avocet/project/place'
import type { ControlWish } from './control.ts'

const NOTES = ['A running crawl follows within a second, whichever process runs it; otherwise', 'the next run does.'] as const

/** What the commands for a whole crawl share. */
const OF_A_CRAWL = {
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  flags: { ...STORE_FLAG, ...JSON_FLAG },
  notes: NOTES,
  run: control,
} as const

/** `avocet pause`. */
export const PAUSE: DeclaredCommand<ControlWish> = {
  ...OF_A_CRAWL,
  name: 'pause',
  examples: ['avocet pause quotes'],
  notes: ['Requests in flight finish. The crawl stays paused when it is run again.', ...NOTES],
  read: (typed) => ({ ...wishOf(typed), control: { kind: 'pause' } }),
}

/** `avocet resume`. */
export const RESUME: DeclaredCommand<ControlWish> = {
  ...OF_A_CRAWL,
  name: 'resume',
  examples: ['avocet resume quotes'],
  read: (typed) => ({ ...wishOf(typed), control: { kind: 'resume' } }),
}

/** `avocet stop`. */
export const STOP: DeclaredCommand<ControlWish> = {
  ...OF_A_CRAWL,
  name: 'stop',
  examples: ['avocet stop quotes', 'avocet stop quotes --now'],
  flags: { now: switchFlag('Do not wait for requests in flight'), ...OF_A_CRAWL.flags },
  notes: ['Stops all processes of the crawl as Ctrl-C does, and waits until they end; run', 'the crawl again to resume.'],
  read: (typed) => ({ ...wishOf(typed), control: { kind: 'stop', ...(typed['now'] === true && { now: true }) } }),
}

const ACTIONS = ['pause', 'resume', 'set', 'forget'] as const
type Action = (typeof ACTIONS)[number]
const LIMITS = { 'max-rps': 'maxRps', 'max-in-flight': 'maxInFlight', delay: 'delayMs' } as const
/** Which options each action has. */
const OPTIONS_OF: Readonly<Record<Action, readonly string[]>> = {
  pause: ['for'],
  resume: [],
  set: Object.keys(LIMITS),
  forget: [],
}
const AS_CONFIGURED = 'default'

/** `avocet host`. */
export const HOST: DeclaredCommand<ControlWish> = {
  name: 'host',
  arguments: '<action> [host] [store]',
  describes: {
    action: 'pause, resume, set or forget',
    host: 'A host, by its name in avocet hosts, or a URL of it',
    store: WHICH_STORE,
  },
  examples: [
    'avocet host pause shop.example --for 2h',
    'avocet host set shop.example --max-rps 0.5',
    'avocet host forget shop.example',
  ],
  flags: {
    for: valueFlag('DURATION', 'With pause: resume after this time [default: never]'),
    'max-rps': valueFlag('N', 'With set: maximum requests per second, or default'),
    'max-in-flight': valueFlag('N', 'With set: maximum requests in flight, or default'),
    delay: valueFlag('DURATION', 'With set: minimum time between requests, or default'),
    ahead: switchFlag('Also for a host that the store does not know yet'),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: [
    'set replaces limits of the configuration; default restores one of them. What a',
    'host asks for (Crawl-delay, Retry-After) holds in any case.',
    'forget discards what the policies learned of a host: its rate, breaker,',
    'timeouts and retries. A host that was given up is tried again.',
    ...NOTES,
  ],
  missing: 'expected pause, resume, set or forget, got nothing',
  read: hostWishOf,
  run: control,
}

/** `avocet accept`. */
export const ACCEPT_COMMAND: DeclaredCommand<ControlWish> = {
  name: 'accept',
  arguments: '<host> [store]',
  describes: { host: 'A host, by its name in avocet hosts, or a URL of it', store: WHICH_STORE },
  examples: ['avocet accept shop.example'],
  flags: { ...STORE_FLAG, ...JSON_FLAG },
  notes: [
    'Publishes the items of a host that a plugin holds, with their changes. What its',
    'pages have now counts as right from then on.',
    'avocet rejects --source held lists them.',
  ],
  missing: 'expected a host such as shop.example, got nothing',
  read: (typed) => ({
    ...wishOf(typed),
    control: { kind: 'accept-held', hostKey: typedHost(textOf(typed, 'host') ?? '', 'accept') },
  }),
  run: control,
}

/** `avocet add`. */
export const ADD: DeclaredCommand<ControlWish> = {
  name: 'add',
  arguments: '<urls..>',
  describes: { urls: 'URLs to crawl' },
  examples: ['avocet add https://shop.example/new https://other.example/ --store quotes'],
  flags: { handler: valueFlag('NAME', 'Handler of the pages [default: start]'), ...STORE_FLAG, ...JSON_FLAG },
  notes: ['Their hosts belong to the crawl from then on, as those of its seeds do.', ...NOTES],
  missing: 'expected URLs to crawl, got nothing',
  read(typed) {
    const handler = textOf(typed, 'handler')
    if (handler === '') throw new AvocetError('AVO_USAGE', '--handler: expected the name of a handler, got nothing')
    const urls = [...new Set(textsOf(typed, 'urls').map((url) => parseUrl(checkSeedUrl(url, 'add')) ?? url))]
    return { ...wishOf(typed), control: { kind: 'add', seeds: urls.map((url) => ({ url, ...given('handler', handler) })) } }
  },
  run: control,
}

async function control(wish: ControlWish, place: Parameters<DeclaredCommand['run']>[1]): Promise<void> {
  return (await import('./control.ts')).controlCommand(wish, place)
}

function wishOf(typed: Typed): Omit<ControlWish, 'control'> {
  return { ...namedStore(typed), json: typed['json'] === true }
}

function hostWishOf(typed: Typed): ControlWish {
  const action = parseWord(textOf(typed, 'action') ?? '', 'host', ACTIONS)
  const host = textOf(typed, 'host')
  const foreign = ['for', ...Object.keys(LIMITS)].find((name) => typed[name] !== undefined && !OPTIONS_OF[action].includes(name))
  if (foreign !== undefined)
    throw wrong(
      action,
      `none but its own options, got --${foreign}; it is for ${commandName()} host ${foreign === 'for' ? 'pause' : 'set'}`,
    )
  if (host === undefined) throw wrong(action, 'a host such as shop.example, got nothing')
  return { ...wishOf(typed), control: hostControlOf(action, typedHost(host, 'host'), typed), ahead: typed['ahead'] === true }
}

function hostControlOf(action: Action, hostKey: string, typed: Typed): ControlWish['control'] {
  if (action === 'pause') {
    const text = textOf(typed, 'for')
    const forMs = text === undefined ? undefined : parseDuration(text, 'host --for')
    if (forMs === 0)
      throw wrong(action, `a duration longer than none for --for, got '${text ?? ''}'; ${commandName()} host resume ends a pause`)
    return { kind: 'pause-host', hostKey, ...given('forMs', forMs) }
  }
  if (action === 'resume') return { kind: 'resume-host', hostKey }
  if (action === 'forget') return { kind: 'forget-host', hostKey }
  const limits = {
    ...limitOf(typed, 'max-rps', parsePositive),
    ...limitOf(typed, 'max-in-flight', (text, name) => parseWholeNumber(text, name, 1)),
    ...limitOf(typed, 'delay', parseDuration),
  }
  if (Object.keys(limits).length === 0) throw wrong(action, 'a limit to set (--max-rps, --max-in-flight or --delay), got none')
  return { kind: 'limit-host', hostKey, limits }
}

/** A number, or null for what the configuration says. */
function limitOf(
  typed: Typed,
  name: keyof typeof LIMITS,
  parse: (text: string, name: string) => number,
): Readonly<Record<string, number | null>> {
  const text = textOf(typed, name)
  return text === undefined ? {} : { [LIMITS[name]]: text === AS_CONFIGURED ? null : parse(text, `host --${name}`) }
}

function wrong(action: Action, expected: string): AvocetError {
  return new AvocetError('AVO_USAGE', `host ${action}: expected ${expected}`)
}
