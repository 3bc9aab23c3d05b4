// What a sink of the crawl got, and when, in a file that survives the crawler; and what the judge makes of it.
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { ItemChange } from 'avocet'
import { sink, type Sink } from '@avocet/core/sink'
import type { Clock } from '@avocet/core/store'
import type { Published } from './changes-watched.ts'

/** A sink of changes that writes down what it got. */
export class DeliveredLog implements Disposable {
  readonly #file: number
  readonly #clock: Clock

  constructor(path: string, clock: Clock) {
    this.#file = openSync(path, 'a')
    this.#clock = clock
  }

  get sink(): Sink {
    return sink(
      (changes) => {
        const lines = changes.map(({ value }) => {
          const { seq, at } = value as unknown as ItemChange
          return `${seq}\t${Date.parse(at)}\t${this.#clock.now()}\n`
        })
        writeSync(this.#file, lines.join(''))
      },
      { name: 'hooks', changes: true },
    )
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** What became of published changes at the sink. */
export interface Delivered {
  /** Of those that were published, how many never came. */
  readonly lost: number
  /** Came again, as they may after a kill. */
  readonly again: number
  /** Came, and were not published. */
  readonly strange: number
  /** From the answer of the page to the sink, of changes with no death of a process between. */
  readonly delaysMs: readonly number[]
}

/** Reads the log at `path`. `deaths`: epoch ms at which processes died. */
export function deliveredBy(path: string, published: Published, deaths: readonly number[]): Delivered {
  const wanted = new Set([...published.values()].flatMap((changes) => changes.map(({ seq }) => seq)))
  const came = new Set<number>()
  const delaysMs: number[] = []
  let [again, strange] = [0, 0]
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [seq = 0, at = 0, receivedAt = 0] = line.split('\t').map(Number)
    if (line === '') continue
    if (came.has(seq)) again++
    else if (!wanted.has(seq)) strange++
    else if (!deaths.some((death) => death >= at && death <= receivedAt)) delaysMs.push(receivedAt - at)
    came.add(seq)
  }
  return {
    lost: [...wanted].filter((seq) => !came.has(seq)).length,
    again,
    strange,
    delaysMs: delaysMs.toSorted((a, b) => a - b),
  }
}
