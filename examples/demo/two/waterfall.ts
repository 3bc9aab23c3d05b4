// What is seen while it runs: a line every two seconds, with a letter for each host that says which process asked it since the line before.
import type { ServedRequest } from '@avocet/stress/rough-web'
import { readServedLog } from '@avocet/stress/rough-web'

const LINE_MS = 2_000
/** Cyan, and magenta. */
const COLOURS: Readonly<Record<string, string>> = { A: '36', B: '35' }

/** What it is drawn from. */
export interface WaterfallPlan {
  /** In the order of the letters. */
  readonly hosts: readonly string[]
  readonly log: string
}

/** Draws until it is disposed. */
export class Waterfall implements Disposable {
  readonly #plan: WaterfallPlan
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout
  #seen = 0

  constructor(plan: WaterfallPlan) {
    this.#plan = plan
    console.log(`\n time   who asked each of the ${String(plan.hosts.length)} hosts (· nobody)           requests of`)
    console.log(`        in the last two seconds                         ${coloured('A', 'A')}       ${coloured('B', 'B')}`)
    this.#timer = setInterval(() => this.draw(), LINE_MS)
  }

  get seconds(): string {
    return `${String(Math.round((performance.now() - this.#startedAt) / 1_000)).padStart(3)} s`
  }

  draw(): void {
    const all = readServedLog(this.#plan.log)
    const recent = all.slice(this.#seen)
    this.#seen = all.length
    const last = new Map(recent.map(({ host, agent }) => [host, letterOf(agent)]))
    const letters = this.#plan.hosts.map((host) => last.get(host) ?? '·').map((letter) => coloured(letter, letter))
    const counts = ['A', 'B'].map((name) => String(all.filter(({ agent }) => letterOf(agent) === name).length).padStart(8))
    console.log(`${this.seconds}   ${letters.join('')}${counts.join('')}`)
  }

  /** A line of words between those of letters. */
  tell(text: string): void {
    console.log(`${this.seconds}   ${text}`)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** Which process it was: `avocet-demo/A (+https://…)`. */
export function letterOf(agent: ServedRequest['agent']): string {
  return /^avocet-demo\/(\w)/.exec(agent)?.[1] ?? '?'
}

function coloured(text: string, letter: string): string {
  const colour = COLOURS[letter]
  if (colour === undefined || !process.stdout.isTTY || process.env['NO_COLOR'] !== undefined) return text
  return `\u001B[${colour}m${text}\u001B[0m`
}
