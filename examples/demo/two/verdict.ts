// Says what came of it, by the log of the servers and by the items: a short table, and whether each figure is as it should be.
import { readFileSync } from 'node:fs'
import type { SiteModel } from '@avocet/simulator'
import { readServedLog } from '@avocet/stress/rough-web'
import { sharedHosts } from '@avocet/stress/hosts'
import { letterOf } from './waterfall.ts'

/** What is judged. */
export interface Evidence {
  readonly model: SiteModel
  /** Of the servers. */
  readonly log: string
  readonly titles: string
  /** Hosts from which a polite crawl gets everything. */
  readonly isWhole: (host: string) => boolean
  readonly delayMs: number
  readonly killed: { readonly name: string; readonly at: number }
}

/** Requests that a process had not committed when it was killed: those in flight, and one group of turns. */
const MOST_REPEATED = 32 + 64
/** On the same machine death is proved at once; what it had in flight ends, and its hosts' delays go on. */
const SOON_MS = 5_000
/** What a request may be late where it arrives: a process that begins sends 40 at once, each on a new connection. */
const LATE_MS = 80

interface Row {
  readonly name: string
  readonly value: string
  readonly isGood: boolean
}

/** Prints the table, and returns whether all is well. */
export function verdict(evidence: Evidence): boolean {
  const rows = [...itemRows(evidence), ...requestRows(evidence)]
  console.log('\nWhat the servers saw, and what the file of titles has:')
  for (const { name, value, isGood } of rows) console.log(`  ${isGood ? 'ok ' : 'NO '} ${name.padEnd(52)} ${value}`)
  console.log('Times are those of arrivals: a process that begins makes 40 connections at once.')
  return rows.every(({ isGood }) => isGood)
}

function itemRows({ model, titles, isWhole }: Evidence): readonly Row[] {
  const found = readFileSync(titles, 'utf8').trim().split('\n')
  const urls = new Set(found.map((line) => (JSON.parse(line) as { readonly url: string }).url))
  const expected = model.hosts.filter(({ name }) => isWhole(name)).flatMap(({ name }) => model.expected.pages(name))
  const missing = expected.filter((url) => !urls.has(url)).length
  const twice = found.length - urls.size
  return [
    {
      name: 'pages of the hosts that can be reached',
      value: `${shown(expected.length - missing)} of ${shown(expected.length)}`,
      isGood: missing === 0,
    },
    { name: 'pages whose item is there twice', value: shown(twice), isGood: twice === 0 },
  ]
}

function requestRows({ log, delayMs, killed }: Evidence): readonly Row[] {
  const requests = readServedLog(log)
  const { overlaps, inARow, repeated } = sharedHosts(requests)
  const gapMs = Math.min(...inARow.map((encounter) => encounter.gapMs))
  const before = requests.filter(({ at }) => at <= killed.at).toSorted((a, b) => a.at - b.at)
  const lastAsker = new Map(before.map(({ host, agent }) => [host, letterOf(agent)]))
  const others = requests.filter(
    ({ at, host, agent }) => at > killed.at && letterOf(agent) !== killed.name && lastAsker.get(host) === killed.name,
  )
  const wentOnMs = Math.min(...others.map(({ at }) => at)) - killed.at
  return [
    { name: 'hosts that heard both processes at the same moment', value: shown(overlaps.length), isGood: overlaps.length === 0 },
    {
      name: `requests repeated, for ${killed.name} had not saved their answers`,
      value: shown(repeated.length),
      isGood: repeated.length <= MOST_REPEATED,
    },
    {
      name: 'shortest time between two requests at one host',
      value: `${shown(Math.round(gapMs))} ms of ${shown(delayMs)}`,
      isGood: gapMs >= delayMs - LATE_MS,
    },
    {
      name: `until the hosts of ${killed.name} were asked again`,
      value: `${(wentOnMs / 1_000).toFixed(1)} s`,
      isGood: wentOnMs <= SOON_MS,
    },
  ]
}

function shown(count: number): string {
  return count.toLocaleString('en')
}
