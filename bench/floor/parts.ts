// From runs to figures: the ratio of command and floor, and what of each is start, page, link and item, by differences of worlds.
import { median } from '../median.ts'
import type { Cost } from './runs.ts'
import { WORLDS } from './worlds.ts'

/** Runs of one round: all of the floor, and all of one tree. */
export interface Round<Runs extends HeldRuns = HeldRuns> {
  readonly floor: Runs
  readonly command: Runs
}

/** The worlds of which there is a budget. */
export type HeldRuns = Readonly<Record<'large' | 'small', Cost>>

/** With those that tell what a page is made of. */
export type WholeRuns = HeldRuns & Readonly<Record<'one' | 'noItems' | 'fewLinks', Cost>>

/** What a run is made of. Of the floor and the command in CPU; how many times the one the other is. */
export type Part = Readonly<Record<'floor' | 'command' | 'times', number>>

/** How many times the CPU of the floor the command took: the median of the ratios of the rounds. */
export function ratioOf(rounds: readonly Round[], world: 'large' | 'small'): number {
  return rounded(median(rounds.map(({ floor, command }) => command[world].cpuMs / floor[world].cpuMs)))
}

/** By the name of the part and its unit; none of rounds without the worlds that tell them. */
export function partsOf(rounds: readonly Round[]): Readonly<Record<string, Part>> {
  const whole = rounds.filter(isWhole)
  if (whole.length === 0) return {}
  const part = (of: (runs: WholeRuns) => number): Part => {
    const floor = median(whole.map((round) => of(round.floor)))
    const command = median(whole.map((round) => of(round.command)))
    return { floor: rounded(floor), command: rounded(command), times: rounded(command / floor) }
  }
  const { large, fewLinks, small } = WORLDS
  const links = large.items * (large.links - fewLinks.links)
  const linkMs = (runs: WholeRuns): number => (runs.noItems.cpuMs - runs.fewLinks.cpuMs) / links
  return {
    'large: ms a page': part((runs) => runs.large.cpuMs / large.pages),
    'start: ms': part((runs) => runs.one.cpuMs),
    'page: ms': part((runs) => (runs.fewLinks.cpuMs - runs.one.cpuMs) / fewLinks.pages),
    'link: µs': part((runs) => 1e3 * linkMs(runs)),
    'item: ms': part((runs) => (runs.large.cpuMs - runs.noItems.cpuMs) / large.items),
    'large: peak MB': part((runs) => runs.large.peakMb),
    'small: ms a page': part((runs) => runs.small.cpuMs / small.pages),
    'small: peak MB': part((runs) => runs.small.peakMb),
  }
}

function isWhole(round: Round): round is Round<WholeRuns> {
  return 'one' in round.floor && 'one' in round.command
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}
