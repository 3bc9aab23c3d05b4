// Shows a running crawl on stderr: one block that is drawn over itself on a terminal, one line every 30 s elsewhere.
import type { Clock, CrawlStatus } from '@avocet/core'
import type { WriteStream } from 'node:tty'
import { columnsOf, fold } from '../text/columns.ts'
import { frame } from './frame.ts'
import { Pace } from './pace.ts'
import type { Paint } from './paint.ts'
import { progressLine } from './progress-line.ts'
import { screenColumns } from './screen-columns.ts'

/** 4 Hz: smooth to the eye, nothing to the processor. */
const DRAW_MS = 250
const LINE_MS = 30_000

/** What a view needs. */
export interface ViewPlace {
  readonly stderr: Pick<WriteStream, 'write'> & { readonly columns?: number; readonly isTTY?: boolean }
  readonly clock: Clock
  readonly paint: Paint
}

/** The view. Every other line for stderr goes through `say`, so that it never lands inside the block. */
export class LiveView {
  readonly #place: ViewPlace
  readonly #pace = new Pace()
  #status: (() => CrawlStatus) | undefined
  #timer: Disposable | undefined
  /** Widths of the lines on the screen, to know how many rows they take after a resize. */
  #drawn: readonly number[] = []

  constructor(place: ViewPlace) {
    this.#place = place
  }

  /** Begins to show what `status` says. */
  start(status: () => CrawlStatus): void {
    this.#status = status
    this.#pace.glance(status())
    this.#plan()
  }

  /** Prints one line for good, folded to the width of the terminal. */
  say(line: string): void {
    const { stderr } = this.#place
    stderr.write(`${this.#erase()}${fold(line, screenColumns(stderr)).join('\n')}\n${this.#block()}`)
  }

  /** Takes the block away. */
  stop(): void {
    this.#timer?.[Symbol.dispose]()
    this.#status = undefined
    this.#place.stderr.write(this.#erase())
  }

  #plan(): void {
    const { clock, stderr } = this.#place
    this.#timer = clock.at(clock.now() + (stderr.isTTY === true ? DRAW_MS : LINE_MS), () => {
      this.#show()
      this.#plan()
    })
  }

  #show(): void {
    if (!this.#status) return
    const { stderr } = this.#place
    if (stderr.isTTY === true) stderr.write(`${this.#erase()}${this.#block()}`)
    else stderr.write(`${progressLine(this.#pace.glance(this.#status()))}\n`)
  }

  /** The block as text, remembered so that it can be erased. */
  #block(): string {
    const { stderr, paint } = this.#place
    if (!this.#status || stderr.isTTY !== true) return ''
    const glance = this.#pace.glance(this.#status())
    const width = screenColumns(stderr)
    this.#drawn = frame(glance, width).map(columnsOf)
    return `${frame(glance, width, paint).join('\n')}\n`
  }

  /** Cursor to the block's first row, and everything below it gone (ECMA-48 CPL and ED). A narrowed terminal has folded its lines. */
  #erase(): string {
    const width = screenColumns(this.#place.stderr)
    const rows = this.#drawn.reduce((sum, columns) => sum + Math.max(1, Math.ceil(columns / width)), 0)
    this.#drawn = []
    return rows === 0 ? '' : `\u001b[${rows}F\u001b[0J`
  }
}
